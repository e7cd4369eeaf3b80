package predict

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/mapper/result"
	"xopt/queueing/sdf"
)

// The limits of the simulations with enlarged buffers.
const (
	// bufferLimit is the maximum number of events of a simulation for which the cost of single buffers is also
	// simulated.
	bufferLimit = 800_000
	// triedEdges is the maximum number of edges for which this cost is simulated: the edges with the longest blocking
	// times.
	triedEdges = 3
	// minBlocked is the minimum fraction of the time for which the writer of such an edge waits.
	minBlocked = 1e-3
)

// WithBuffers simulates a mapping with the buffer sizes of the files, and with recommended sizes for the other edges.
func (z *Sized) WithBuffers(ctx context.Context, seed uint64) (*result.WithBuffers, error) {
	if z.with != nil && z.with.Seed == seed {
		return z.with, nil
	}
	d, n := z.design, z.network
	sizes, which := z.simulated()
	sim, out, err := z.steady(ctx, sizes, buffers.ConfirmRule(seed))
	if err != nil {
		return nil, err
	}
	w := &result.WithBuffers{Throughput: result.Number(out.Throughput.Value), Interval: &[2]result.Number{
		result.Number(out.Throughput.Low), result.Number(out.Throughput.High)}, Level: buffers.Simulated.String(),
		Sizes: which, Events: out.Events, Seed: seed, Stopped: out.Stopped, Unsettled: out.Unsettled}
	if w.Unsettled != "" {
		w.Level = buffers.Heuristic.String()
	}
	w.Latency = simulatedLatency(out.Latency)
	for e := range sizes {
		edge := &d.Problem.Application.Edges[e]
		bytes := result.Number(float64(sizes[e]) * edge.ElementBytes)
		w.Edges = append(w.Edges, result.BufferedEdge{Edge: edge.Name, Elements: result.Number(sizes[e]), Bytes: bytes,
			Blocked: result.Number(out.Blocked[e])})
	}
	w.Memory = result.Number(flow.NewRings(d.Problem).Memory(n.Mapping, func(e int) float64 {
		return float64(sizes[e])
	}))
	for k, r := range n.Mapping.Place {
		switch f := &d.Problem.Figures[k][r]; {
		case f.Times != nil:
			w.Measured++
		case f.ServiceSCV < 0 && buffers.Variation(d.Problem, k, r) > 0:
			w.Exponential++
		}
	}
	exact, err := exactly(n, sizes, w)
	if err == nil && w.Unsettled != "" {
		err = out.Estimates()
	}
	if err == nil {
		per := out.Events / int64(len(out.Seeds))
		z.with, z.lossesKnown = w, false
		z.losses = losses{sim, exact, sizes, buffers.Steadiness{Seed: seed, Events: per, Fill: max(per, bufferLimit)}}
	}
	return w, err
}

// WithLosses simulates a mapping like [Sized.WithBuffers]. It then repeats the simulation with single buffers enlarged,
// and with all buffers enlarged.
func (z *Sized) WithLosses(ctx context.Context, seed uint64) (*result.WithBuffers, error) {
	w, err := z.WithBuffers(ctx, seed)
	if err != nil || w.Stopped != "" || z.lossesKnown {
		return w, err
	}
	err = z.losses.find(ctx, w)
	if err == nil && w.Worst() == nil && w.Costs(result.Number(z.solution.Throughput)) {
		err = z.losses.together(ctx, w)
	}
	z.lossesKnown = err == nil
	return w, err
}

// Ran simulates the mapping of a design with the buffer sizes of a run. sizes is in elements, by edge. It returns nil
// if the mapping cannot be simulated, or if the buffers do not reach a steady state within the simulation.
func Ran(ctx context.Context, d *design.Design, sizes []int, seed uint64) (*result.WithBuffers, error) {
	own := *d
	own.Buffers = make(map[int]int)
	for e, n := range sizes {
		if n > 0 {
			own.Buffers[e] = n
		}
	}
	sized, err := Size(ctx, &own, d.Mapping)
	if err != nil || !sized.Simulated() {
		return nil, err
	}
	w, err := sized.WithLosses(ctx, seed)
	if unfilled := (*buffers.Unfilled)(nil); errors.As(err, &unfilled) {
		return nil, nil
	}
	if err != nil || w.Unsettled != "" {
		return nil, err
	}
	return w, nil
}

// quickFill is the maximum number of events per seed for filling the buffers in [Sized.RateWithBuffers].
const quickFill = 200_000

// RateWithBuffers returns an estimate of the throughput of [Sized.WithBuffers], in B/s, from short simulations.
func (z *Sized) RateWithBuffers(ctx context.Context, seed uint64) (float64, error) {
	sizes, _ := z.simulated()
	rule := buffers.ConfirmRule(seed)
	rule.Limit, rule.Fill, rule.Latency = 0, quickFill, false
	_, out, err := z.steady(ctx, sizes, rule)
	if err != nil {
		return 0, err
	}
	w := result.WithBuffers{Throughput: result.Number(out.Throughput.Value * (1 - out.Behind)),
		Unsettled: out.Unsettled}
	if _, err = exactly(z.network, sizes, &w); err == nil && w.Unsettled != "" {
		err = out.Estimates()
	}
	return float64(w.Throughput), err
}

// steady simulates the mapping with the given sizes until its throughput is steady.
func (z *Sized) steady(ctx context.Context, sizes []int, rule buffers.Steadiness) (*buffers.Simulation,
	*buffers.Outcome, error) {
	model, err := buffers.Network(z.network, z.solution, buffers.Setting{})
	if err != nil {
		return nil, nil, err
	}
	sim, err := model.Simulator()
	if err != nil {
		return nil, nil, err
	}
	out, err := sim.Steady(ctx, sizes, rule)
	return sim, out, err
}

