package record

import (
	"xopt/deploy/program"
	"xopt/mapper/result"
)

// buffers takes in what the buffers took, and which of them grew.
func (r *recorder) buffers() {
	b := &r.from.Buffers
	x := &result.MeasuredBuffers{Start: result.Number(b.Start), Most: result.Number(b.Most),
		Touched: result.Number(b.Touched), Limit: result.Number(b.Limit)}
	for _, g := range b.Grown {
		x.Grown = append(x.Grown, result.GrownBuffer{Edge: r.design.Program.Edges[g.Edge].Name,
			Time: result.Number(g.At), From: g.From, To: g.To, All: result.Number(g.Bytes), Why: g.Why})
	}
	r.out.Buffers = x
}

// paths takes in the latencies from sources to sinks.
func (r *recorder) paths() {
	p := r.design.Program
	for i := range r.from.Taps {
		t := &r.from.Taps[i]
		if t.Kind != program.Latency || len(t.Path) == 0 || t.Bins.N == 0 || t.When != nil || t.Frame > 0 {
			continue
		}
		first, last := p.Edges[t.Path[0]], p.Edges[t.Path[len(t.Path)-1]]
		if len(p.Kernels[first.From].Inputs) > 0 || len(p.Kernels[last.To].Outputs) > 0 {
			continue
		}
		x := result.PathLatency{From: p.Kernels[first.From].Name, To: p.Kernels[last.To].Name,
			Latency: newDistribution(t, &t.Total)}
		for _, e := range t.Path {
			x.Edges = append(x.Edges, p.Edges[e].Name)
		}
		x.P50, x.P99 = x.Latency.TailQuantile(0.5), x.Latency.TailQuantile(0.99)
		x.P999 = x.Latency.TailQuantile(0.999)
		r.out.Paths = append(r.out.Paths, x)
	}
}
