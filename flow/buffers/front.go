package buffers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"xopt/flow"
	"xopt/queueing/maxplus"
	"xopt/queueing/sdf"
)

// FrontOptions configures the search for sizes.
type FrontOptions struct {
	Keep float64 // fraction of the maximum throughput to preserve, in (0, 1); 0 for DefaultKeep
	// MaxMemory limits the bytes of all buffers; 0 means no limit.
	MaxMemory float64
	Seed      uint64
	Events    int64 // number of events of each simulation; 0 for frontEvents
	// Ideal omits the buffer space that only a real run needs, for batches between processes and for arrivals during
	// the turns of other kernels.
	Ideal bool

	trials int // limit of trials of a search; 0 for allTrials
}

// DefaultKeep is the fraction of the throughput that a search preserves by default.
const DefaultKeep = 0.99

// frontEvents is the number of events of each trial of a front, over all seeds. frontLimit replaces frontEvents if a
// kernel would otherwise fire too rarely, or if a few long firings would dominate the result.
const (
	frontEvents = 60_000
	frontLimit  = 1 << 20
	// sharedEvents replaces frontEvents for mappings with copies. A copy that is temporarily slow delays all other
	// copies, because splits and joins work in turns.
	sharedEvents = 4 * frontEvents
)

// Front is the trade-off between memory and throughput.
type Front struct {
	Points []FrontPoint // points in ascending order of memory and throughput
	Chosen int          // the point of least memory that preserves Keep of Max
	Bound  float64      // the flow bound, bytes/s
	Max    float64      // the throughput with large buffers, bytes/s; Keep is a fraction of Max
	// MaxInterval is the 95 % interval of Max; zero if the front is exact.
	MaxInterval [2]float64
	Keep        float64
	// Exact reports whether throughputs and sizes are exact. If not, they come from simulations, and Why is the reason.
	Exact bool
	Why   string
	// Minimal reports whether the search proved that less memory cannot preserve as much throughput. If not, the sizes
	// are the smallest that the search found.
	Minimal bool
	// Low is the lower end of the 95 % interval of the throughput with the chosen sizes. It comes from simulations with
	// Seeds seeds that the search did not use. Confirmed is the outcome of these simulations. If the front is exact,
	// Low is 0 and Confirmed is nil.
	Low       float64
	Seeds     int
	Confirmed *Outcome
	// Insufficient is the largest tried memory, in bytes, with which the throughput is certainly too low. Insufficient
	// is below the memory of the chosen sizes; 0 means none. For a memory between Insufficient and the memory of the
	// chosen sizes, the result depends on the random draws.
	Insufficient float64
	// Enlarged is the memory in bytes of the smallest sizes that the search found, if they were not confirmed and the
	// front has larger sizes instead.
	Enlarged float64
	// Start contains the recommended sizes, if they need less memory than the chosen sizes but are not confirmed.
	// StartLow is the lower end of the interval of their throughput, like Low.
	Start       *FrontPoint
	StartLow    float64
	Simulations int
	Events      int64 // number of events of each simulation
	Floor       []Minimum
	// Unsettled is the reason why the throughputs are uncertain: buffers were still filling when simulations ended.
	// Unsettled is empty if the simulations had settled.
	Unsettled string
	// Limited is the work limit that ended the search early; "" for none.
	Limited string
	// Meets lists, by edge, the reason why its size is uncertain (see [Size]); "" if the size is certain.
	Meets []string
}

// FrontPoint is a point of a front: a size for each edge, and the results.
type FrontPoint struct {
	Sizes      []int
	Memory     float64 // bytes of all buffers
	Throughput float64 // throughput, bytes/s
	Latency    *maxplus.LatencyResult
}

// NewFront explores the sizes of a mapping: exactly if all counts and times are static, else by simulation. The start
// sizes must be large enough for the target, like the recommended sizes. Because simulations search separately for each
// target, NewFront also searches for higher targets, and chooses the result with the least memory.
func NewFront(ctx context.Context, n *flow.Network, s *flow.Solution, start []int, o FrontOptions) (*Front, error) {
	if o.Keep == 0 {
		o.Keep = DefaultKeep
	}
	front, err := frontFor(ctx, n, s, start, o)
	if err != nil || front.Exact {
		return front, err
	}
	for _, keep := range [...]float64{0.95, DefaultKeep} {
		if keep <= o.Keep {
			continue
		}
		more := o
		more.Keep = keep
		higher, err := frontFor(ctx, n, s, start, more)
		var memory *MemoryError
		if errors.As(err, &memory) {
			break // more memory than allowed
		}
		if err != nil {
			return nil, err
		}
		front = minMemory(front, higher)
	}
	return front, nil
}

