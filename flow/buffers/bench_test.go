package buffers_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/internal/testkit"
	"xopt/queueing/maxplus"
)

// longProblem is a chain of kernels on some cores. Every fourth kernel has a branch of its own that a join
// merges.
func longProblem(kernels, cores int) (*flow.Problem, *flow.Mapping) {
	p, m := &flow.Problem{}, &flow.Mapping{}
	app := &p.Application
	none := flow.Area{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)}
	link := flow.Link{Name: "mem", Bandwidth: 1e10, Sharing: flow.Sharing{Rule: flow.Equal}}
	for r := range cores {
		p.Architecture.Resources = append(p.Architecture.Resources, flow.Resource{Name: fmt.Sprintf("r%d", r),
			Platform: "C", Area: none})
		link.Endpoints = append(link.Endpoints, r)
	}
	p.Architecture.Links = []flow.Link{link}
	for k := range kernels {
		app.Kernels = append(app.Kernels, flow.Kernel{Name: fmt.Sprintf("k%d", k), Gain: 1})
		m.Place = append(m.Place, k*cores/kernels)
		row := make([]flow.Figures, cores)
		for r := range row {
			row[r] = flow.Figures{Available: true, ServiceRate: 1e8 * (1 + .1*float64(k%7)), ServiceSCV: 1}
		}
		p.Figures = append(p.Figures, row)
	}
	edge := func(from, to int, port string, routing float64, copied bool) int {
		app.Edges = append(app.Edges, flow.Edge{Name: fmt.Sprintf("e%d", len(app.Edges)), From: from, To: to,
			FromPort: port, ToPort: fmt.Sprintf("x%d", len(app.Edges)), ElementBytes: 64, Routing: routing,
			Copy: copied})
		return len(app.Edges) - 1
	}
	for k := 0; k+1 < kernels; k++ {
		if k%4 != 0 || k+3 >= kernels {
			edge(k, k+1, "y", 1, false)
			continue
		}
		edge(k, k+1, "y", .5, false)
		edge(k, k+2, "y", .5, true)
		if k > 0 { // its output goes both ways
			app.Kernels[k].Gain = 2
		}
		a, b := edge(k+1, k+3, "y", 1, false), edge(k+2, k+3, "y", 1, false)
		app.Kernels[k+3].Gain = .5
		app.Kernels[k+3].Joins = []flow.Join{{Ports: []flow.JoinPort{{Name: "u", Edges: []int{a}, Bytes: 64},
			{Name: "v", Edges: []int{b}, Bytes: 64}}}}
		k += 2
	}
	return p, m
}

// BenchmarkEvaluation is one evaluation of sizes as the search for sizes makes it: 100,000 firings of
// an application of 40 kernels. cpu-ms/op is the time of the processor, which other work does not
// change.
func BenchmarkEvaluation(b *testing.B) {
	for _, cores := range []int{40, 4} {
		b.Run(fmt.Sprintf("kernels=40/cores=%d", cores), func(b *testing.B) {
			p, m := longProblem(40, cores)
			n, s := solve(b, p, m)
			model, err := buffers.Network(n, s, buffers.Setting{})
			if err != nil {
				b.Fatal(err)
			}
			sim, err := model.Simulator()
			if err != nil {
				b.Fatal(err)
			}
			sizes := all(n, 16)
			b.ReportAllocs()
			start := testkit.CPUTime(b)
			for b.Loop() {
				out, err := sim.Run(context.Background(), sizes, maxplus.Options{Events: 100_000})
				if err != nil || out.Stopped != "" {
					b.Fatal(err, out.Stopped)
				}
			}
			b.ReportMetric(float64((testkit.CPUTime(b)-start).Microseconds())/1e3/float64(b.N), "cpu-ms/op")
		})
	}
}
