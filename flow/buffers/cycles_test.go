package buffers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"xopt/flow"
)

// staticCycles draws an application with static rates, joins and feedback edges. Each kernel has a core and
// each edge a link of its own.
func staticCycles(r *rand.Rand, firings int, bandwidth float64) (*flow.Problem, *flow.Mapping) {
	kernels := 2 + r.IntN(4)
	p := &flow.Problem{MaxUtilization: 1, JoinTolerance: 1e-9}
	m := &flow.Mapping{}
	app := &p.Application
	fires, out, in := make([]int, kernels), make([]float64, kernels), make([]float64, kernels)
	ports := make([][]flow.JoinPort, kernels)
	for k := range fires {
		fires[k] = 1 + r.IntN(firings)
		m.Place = append(m.Place, k)
		p.Architecture.Resources = append(p.Architecture.Resources, flow.Resource{Name: fmt.Sprintf("r%d", k),
			Area: flow.Area{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)}})
	}
	edge := func(from, to, turns int) {
		n := len(app.Edges)
		both := fires[from] * fires[to]
		e := flow.Edge{Name: fmt.Sprintf("e%d", n), From: from, To: to, FromPort: fmt.Sprintf("y%d", n),
			ToPort: fmt.Sprintf("x%d", n), ElementBytes: 8, Emits: both / fires[from], Initial: turns * both}
		if turns > 0 {
			e.Initial -= r.IntN(both)
		}
		out[from] += float64(e.Emits)
		in[to] += float64(both / fires[to])
		ports[to] = append(ports[to], flow.JoinPort{Name: e.ToPort, Edges: []int{n},
			Bytes: 8 * float64(both/fires[to])})
		app.Edges = append(app.Edges, e)
		route := []int{}
		if from != to {
			route = []int{len(p.Architecture.Links)}
			p.Architecture.Links = append(p.Architecture.Links, flow.Link{Name: fmt.Sprintf("l%d", n),
				Endpoints: []int{from, to}, Bandwidth: bandwidth, Latency: float64(r.IntN(4)) / 4})
		}
		m.Route = append(m.Route, route)
	}
	for k := 1; k < kernels; k++ {
		edge(r.IntN(k), k, 0)
	}
	for range 1 + r.IntN(2) {
		to := 1 + r.IntN(kernels-1)
		edge(to+r.IntN(kernels-to), to, 1+r.IntN(2))
	}
	for e := range app.Edges {
		app.Edges[e].Routing = float64(app.Edges[e].Emits) / out[app.Edges[e].From]
	}
	for k := range fires {
		kernel := flow.Kernel{Name: fmt.Sprintf("k%d", k), Gain: 1}
		bytes := 8 * out[k] // per firing; for a source, of the port with most elements
		if in[k] > 0 {
			kernel.Gain, kernel.Joins = out[k]/in[k], []flow.Join{{Ports: ports[k]}}
			bytes = 8 * in[k]
		}
		app.Kernels = append(app.Kernels, kernel)
		row := make([]flow.Figures, kernels)
		for x := range row {
			row[x] = flow.Figures{Available: true, ServiceRate: bytes / (float64(1+r.IntN(16)) / 8)}
		}
		p.Figures = append(p.Figures, row)
	}
	return p, m
}

// TestCyclesAgree: the bound of cycles equals the exact analysis of the same mapping if links add no time, and
// is at least as large otherwise.
func TestCyclesAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 3))
	equal, above, limited := 0, 0, 0
	for i := range 900 {
		bandwidth, firings := math.Inf(1), 1+i%3
		if i%2 == 0 {
			bandwidth = 64
		}
		p, m := staticCycles(r, firings, bandwidth)
		n, err := flow.NewNetwork(p, m)
		if errors.Is(err, flow.ErrCycle) {
			continue // too few elements
		}
		if err != nil {
			t.Fatal(err)
		}
		s, err := flow.Fast{}.Solve(context.Background(), n)
		if err != nil {
			t.Fatal(err)
		}
		x, err := Static(n)
		if errors.As(err, new(*Inexact)) {
			continue // a source whose firings differ from its output
		}
		if err != nil {
			t.Fatal(err)
		}
		rate, _, err := x.Graph.Throughput()
		if err != nil {
			t.Fatal(err)
		}
		truth := rate.Rate() / x.Unit * x.Bytes
		switch ratio := s.Throughput / truth; {
		case math.Abs(ratio-1) <= 1e-9:
			equal++
			if n.Limits[s.Bottlenecks[0].Limits[0]].Cycle != nil {
				limited++
			}
		case ratio > 1 && bandwidth == 64 && firings > 1:
			above++
		default:
			t.Fatalf("%d: the bound is %.12g, exact analysis says %.12g; %s limits", i, s.Throughput, truth,
				s.Limiting(n))
		}
	}
	if equal < 300 || limited < 40 || above > equal/10 {
		t.Errorf("%d equal, of which cycles limit %d; %d above", equal, limited, above)
	}
}