// minMemory returns the front of a target. If the chosen sizes of a higher target need less memory, it returns the
// front of the higher target.
func minMemory(front, higher *Front) *Front {
	if higher.Points[higher.Chosen].Memory >= front.Points[front.Chosen].Memory ||
		higher.Low < front.Keep*higher.Max {
		return front
	}
	chosen := *higher
	chosen.Keep, chosen.Minimal, chosen.Insufficient, chosen.Enlarged = front.Keep, false, 0, 0
	chosen.Start = nil
	if x := front.Start; x != nil && x.Memory < higher.Points[higher.Chosen].Memory {
		chosen.Start, chosen.StartLow = x, front.StartLow
	}
	chosen.Simulations += front.Simulations
	return &chosen
}

// frontFor is like NewFront, for one target only.
func frontFor(ctx context.Context, n *flow.Network, s *flow.Solution, start []int, o FrontOptions) (*Front, error) {
	model, err := Network(n, s, Setting{})
	if err != nil {
		return nil, err
	}
	sim, err := model.Simulator()
	if err != nil {
		return nil, err
	}
	floors := floor(n, s, o.Ideal)
	if _, err := Static(n); err != nil { // exact analysis is fast
		if err := below(n, floors, &o); err != nil {
			return nil, err
		}
	}
	rare, wide := sim.rareEvents()
	shared := sim.varies && slices.ContainsFunc(n.Problem.Application.Edges, func(e flow.Edge) bool { return e.Shared })
	if o.Events == 0 {
		seeds := 1.0
		if sim.varies {
			seeds = searchSeeds
		}
		minimum := float64(frontEvents)
		if shared {
			minimum = sharedEvents
		}
		o.Events = model.Events(int64(max(minimum, min(wide*steadySeeds, frontLimit)) / seeds))
	}
	x := newExplorer(ctx, sim, floors, o)
	x.wide = wide > rare || shared
	front, err := x.exact(n)
	var inexact *Inexact
	if errors.As(err, &inexact) {
		if err := below(n, floors, &o); err != nil {
			return nil, err
		}
		front, err = x.simulated(start)
		if front != nil {
			front.Why = inexact.Why
		}
	}
	if err != nil {
		return nil, err
	}
	front.Bound, front.Keep, front.Events, front.Floor = s.Throughput, o.Keep, x.o.Events, x.floor
	front.Meets = unknownMeetings(n.Problem)
	for e := range floors {
		if front.Meets[e] == "" {
			front.Meets[e] = floors[e].Unknown
		}
	}
	if err := x.checkLimit(n, front); err != nil {
		return nil, err
	}
	for i := range front.Points {
		limit := fillLimit * x.o.Events
		if i == front.Chosen {
			limit = max(limit, confirmLimit)
		}
		if err := x.latency(&front.Points[i], limit); err != nil {
			return nil, err
		}
	}
	front.Simulations, front.Limited = x.simulations, x.limited
	return front, nil
}

// floor returns the sizes from which the search starts. These sizes are sufficient for the runtime, and for each edge
// if all other edges are large. They ignore a deadlock that a larger size of any of several edges can resolve.
func floor(n *flow.Network, s *flow.Solution, ideal bool) []Minimum {
	p := n.Problem
	list := MinSizes(p, n.Flows, n.Mapping)
	members := make([]int, len(p.Architecture.Resources))
	for _, r := range n.Mapping.Place {
		members[r]++
	}
	for e := range list {
		edge := &p.Application.Edges[e]
		list[e] = Minimum{Elements: math.Ceil(max(list[e].Alone, float64(edge.Initial))), Why: list[e].AloneWhy,
			Unknown: list[e].Unknown}
		need := math.Ceil(bridge(p, members, [2]int{n.Mapping.Place[edge.From], n.Mapping.Place[edge.To]},
			s.EdgeFlow[e]/edge.ElementBytes, edge.ElementBytes))
		if !ideal && need > list[e].Elements {
			list[e].Elements, list[e].Why = need, whyRuns
		}
	}
	return list
}