// exactly replaces the simulated throughput by the exact throughput if counts and times are static. If counts are
// static and the sizes cause a deadlock, it sets the throughput to 0 and describes the deadlock.
func exactly(n *flow.Network, sizes []int, w *result.WithBuffers) (*buffers.Exact, error) {
	elements := elementsOf(sizes)
	if counts := buffers.Counts(&n.Problem.Application, n.Flows); counts != nil {
		if stuck, err := counts.Stuck(elements); err == nil && stuck != nil {
			w.Throughput, w.Interval, w.Latency = 0, nil, nil
			w.Level, w.Stopped, w.Unsettled = buffers.Proven.String(), stuck.Error(), ""
			return nil, nil
		}
	}
	exact, err := buffers.Static(n)
	var inexact *buffers.Inexact
	if errors.As(err, &inexact) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rate, err := exact.Throughput(elements)
	if errors.Is(err, sdf.ErrTooLarge) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("analysing buffers exactly: %w", err)
	}
	w.Throughput, w.Interval, w.Level, w.Unsettled = result.Number(rate), nil, buffers.Proven.String(), ""
	return exact, nil
}

// simulated returns the sizes for a simulation, in elements by edge: the stated size of an edge, or else its
// recommended size. which describes their origin.
func (z *Sized) simulated() (sizes []int, which string) {
	d, list := z.design, z.sizes
	sizes = make([]int, len(list))
	for e := range list {
		sizes[e] = int(min(list[e].Elements, maxSimulated))
		if given, ok := d.Buffers[e]; ok {
			sizes[e] = given
		}
	}
	if given := len(d.Buffers); given > 0 && given < len(list) {
		resolveDeadlock(d, z.network, sizes)
	}
	switch len(d.Buffers) {
	case 0:
		return sizes, "recommended"
	case len(list):
		return sizes, "given"
	}
	return sizes, "given, else recommended"
}

// resolveDeadlock enlarges recommended sizes if, in combination with stated sizes, they cause a deadlock that larger
// sizes resolve.
func resolveDeadlock(d *design.Design, n *flow.Network, sizes []int) {
	counts := buffers.Counts(&n.Problem.Application, n.Flows)
	if counts == nil {
		return
	}
	const maximum = 1000
	for range maximum {
		stuck, err := counts.Stuck(elementsOf(sizes))
		if err != nil || stuck == nil {
			return
		}
		larger := false
		for _, w := range stuck.Cycle {
			if _, given := d.Buffers[counts.Edge[w.Channel]]; w.Full && !given {
				sizes[counts.Edge[w.Channel]], larger = int(w.Need), true
				break
			}
		}
		if !larger {
			return
		}
	}
}

func elementsOf(sizes []int) []float64 {
	elements := make([]float64, len(sizes))
	for e := range sizes {
		elements[e] = float64(sizes[e])
	}
	return elements
}

// maxSimulated is the size in elements at which a buffer counts as unlimited.
const maxSimulated = 1 << 30

// losses computes the throughput that is lost because of single buffers.
type losses struct {
	sim   *buffers.Simulation
	exact *buffers.Exact // nil if the throughput is simulated
	sizes []int
	rule  buffers.Steadiness
}

// find enlarges, one at a time, the buffers of the edges whose writers wait longest. For each, it computes the
// throughput with the same simulation or exact analysis. The enlarged buffer is limited: with an unlimited buffer, a
// writer never waits, and may use core time that the bottleneck's kernels need. For example, in mapA2 of gayen-veritas,
// top.read would use 97 % of proc[1], and the throughput would fall by 15 %.
func (l *losses) find(ctx context.Context, w *result.WithBuffers) error {
	order := make([]int, len(w.Edges))
	for e := range order {
		order[e] = e
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(w.Edges[b].Blocked, w.Edges[a].Blocked)
	})
	for _, e := range order[:min(triedEdges, len(order))] {
		if w.Edges[e].Blocked < minBlocked {
			break
		}
		other := slices.Clone(l.sizes)
		other[e] = enlarged(other[e])
		if l.exact != nil {
			rate, err := l.exact.Throughput(elementsOf(other))
			if err != nil {
				return fmt.Errorf("analysing a larger buffer of %s: %w", w.Edges[e].Edge, err)
			}
			w.Edges[e].Enlarged = result.Number(rate)
			continue
		}
		out, err := l.sim.Steady(ctx, other, l.rule)
		if err != nil {
			return fmt.Errorf("simulating a larger buffer of %s: %w", w.Edges[e].Edge, err)
		}
		if out.Unsettled == "" {
			w.Edges[e].Enlarged = result.Number(out.Throughput.Value)
		}
	}
	return nil
}

// enlarged returns a size in elements for a simulation of larger buffers.
func enlarged(size int) int { return int(min(result.EnlargedTimes*float64(size), maxSimulated)) }

// together computes the throughput with all buffers enlarged.
func (l *losses) together(ctx context.Context, w *result.WithBuffers) error {
	large := slices.Clone(l.sizes)
	for e := range large {
		large[e] = enlarged(large[e])
	}
	if l.exact != nil {
		rate, err := l.exact.Throughput(elementsOf(large))
		if err != nil {
			return fmt.Errorf("analysing large buffers: %w", err)
		}
		w.Large = result.Number(rate)
		return nil
	}
	out, err := l.sim.Steady(ctx, large, l.rule)
	if err != nil {
		return fmt.Errorf("simulating large buffers: %w", err)
	}
	w.Large = result.Number(out.Throughput.Value * (1 - out.Behind))
	return nil
}
