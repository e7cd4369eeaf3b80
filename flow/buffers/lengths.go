package buffers

import (
	"context"
	"math"
	"slices"

	"xopt/flow"
	"xopt/flow/faults"
	"xopt/internal/fault"
	"xopt/queueing/maxplus"
)

// Ran describes the run whose queues [Lengths] simulates.
type Ran struct {
	Capacity []int   // buffer size of each edge, in elements
	Seconds  float64 // duration of the run
	// Looks is the number of samples of the queues; 0 in virtual time, in which the run records every change.
	Looks int
	// Style selects how kernels share a core. In virtual time, turns have one firing, and elements are visible
	// immediately.
	Style   Style
	Virtual bool
}

// Length is the simulated maximum length of an edge's queue in a run.
type Length struct {
	Max float64 // elements, as the run would measure it; NaN without a flow
	// Fills reports whether the queue fills its buffer, or grows until the end of the run.
	Fills bool
	// Turn reports whether the length is due to the turns of kernels on a core. With turns of one firing, the queue is
	// at most half as long.
	Turn bool
	// For is the edge for which a join waits while the queue has this length; -1 for none.
	For int
	// Chosen reports whether the reader chooses among several edges. In the simulation, the reader may consume from any
	// of these edges.
	Chosen bool
	// Assumed lists the kernels at the ends of the edge whose service-time variation is unknown. The simulation draws
	// their times from an exponential distribution.
	Assumed []int
	// Batch is the number of elements in a batch, between processes or to and from a simulated FPGA.
	Batch float64
}

// These constants limit the simulations, and classify queue lengths.
const (
	// lengthEvents is the number of events of the pilot simulation, which estimates the number of events of the run.
	// maxLength limits the simulated events. Lengths extrapolates longer runs.
	lengthEvents, maxLength = 10_000, 1_000_000
	lengthSeed              = 1
	// A queue counts as growing if doubling the duration multiplies its length by at least grows. The factor of a
	// random walk is √2. A growing queue contains at least minGrown elements, or half the elements of its buffer if
	// this number is smaller.
	grows, minGrown = 1.7, 64
	// full is the fill level at which a buffer counts as full. It is below 1 because the writer needs space for an
	// entire firing.
	full = 0.9
	// longer is the minimum ratio of two lengths at which Lengths attributes the longer queue to turns or a join.
	longer = 2
)

// Lengths simulates the maximum lengths of the queues of a mapping in a run, with its buffers, turns and joins.
// It follows a growing queue to the end of the run.
func Lengths(ctx context.Context, n *flow.Network, s *flow.Solution, ran Ran) ([]Length, error) {
	if !Verifiable(n) {
		return nil, fault.TooManyFirings.Errorf("the application is too large to simulate: expected at most %d "+
			"kernels and %d firings in an iteration", maxVerified, MaxFirings)
	}
	first, second, model, err := twice(ctx, n, s, ran, ran.Virtual)
	if err != nil {
		return nil, err
	}
	list := make([]Length, len(ran.Capacity))
	for e := range list {
		list[e] = model.length(e, first, second, ran)
	}
	if ran.Virtual || !slices.ContainsFunc(list, func(l Length) bool { return !l.Fills && l.Max >= longer }) {
		return list, nil
	}
	_, single, _, err := twice(ctx, n, s, ran, true)
	if err != nil {
		return nil, err
	}
	for e := range list {
		l := &list[e]
		l.Turn = !l.Fills && longest(single, e, ran.Looks)*longer <= l.Max-l.Batch
	}
	return list, nil
}

// twice simulates half of a run and then the entire run, with at most maxLength events.
func twice(ctx context.Context, n *flow.Network, s *flow.Solution, ran Ran, one bool) (first, second *Outcome,
	model *Model, err error) {
	if model, err = Network(n, s, Setting{Style: ran.Style, OneFiring: one}); err != nil {
		return nil, nil, nil, err
	}
	sim, err := model.Simulator()
	if err != nil {
		return nil, nil, nil, err
	}
	o := maxplus.Options{Events: model.Events(lengthEvents), Seed: lengthSeed, Occupancy: true}
	pilot, err := sim.Run(ctx, ran.Capacity, o)
	if err != nil {
		return nil, nil, nil, err
	}
	if pilot.Seconds > 0 && pilot.Stopped == "" {
		all := float64(pilot.Events) * ran.Seconds / pilot.Seconds
		o.Events = model.Events(int64(max(lengthEvents/10, min(all, maxLength))) / 2)
	}
	if first, err = sim.Run(ctx, ran.Capacity, o); err != nil {
		return nil, nil, nil, err
	}
	o.Events *= 2
	if second, err = sim.Run(ctx, ran.Capacity, o); err != nil {
		return nil, nil, nil, err
	}
	if second.Stopped != "" {
		return nil, nil, nil, faults.SimulationStops.Errorf("the simulation deadlocks: %s", second.Stopped)
	}
	return first, second, model, nil
}