// whyRuns is the reason for a floor that is due to the runtime.
const whyRuns = "batches between processes and scheduling rounds on cores, in a run"

// exact returns the front of a static graph.
func (x *explorer) exact(n *flow.Network) (*Front, error) {
	graph, err := Static(n)
	if err != nil {
		return nil, err
	}
	tooLarge := func() error {
		return &Inexact{fmt.Sprintf("an iteration with %d firings has too many sizes to try", x.sim.Firings)}
	}
	all, err := graph.above(x.ctx, x.floor, sdf.FrontOptions{})
	if errors.Is(err, sdf.ErrTooLarge) {
		return nil, tooLarge()
	}
	if err != nil {
		return nil, fmt.Errorf("exploring sizes: %w", err)
	}
	// The exploration adds up the memory of all edges. If edges share a ring, other sizes may need less memory than the
	// sizes of this front.
	front := &Front{Max: graph.rate(all.Max), Exact: true, Chosen: -1, Minimal: !x.rings.Shared(n.Mapping)}
	var points []FrontPoint
	for i := range all.Points {
		sizes := slices.Clone(x.floors)
		for c, e := range graph.Edge {
			sizes[e] = int(all.Points[i].Capacities[c])
		}
		points = append(points, FrontPoint{Sizes: sizes, Memory: x.memory(sizes),
			Throughput: graph.rate(all.Points[i].Period)})
	}
	slices.SortStableFunc(points, func(a, b FrontPoint) int { return cmp.Compare(a.Memory, b.Memory) })
	for _, p := range points {
		last := len(front.Points) - 1
		keeps := front.Chosen < 0 && p.Throughput >= x.o.Keep*front.Max*(1-exactRounding)
		if last >= 0 && !keeps && p.Throughput <= front.Points[last].Throughput*(1+pointRounding) {
			continue
		}
		front.Points = append(front.Points, p)
		if keeps {
			front.Chosen = last + 1
		}
	}
	if front.Chosen < 0 {
		return nil, tooLarge()
	}
	front.thin()
	return front, nil
}

// exactRounding is the relative tolerance for rounding an exact rate to a float, and times to ticks.
const exactRounding = 1e-9

// pointRounding is the relative difference in throughput below which two points count as one. Smaller differences do
// not appear in the output, and the analysis rounds times to ticks.
const pointRounding = 1e-6

// maxPoints limits the points of a front. A chart shows this number of points as a curve, and a page shows it in one
// table.
const maxPoints = 40

// thin reduces the number of points to maxPoints. It keeps the two ends, the chosen point, and the points that spread
// the throughput most evenly.
func (f *Front) thin() {
	throughputs := make([]float64, len(f.Points))
	for i := range f.Points {
		throughputs[i] = f.Points[i].Throughput
	}
	kept := Spread(throughputs, f.Chosen, maxPoints)
	points := make([]FrontPoint, len(kept))
	for i, at := range kept {
		points[i] = f.Points[at]
	}
	f.Points, f.Chosen = points, slices.Index(kept, f.Chosen)
}

// Spread returns the indices of at most n of a front's ascending throughputs: the two ends, the chosen index, and the
// indices that spread the throughput most evenly. chosen is -1 for none. n must be at least 3.
func Spread(throughputs []float64, chosen, n int) []int {
	kept := make([]int, len(throughputs))
	for i := range kept {
		kept[i] = i
	}
	for len(kept) > n {
		at, minimum := 1, math.Inf(1)
		for i := 1; i+1 < len(kept); i++ {
			gap := throughputs[kept[i+1]] - throughputs[kept[i-1]]
			if kept[i] != chosen && gap < minimum {
				at, minimum = i, gap
			}
		}
		kept = slices.Delete(kept, at, at+1)
	}
	return kept
}

// latency simulates a point again for its latency. It extends the simulation, up to a limit, while the latency still
// grows.
func (x *explorer) latency(p *FrontPoint, limit int64) error {
	for events := x.o.Events; ; events *= 2 {
		out, err := x.sim.Run(x.ctx, p.Sizes, maxplus.Options{Events: events, Seed: x.o.Seed, Latency: true})
		if err != nil {
			return err
		}
		x.simulations++
		p.Latency = out.Latency
		if events <= 0 || 2*events > limit || p.Latency != nil && p.Latency.Steady {
			return nil
		}
	}
}
