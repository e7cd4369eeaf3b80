package run

import (
	"fmt"
	"math"
	"slices"
	"time"

	"xopt/internal/units"
	"xopt/mapper/result"
)

const (
	batchLooks = 5 // the 5 of MSER-5
	minBatches = 5 // minimum number of batches for a throughput
	// minSteady is the minimum length of the steady part of a run on this machine. A time slice of the scheduler or a
	// change of the processor's clock has too much weight in a shorter part.
	minSteady = 0.05 // s
	// fewFrom is the run length from which a missing rate is due to too few elements. Shorter runs are too short.
	fewFrom = 1 // s
	// minElements is the minimum number of elements on the busiest edge of a run in virtual time or on a board. Such a
	// run has no minimum length.
	minElements = minBatches * batchLooks
)

// TooFew returns an explanation if a run moved too few elements to determine its throughput; "" if it moved enough.
// seconds is the length of the run.
func TooFew(edges []result.MeasuredEdge, seconds float64) string {
	maximum := uint64(0)
	for i := range edges {
		maximum = max(maximum, edges[i].Elements)
	}
	if maximum >= minElements {
		return ""
	}
	return fmt.Sprintf("in a run of %s, no edge carried more than %s", units.Time(seconds),
		units.Counted(int(maximum), "element", "elements"))
}

// steady returns the steady part of the run.
func (r *run) steady(m *Measurement) *result.SteadyPart {
	list, every := r.collector.pulses.list, r.period*time.Duration(max(r.collector.pulses.every, 1))
	if r.virtual() {
		list, every = r.virtualPulses(), 0
	}
	if len(r.prog.Edges) == 0 || len(list) == 0 && r.virtual() {
		return nil
	}
	byItself, minimum := m.Failure == nil, minSteady
	if r.virtual() {
		minimum = 0
	}
	s := steadyOf(list, every.Seconds(), m.Seconds, minimum, byItself)
	if s != nil && s.Short == "" && r.virtual() {
		s.Short = TooFew(m.Edges, m.Seconds)
		s.Few = s.Short != ""
	}
	if s != nil && s.Short != "" && byItself && (r.virtual() || s.Filling || m.Seconds < longEnough.Seconds()) {
		s.Enough = r.enough(m, s)
	}
	return s
}

// longEnough is a sufficient length for a run that becomes steady.
const longEnough = 2 * time.Second

// enough returns the value of --elements with which the run would last for longEnough. It is rounded up to 1, 2 or 5
// times a power of 10, so that similar runs result in the same advice. It returns 0 if no source has a number of
// elements, or if a kernel ended before it had consumed all of its input. If the buffers were filling, the number is
// instead large enough to fill all buffers several times.
func (r *run) enough(m *Measurement, s *result.SteadyPart) uint64 {
	given := uint64(0)
	for k := range r.prog.Kernels {
		if len(r.unread(k)) > 0 {
			return 0
		}
		given = max(given, r.prog.Kernels[k].Elements)
	}
	const simulated = 10 // factor on the elements, because a simulation has no minimum length
	factor := longEnough.Seconds() / m.Seconds
	if r.virtual() {
		factor = simulated
	}
	if s.Filling {
		const fillings = 4 // of all buffers
		factor = 1
		for i := range m.Edges {
			if e := &m.Edges[i]; e.Elements > 0 {
				factor += fillings * float64(e.Capacity) / float64(e.Elements)
			}
		}
	}
	const maximum = 1 << 53
	n := float64(given) * max(factor, 1)
	if !(n > 0 && n < maximum) {
		return 0
	}
	return RoundElements(n)
}

// RoundElements rounds a number of elements up to 1, 2 or 5 times a power of 10.
func RoundElements(n float64) uint64 {
	unit := math.Pow(10, math.Floor(math.Log10(n)))
	for _, digit := range []float64{1, 2, 5} {
		if digit*unit >= n {
			return uint64(digit * unit)
		}
	}
	return uint64(10 * unit)
}

