package predict

import (
	"context"
	"fmt"
	"slices"

	"xopt/flow"
	"xopt/internal/design"
	"xopt/internal/result"
	"xopt/mapper/buffers"
	"xopt/queueing/maxplus"
)

// How a mapping is simulated with its buffers.
const (
	bufferEvents = 200_000
	bufferLimit  = 4 * bufferEvents
	bufferSeed   = 1
	// triedEdges is for how many edges, those whose writers wait longest, it is tried what they cost.
	triedEdges = 3
	// leastBlocked is for which part of the time a writer must wait for that.
	leastBlocked = 1e-3
)

// WithBuffers simulates a mapping with the sizes of buffers that the files give, and the recommended
// where they give none.
func WithBuffers(ctx context.Context, d *design.Design, m *flow.Mapping) (*result.WithBuffers, error) {
	n, err := flow.NewNetwork(d.Problem, m)
	if err != nil {
		return nil, err
	}
	s, err := flow.Fast{}.Solve(ctx, n)
	if err != nil {
		return nil, err
	}
	model, err := buffers.Network(n, s, buffers.Setting{})
	if err != nil {
		return nil, err
	}
	sim, err := model.Simulator()
	if err != nil {
		return nil, err
	}
	sizes, which, err := sizesOf(ctx, d, n, s)
	if err != nil {
		return nil, err
	}
	out, err := sim.Surely(ctx, sizes, maxplus.Options{Events: model.Events(bufferEvents), Seed: bufferSeed,
		Latency: true},
		bufferLimit)
	if err != nil {
		return nil, err
	}
	w := &result.WithBuffers{Throughput: result.Number(out.Throughput.Value), Interval: [2]result.Number{
		result.Number(out.Throughput.Low), result.Number(out.Throughput.High)}, Level: buffers.Simulated.String(),
		Sizes: which, Events: out.Events, Seed: bufferSeed, Stopped: out.Stopped}
	w.Latency = simulatedLatency(out.Latency)
	for e := range sizes {
		edge := &d.Problem.Application.Edges[e]
		bytes := result.Number(float64(sizes[e]) * edge.ElementBytes)
		w.Memory += bytes
		w.Edges = append(w.Edges, result.BufferedEdge{Edge: edge.Name, Elements: result.Number(sizes[e]), Bytes: bytes,
			Blocked: result.Number(out.Blocked[e])})
	}
	for k, r := range n.Mapping.Place {
		switch f := &d.Problem.Figures[k][r]; {
		case f.Times != nil:
			w.Measured++
		case f.ServiceSCV < 0 && buffers.Variation(d.Problem, k, r) > 0:
			w.Exponential++
		}
	}
	if w.Stopped == "" {
		err = losses(ctx, sim, sizes, w)
	}
	return w, err
}

// sizesOf are the sizes by edge: those given, and the recommended.
func sizesOf(ctx context.Context, d *design.Design, n *flow.Network, s *flow.Solution) (sizes []int, which string,
	err error) {
	list, err := buffers.Verified(ctx, n, s)
	if err != nil {
		return nil, "", err
	}
	sizes = make([]int, len(list))
	for e := range list {
		sizes[e] = int(min(list[e].Elements, maxSimulated))
		if given, ok := d.Buffers[e]; ok {
			sizes[e] = given
		}
	}
	switch len(d.Buffers) {
	case 0:
		return sizes, "recommended", nil
	case len(list):
		return sizes, "given", nil
	}
	return sizes, "given, else recommended", nil
}

// maxSimulated is from how many elements on a buffer is as good as one without end.
const maxSimulated = 1 << 30

// losses finds what the buffers cost that are waited for longest: the same simulation, with one
// of them without end.
func losses(ctx context.Context, sim *buffers.Simulation, sizes []int, w *result.WithBuffers) error {
	order := make([]int, len(w.Edges))
	for e := range order {
		order[e] = e
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := w.Edges[a].Blocked, w.Edges[b].Blocked; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	for _, e := range order[:min(triedEdges, len(order))] {
		if w.Edges[e].Blocked < leastBlocked {
			break
		}
		other := slices.Clone(sizes)
		other[e] = 0
		out, err := sim.Run(ctx, other, maxplus.Options{Events: w.Events, Seed: bufferSeed})
		if err != nil {
			return fmt.Errorf("simulating %s without end: %w", w.Edges[e].Edge, err)
		}
		w.Edges[e].Unlimited = result.Number(out.Throughput.Value)
	}
	return nil
}
