package flow

import (
	"math"
	"slices"

	"xopt/flow/faults"
)

// This file computes the contention in a [Network]. At the maximum flow, the rates, pressures and slowdowns must be
// consistent. The slowdown of each kernel then adds a cost to the kernel's limit.

// errContentionUnknown is a warning: the model has no memory contention for applications with several independent
// sources.
var errContentionUnknown = faults.ContentionNotCounted.Errorf("predictions do not include the " +
	"measured memory contention between kernels, because the application has independent sources")

// contend finds the flow at which rates and slowdowns are consistent, and adds the costs. It ignores cycles in which no
// data move; addCycles reports them.
func (n *Network) contend() {
	if !n.measuredContention() {
		return
	}
	c := newScorerContention(newContentionTables(n.Prepared), 1)
	if c == nil {
		return
	}
	perByte := n.slowing(c)
	z := math.Inf(1)
	phi := n.Problem.maxUtilization()
	for i := range n.Limits {
		l := &n.Limits[i]
		square := 0.0
		for m, s := range l.Members {
			square += n.Stations[s].arrival[0] * l.Weight[m] * perByte[s]
		}
		z = min(z, phi/effective(l.load[0], square, phi))
	}
	if math.IsInf(z, 1) {
		return // nothing limits the flow
	}
	if len(n.Flows.circles) > 0 {
		z = allowed(z, func(z float64) float64 {
			n.slow(perByte, z)
			return n.turned()
		})
	}
	n.slow(perByte, z)
}

// measuredContention reports whether a placed kernel has measured contention.
func (n *Network) measuredContention() bool {
	for k, r := range n.Mapping.Place {
		if n.Problem.Figures[k][r].Contention != nil {
			return true
		}
	}
	return false
}

// slowing computes the slowdown of each kernel from the pressure on its memory, per byte/s of the free source. At a
// flow z, the slowdown of a station is 1 + z × perByte.
func (n *Network) slowing(c *scorerContention) (perByte []float64) {
	for k, r := range n.Mapping.Place {
		c.enter(int32(r), int32(k))
	}
	perByte = make([]float64, len(n.Stations))
	for k, r := range n.Mapping.Place { // the first stations are the kernels, in order
		perByte[k] = c.slowdownOf(n.Figures[k][r].Contention, r)
	}
	return perByte
}

// slow applies the slowdowns of kernels at a flow of z bytes/s of the free source.
func (n *Network) slow(perByte []float64, z float64) {
	for i := range n.Limits {
		l := &n.Limits[i]
		l.Costs = slices.DeleteFunc(l.Costs, func(c Cost) bool { return c.Part == Contended })
	}
	for s, e := range perByte {
		if e == 0 {
			continue
		}
		st := &n.Stations[s]
		l := &n.Limits[st.limit]
		st.Slowdown = 1 + e*z
		l.Costs = append(l.Costs, Cost{Member: st.member, Part: Contended, Edge: -1,
			Weight: l.Weight[st.member] * e * z})
	}
	for i := range n.Limits {
		n.Limits[i].load = n.loadOf(&n.Limits[i])
	}
}

// turned returns the flow that the cycles permit with the current slowdowns; 0 if no data move.
func (n *Network) turned() float64 {
	z := math.Inf(1)
	for _, c := range n.Flows.circles {
		limit, stuck := n.cycleLimit(c, nil)
		if stuck != "" {
			return 0
		}
		z = min(z, n.Problem.maxUtilization()/limit.load[0])
	}
	return z
}

// bisections is the number of halvings that narrow a float64 interval to its last digit.
const bisections = 60

// allowed returns the maximum flow, up to z, that cycles permit. The function cycles returns the limit of the cycles
// with the slowdowns at a given flow. This limit falls as the flow rises.
func allowed(z float64, cycles func(z float64) float64) float64 {
	low := cycles(z)
	if low >= z || low == 0 {
		return z // if low is 0, no data move at any flow; addCycles reports this
	}
	high := z
	for i := 0; i < bisections && low < high; i++ {
		middle := low + (high-low)/2
		if cycles(middle) >= middle {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// unknownContention returns a warning if contention was measured but cannot be computed.
func (n *Network) unknownContention() error {
	if n.Flows.Free > 1 && n.Problem.contends() {
		return errContentionUnknown
	}
	return nil
}