// steadyOf returns the steady part of a run of the given length from its pulses. every is the approximate distance of
// the pulses in seconds; 0 in virtual time, where nothing stalls a run. The distance is then the time of the first
// pulse.
func steadyOf(list []pulse, every, seconds, minimum float64, byItself bool) *result.SteadyPart {
	x := coarse(evenly(list, every))
	if n := len(x); n > 1 && x[n-1].sent == 0 && x[n-1].consumed == 0 {
		return nil
	}
	if byItself { // the sources have ended, and the pipeline drains
		done := slices.IndexFunc(x, func(p pulse) bool { return p.sent == x[len(x)-1].sent })
		x = x[:max(done, 0)+1]
	}
	if len(x) < 2 {
		x = append(x, pulse{})
	}
	var stalls []stretch
	if every > 0 {
		stalls = stallsIn(x)
	}
	y, from := without(x, stalls)
	first, last := 0, len(y)-1 // first and last pulse of the steady part
	var sides []func(*pulse) float64
	why := ""
	for _, of := range []func(*pulse) float64{sentOf, consumedOf} {
		rates, moves := differences(y, of)
		if moves < max(minBatches, len(rates)/batchLooks) { // such as for a sink that consumes one element at the end
			continue
		}
		sides = append(sides, of)
		start, until, ok := truncation(rates, byItself)
		first, last = max(first, start), min(last, until)
		if !ok {
			why = "less than half of it was steady"
		}
	}
	last = max(last, first)
	s := &result.SteadyPart{StartUp: after(x, stalls, from[first]), Batches: (last - first) / batchLooks}
	s.Seconds = max(x[from[last]].at-s.StartUp, 0)
	if moving := y[last].at - y[first].at; moving > 0 {
		s.Stalled = max(s.Seconds-moving, 0)
		s.Throughput, s.SinkRate = (y[last].sent-y[first].sent)/moving, (y[last].consumed-y[first].consumed)/moving
	}
	for _, g := range stalls {
		s.Stalls = append(s.Stalls, result.Stall{At: x[g.from].at, Seconds: x[g.to].at - x[g.from].at,
			Waited: g.waited})
	}
	s.Slower = every > 0 && restOf(y, first, last, sides) > alike
	switch stop := x[len(x)-1].at; {
	case 2*y[len(y)-1].at < stop:
		why = "no element moved for most of the time"
	case why == "" && s.Slower && len(sides) > 1:
		why = "its longest part with a steady rate was slower than the rest of the run"
	}
	s.Filling = why == "" && byItself && len(sides) > 1 && isFilling(y[first], y[last], list[len(list)-1])
	if s.Filling {
		why = "its buffers were filling, and contained much of its data when the sources ended"
	}
	switch {
	case why != "":
		s.Short = why
	case len(sides) == 0 && seconds < fewFrom:
		s.Short = "its elements moved too rarely"
	case len(sides) == 0:
		s.Short, s.Few = "almost no elements moved", true
	case s.Batches < minBatches || s.Seconds-s.Stalled < minimum:
		s.Short = fmt.Sprintf("its steady part lasts only %s", units.Time(s.Seconds-s.Stalled))
	}
	if s.Unsteady = why != ""; s.Short != "" {
		s.Short = fmt.Sprintf("in a run of %s, %s", units.Time(seconds), s.Short)
	}
	return s
}

// isFilling reports whether the steady part of a complete run only filled its buffers. Its sources were then faster
// than its sinks, relative to their total data of the run, and its buffers contained data at the end. If the buffers
// were empty at the end, only the work per element varied.
func isFilling(first, last, until pulse) bool {
	occupied := last.sent/until.sent - last.consumed/until.consumed
	faster := (last.sent-first.sent)/until.sent - (last.consumed-first.consumed)/until.consumed
	return occupied > alike && faster > alike*(last.sent-first.sent)/until.sent
}

