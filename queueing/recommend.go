package queueing

import "math"

// Need is what the buffer of one stream in front of a station is sized for.
type Need struct {
	Load
	Takes  float64 // elements that the station takes at once, for a firing or a transfer, at least 1
	Brings float64 // elements that come at once: of a firing of the writer, at least 1
	Bulk   float64 // elements of a transfer of a link before or behind the buffer, at least 1; 0 without links
}

// Size is a recommended buffer, with what it is from.
type Size struct {
	Elements  float64
	Estimator string // the name of the one that asks for most
	Level     string // how sure that is
}

// Heuristic is the level of a size for which only means and variances are known: measured
// distributions could certify it, and element counts that never change could prove it.
const Heuristic = "heuristic"

// The reasons for a size beside the names of estimators.
const (
	ByFiring = "firing" // what one firing of the reader takes, and one of the writer brings
	ByBulk   = "bulk"   // two transfers: one that is filled while the other moves
)

// Recommend sizes a buffer for a probability p of overflow, by the largest of
//
//   - the M/M/1 tail, in elements;
//   - where the variation of service is known and above that of the exponential, the M/G/1 tail;
//   - where elements are taken n at a time, n times the G/G/1 capacity in rounds: rounds of n
//     independent arrivals have ca² = 1/n;
//   - the least with which the stream moves: what one firing of the reader takes and one of
//     the writer brings, and two bulks.
//
// At a utilization of 1 or more, which no buffer is enough for, it is that least.
func Recommend(n Need, p float64) (Size, error) {
	best := Size{Elements: 1, Estimator: ByFiring, Level: Heuristic}
	raise := func(k float64, by string) {
		if k > best.Elements {
			best.Elements, best.Estimator = k, by
		}
	}
	if err := checkProbability(p); err != nil {
		return Size{}, err
	}
	if err := check(n.Utilization); err == nil {
		k, err := TailCapacity(n.Utilization, p)
		if err != nil {
			return Size{}, err
		}
		best.Elements, best.Estimator = k, "M/M/1 tail"
		scv := orOne(n.ServiceSCV)
		switch {
		case n.Takes > 1:
			k, err = GG1{n.Utilization, 1 / n.Takes, scv}.Capacity(p)
			raise(k*n.Takes, "G/G/1")
		case scv > 1:
			k, err = MG1{n.Utilization, scv}.Capacity(p)
			raise(k, "M/G/1 tail")
		}
		if err != nil {
			return Size{}, err
		}
	} else if !(n.Utilization >= 1) {
		return Size{}, err
	}
	if n.Takes > 1 || n.Brings > 1 {
		raise(math.Ceil(n.Takes)+math.Ceil(n.Brings), ByFiring)
	}
	if n.Bulk > 0 {
		raise(2*math.Ceil(n.Bulk), ByBulk)
	}
	return best, nil
}