// length combines two simulations of one queue. The second simulation is twice as long as the first simulation.
func (m *Model) length(e int, first, second *Outcome, ran Ran) Length {
	l := Length{Max: math.NaN(), For: -1}
	if m.Edge[e] < 0 {
		return l
	}
	room := float64(ran.Capacity[e])
	l.Max = longest(second, e, ran.Looks)
	before, after := float64(first.Max[e]), float64(second.Max[e])
	if after >= grows*before && after >= min(minGrown, room/2) && second.Seconds > first.Seconds {
		l.Fills = true
		rate := (after - before) / (second.Seconds - first.Seconds)
		l.Max = min(room, after+rate*max(0, ran.Seconds-second.Seconds))
	}
	if room > 1 && after >= full*room {
		l.Fills, l.Max = true, max(l.Max, after)
	}
	edge := &m.flow.Problem.Application.Edges[e]
	l.Batch = m.batch(e, room, ran.Virtual)
	l.Max = math.Min(room, l.Max+l.Batch)
	l.For = m.waitsFor(e, second)
	l.Chosen = len(m.groups(edge.To)) > 1
	for _, k := range []int{edge.From, edge.To} {
		p, r := m.flow.Problem, m.flow.Mapping.Place[k]
		if f := &p.Figures[k][r]; f.Times == nil && f.ServiceSCV < 0 && Variation(p, k, r) > 0 {
			l.Assumed = append(l.Assumed, k)
		}
	}
	return l
}

// batch returns the number of elements that an edge transfers at once between processes, or to or from a
// simulated FPGA.
func (m *Model) batch(e int, room float64, virtual bool) float64 {
	edge := &m.flow.Problem.Application.Edges[e]
	from, to := m.flow.Mapping.Place[edge.From], m.flow.Mapping.Place[edge.To]
	fpga := func(r int) bool { return m.flow.Problem.Architecture.Resources[r].Sharing.Rule == flow.AreaOnly }
	rate := m.solution.EdgeFlow[e] / edge.ElementBytes
	switch {
	case from == to:
		return 0
	case fpga(from) != fpga(to):
		return math.Floor(math.Min(rate*exchangeTime, room))
	case virtual:
		return 0
	}
	return math.Floor(min(rate*batchTime, batchGrows/edge.ElementBytes, room/batchParts))
}

// longest returns the maximum queue length that lasts for at least one sampling interval, which is 1/looks of the run.
// If looks is 0, it returns the maximum length at any time.
func longest(out *Outcome, e, looks int) float64 {
	if looks == 0 || len(out.Held[e]) == 0 {
		return float64(out.Max[e])
	}
	left := 0.0
	for n := len(out.Held[e]) - 1; n > 0; n-- {
		if left += out.Held[e][n]; left*float64(looks) >= 1 {
			return float64(n)
		}
	}
	return 0
}

// waitsFor returns the edge for which the elements of e wait at a join, or -1 for none. It considers the edge with the
// shortest mean queue, in firings. The queue of e must be more than longer times as long.
func (m *Model) waitsFor(e int, out *Outcome) int {
	of := func(e, g, i int, list []group) float64 { return meanQueued(out.Held[e]) / list[g].consumes[i] }
	list := m.groups(m.flow.Problem.Application.Edges[e].To)
	for g := range list {
		at := slices.Index(list[g].edges, e)
		if at < 0 || len(list[g].edges) < 2 {
			continue
		}
		own, minimum, other := of(e, g, at, list), math.Inf(1), -1
		for i, x := range list[g].edges {
			if v := of(x, g, i, list); x != e && v < minimum {
				minimum, other = v, x
			}
		}
		if meanQueued(out.Held[e]) >= 1 && own > longer*minimum {
			return other
		}
	}
	return -1
}

func meanQueued(stored []float64) float64 {
	sum := 0.0
	for n, part := range stored {
		sum += float64(n) * part
	}
	return sum
}