// evenly returns pulses at equal distances from the start, interpolated between the recorded pulses.
func evenly(list []pulse, every float64) []pulse {
	if every == 0 {
		return append([]pulse{{}}, list...)
	}
	out := []pulse{{}}
	before, i := pulse{}, 0
	for n := 1; ; n++ {
		t := float64(n) * every
		for i < len(list) && list[i].at < t {
			before = list[i]
			i++
		}
		if i == len(list) {
			return out
		}
		part := 1.0
		if gap := list[i].at - before.at; gap > 0 {
			part = (t - before.at) / gap
		}
		between := func(of func(*pulse) float64) float64 { return of(&before) + part*(of(&list[i])-of(&before)) }
		out = append(out, pulse{t, between(sentOf), between(consumedOf), between(waitedOf)})
	}
}

// coarse removes pulses until elements move in most batches. A sink may consume one element per second.
func coarse(x []pulse) []pulse {
	for len(x) > 2*batchLooks*minBatches {
		_, sent := differences(x, sentOf)
		_, consumed := differences(x, consumedOf)
		if batchLooks*max(sent, consumed) >= len(x) {
			return x
		}
		half := x[:0:0]
		for i := 0; i < len(x); i += 2 {
			half = append(half, x[i])
		}
		x = half
	}
	return x
}

// differences returns the differences between consecutive pulses, and the number of positive differences.
func differences(x []pulse, of func(*pulse) float64) (list []float64, moves int) {
	for i := 1; i < len(x); i++ {
		d := of(&x[i]) - of(&x[i-1])
		list = append(list, d)
		if d > 0 {
			moves++
		}
	}
	return list, moves
}

// truncation returns the range of observations that MSER-5 keeps, in complete batches of 5. It drops the first
// observations and, with atEnd, the last observations. ok reports whether at least half of the observations are left.
// Otherwise the run is too short to judge.
func truncation(x []float64, atEnd bool) (from, until int, ok bool) {
	n := len(x) / batchLooks
	batches := make([]float64, n)
	for b := range batches {
		batches[b] = meanOf(x[b*batchLooks : (b+1)*batchLooks])
	}
	if n < minBatches {
		return 0, n * batchLooks, true
	}
	all, half := minError(batches, atEnd)
	ok = 2*(all[1]-all[0]) >= n
	if !ok {
		// A single slow moment may also make a cut next to it optimal, but then the means on both sides are equal.
		maximum, few := meanOf(batches[half[0]:half[1]]), meanOf(batches[all[0]:all[1]])
		if ok = math.Abs(maximum-few) <= alike*few; ok {
			all = half
		}
	}
	return all[0] * batchLooks, all[1] * batchLooks, ok
}

// alike is the maximum relative difference between rates that count as equal. Up to this difference, the best range
// with at least half of the batches replaces the best range.
const alike = 0.05

// minError returns the range of batches with the smallest standard error of the mean, and the best range with at least
// half of the batches. It prefers the longest of equal ranges.
func minError(batches []float64, atEnd bool) (all, half [2]int) {
	n := len(batches)
	mean := meanOf(batches)
	best, bestHalf := math.Inf(1), math.Inf(1)
	first := n
	if atEnd {
		first = minBatches
	}
	for stop := n; stop >= first; stop-- {
		sum, squares := 0.0, 0.0
		for d := stop - 1; d >= 0; d-- {
			v := batches[d] - mean // exact for equal batches
			sum, squares = sum+v, squares+v*v
			left := float64(stop - d)
			if left < minBatches {
				continue // too few to estimate the spread
			}
			spread := max(squares-sum*sum/left, 0)
			if spread <= roundingError*mean*mean*left {
				spread = 0
			}
			mser := spread / (left * left)
			if mser < best || mser == best && stop-d > all[1]-all[0] {
				best, all = mser, [2]int{d, stop}
			}
			if 2*(stop-d) >= n && (mser < bestHalf || mser == bestHalf && stop-d > half[1]-half[0]) {
				bestHalf, half = mser, [2]int{d, stop}
			}
		}
	}
	return all, half
}

func meanOf(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// roundingError is the ratio of a variance to the square of the mean below which the variance counts as zero.
const roundingError = 1e-24
