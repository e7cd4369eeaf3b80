package predict

import (
	"context"

	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/mapper/result"
	"xopt/queueing/maxplus"
)

// BufferFront computes the trade-off between the buffer memory and the throughput of a mapping. The error is a
// *[buffers.MemoryError] if the memory limit is too small.
func (z *Sized) BufferFront(ctx context.Context, o buffers.FrontOptions) (*result.BufferFront, error) {
	d := z.design
	start := make([]int, len(z.sizes))
	for e := range start {
		start[e] = int(min(z.sizes[e].Elements, maxSimulated))
	}
	front, err := buffers.NewFront(ctx, z.network, z.solution, start, o)
	if err != nil {
		return nil, err
	}
	out := &result.BufferFront{Level: buffers.Simulated.String(), Why: front.Why, Keep: result.Number(front.Keep),
		Bound: result.Number(front.Bound), Max: result.Number(front.Max), Low: result.Number(front.Low),
		Seeds: front.Seeds, Seed: o.Seed, Simulations: front.Simulations, Events: front.Events, Minimal: front.Minimal,
		Chosen: front.Chosen, Limited: front.Limited}
	if front.Exact {
		out.Level = buffers.Proven.String()
	}
	if x := front.MaxInterval; !front.Exact {
		out.MaxInterval = &[2]result.Number{result.Number(x[0]), result.Number(x[1])}
	}
	if front.Unsettled != "" {
		out.Doubts = append(out.Doubts, front.Unsettled)
	}
	if !front.Exact {
		out.Doubts = append(out.Doubts, meetings(&d.Problem.Application, front.Meets)...)
	}
	if len(out.Doubts) > 0 {
		out.Level = buffers.Heuristic.String()
	}
	if c := front.Confirmed; c != nil {
		out.Enlarged, out.Insufficient = result.Number(front.Enlarged), result.Number(front.Insufficient)
		out.Longer = &result.LongerRun{Throughput: result.Number(c.Throughput.Value), Interval: &[2]result.Number{
			result.Number(c.Throughput.Low), result.Number(c.Throughput.High)}, Events: c.Events, Seed: o.Seed}
	}
	if x := front.Start; x != nil {
		out.Recommended = &result.BufferPoint{Memory: result.Number(x.Memory),
			Throughput: result.Number(x.Throughput), Elements: x.Sizes}
		out.RecommendedLow = result.Number(front.StartLow)
	}
	for i := range front.Points {
		p := &front.Points[i]
		out.Points = append(out.Points, result.BufferPoint{Memory: result.Number(p.Memory),
			Throughput: result.Number(p.Throughput), Latency: simulatedLatency(p.Latency), Elements: p.Sizes})
	}
	for e, size := range front.Points[front.Chosen].Sizes {
		edge := &d.Problem.Application.Edges[e]
		out.Edges = append(out.Edges, result.BufferSize{Edge: edge.Name, Elements: result.Number(size),
			Bytes: result.Number(float64(size) * edge.ElementBytes), Min: result.Number(z.sizes[e].Minimum.Elements),
			Floor: result.Number(front.Floor[e].Elements), Why: front.Floor[e].Why,
			Recommended: result.Number(z.sizes[e].Elements)})
	}
	return out, nil
}

// simulatedLatency converts a simulated latency for the result; nil if no element reached a sink.
func simulatedLatency(l *maxplus.LatencyResult) *result.SimulatedLatency {
	if l == nil {
		return nil
	}
	return &result.SimulatedLatency{Mean: result.Number(l.Mean), P50: result.Number(l.P50),
		P99: result.Number(l.P99), P999: result.Number(l.P999), Growing: !l.Steady}
}

// meetings returns a text for each distinct reason in whys, with the edges that have this reason.
func meetings(app *flow.Application, whys []string) []string {
	var order []string
	edges := make(map[string]string)
	for e, why := range whys {
		if why == "" {
			continue
		}
		if _, isKnown := edges[why]; !isKnown {
			order = append(order, why)
			edges[why] = app.Edges[e].Name
			continue
		}
		edges[why] += ", " + app.Edges[e].Name
	}
	for i, why := range order {
		order[i] = edges[why] + ": " + why
	}
	return order
}
