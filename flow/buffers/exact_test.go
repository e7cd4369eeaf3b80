package buffers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"xopt/flow"
	"xopt/queueing/sdf"
)

// randomStatic draws a static application with one core per kernel: a tree, edges that merge its branches, and
// feedback edges with initial elements. Times are whole microseconds.
func randomStatic(r *rand.Rand, kernels, extra int) (*flow.Problem, *flow.Mapping) {
	p := &flow.Problem{MaxUtilization: 1}
	app := &p.Application
	q, times := make([]int, kernels), make([]float64, kernels)
	for k := range kernels {
		q[k] = 1 + r.IntN(4)
		times[k] = float64(1+r.IntN(20)) * 1e-6
		app.Kernels = append(app.Kernels, flow.Kernel{Name: fmt.Sprintf("k%d", k), Gain: 1})
		p.Architecture.Resources = append(p.Architecture.Resources, flow.Resource{Name: fmt.Sprintf("c%d", k)})
	}
	join := func(from, to int, initial bool) {
		common := gcdOf(q[from], q[to])
		emits, consumes := q[to]/common, q[from]/common
		e := flow.Edge{Name: fmt.Sprintf("e%d", len(app.Edges)), From: from, To: to, Emits: emits,
			FromPort: fmt.Sprintf("y%d", len(app.Edges)), ToPort: fmt.Sprintf("x%d", len(app.Edges)),
			ElementBytes: float64(1 + r.IntN(8))}
		if initial {
			e.Initial = consumes*q[to] + r.IntN(3*consumes)
		}
		k := &app.Kernels[to]
		if k.Joins == nil {
			k.Joins = []flow.Join{{}}
		}
		k.Joins[0].Ports = append(k.Joins[0].Ports, flow.JoinPort{Name: e.ToPort, Edges: []int{len(app.Edges)},
			Bytes: float64(consumes) * e.ElementBytes})
		app.Edges = append(app.Edges, e)
	}
	for k := 1; k < kernels; k++ {
		join(r.IntN(k), k, false)
	}
	for range extra {
		from, to := r.IntN(kernels), r.IntN(kernels)
		join(from, to, from >= to)
	}
	m := &flow.Mapping{}
	for k := range kernels {
		in, out := 0.0, 0.0
		for e := range app.Edges {
			edge := &app.Edges[e]
			if edge.To == k {
				in += float64(edge.Emits) * edge.ElementBytes * float64(q[edge.From]) / float64(q[k])
			}
			if edge.From == k {
				out += float64(edge.Emits) * edge.ElementBytes
			}
		}
		for e := range app.Edges {
			if edge := &app.Edges[e]; edge.From == k {
				edge.Routing = float64(edge.Emits) * edge.ElementBytes / out
			}
		}
		consumed := in
		if in > 0 && out > 0 {
			app.Kernels[k].Gain = out / in
		} else if in == 0 {
			consumed = out
		}
		row := make([]flow.Figures, kernels)
		row[k] = flow.Figures{Available: true, ServiceRate: consumed / times[k]}
		p.Figures = append(p.Figures, row)
		m.Place = append(m.Place, k)
	}
	all := make([]int, kernels)
	for k := range all {
		all[k] = k
	}
	p.Architecture.Links = []flow.Link{{Name: "bus", Endpoints: all, Bandwidth: math.Inf(1)}}
	return p, m
}

func gcdOf(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// TestExactAgreesWithFlow: without cycles and with buffers without end, the throughput of the exact
// analysis is the flow bound.
func TestExactAgreesWithFlow(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		p, m := randomStatic(r, 2+r.IntN(7), 0)
		n, err := flow.NewNetwork(p, m)
		if err != nil {
			t.Fatal(seed, err)
		}
		s, err := flow.Fast{}.Solve(context.Background(), n)
		if err != nil {
			t.Fatal(seed, err)
		}
		x, err := Static(n)
		if err != nil {
			t.Fatal(seed, err)
		}
		got, err := x.Throughput(make([]float64, len(p.Application.Edges)))
		if err != nil || math.Abs(got/s.Throughput-1) > 1e-9 {
			t.Fatalf("seed %d: %g bytes/s, %v; the flow bound is %g", seed, got, err, s.Throughput)
		}
		front, err := x.Graph.Front(context.Background(), sdf.FrontOptions{})
		if err != nil {
			t.Fatal(seed, err)
		}
		last := front.Points[len(front.Points)-1]
		if !front.Exact || math.Abs(x.rate(last.Period)/s.Throughput-1) > 1e-9 {
			t.Fatalf("seed %d: the front ends at %+v, exact %v", seed, last, front.Exact)
		}
		sizes := make([]float64, len(p.Application.Edges))
		for c, e := range x.Edge {
			sizes[e] = float64(last.Capacities[c])
		}
		if at, err := x.Throughput(sizes); err != nil || at != x.rate(last.Period) {
			t.Fatalf("seed %d: %g with the sizes of the last point, %v; the front has %g", seed, at, err,
				x.rate(last.Period))
		}
	}
}

// TestLeastStatic: an application runs with the least sizes. With one element less on any edge that is not at
// its own bound it deadlocks, and the reason states so.
func TestLeastStatic(t *testing.T) {
	shared := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		p, _ := randomStatic(r, 3+r.IntN(5), r.IntN(4))
		flows, err := flow.NewFlows(&p.Application, 0)
		if err != nil {
			continue // a loop that multiplies
		}
		minimum, err := MinStatic(&p.Application, flows)
		var stuck *sdf.Stuck
		if errors.As(err, &stuck) {
			continue // a loop with too few initial elements
		}
		if err != nil {
			t.Fatal(seed, err)
		}
		g := Counts(&p.Application, flows)
		sizes := make([]float64, len(minimum))
		for e, x := range minimum {
			sizes[e] = x.Elements
		}
		if stuck, err := g.Stuck(sizes); err != nil || stuck != nil {
			t.Fatal(seed, stuck, err)
		}
		for e, x := range minimum {
			sizes[e]--
			stuck, err := g.Stuck(sizes)
			if sizes[e]++; stuck == nil && err == nil && x.Elements > 1 {
				t.Fatalf("seed %d: %s does with less than %g (%s)", seed, p.Application.Edges[e].Name, x.Elements,
					x.Why)
			}
			if x.Shared {
				shared++
				if !strings.HasPrefix(x.Why, "with a smaller buffer, another edge needs more space: ") {
					t.Errorf("seed %d: %s", seed, x.Why)
				}
			}
		}
	}
	if shared < 20 {
		t.Errorf("only %d sizes depend on others", shared)
	}
}

// TestInexact: the error names each property that is not static.
func TestInexact(t *testing.T) {
	for want, change := range map[string]func(*flow.Problem, *flow.Mapping){
		"no emit declares how many elements a firing of k0 sends on y0": func(p *flow.Problem, _ *flow.Mapping) {
			p.Application.Edges[0].Emits = 0
		},
		"no constant time is stated for the firings of k1": func(p *flow.Problem, _ *flow.Mapping) {
			p.Figures[1][1].ServiceSCV = -1
		},
		"the time of a firing of k1 varies (scv 0.5)": func(p *flow.Problem, _ *flow.Mapping) {
			p.Figures[1][1].ServiceSCV = 0.5
		},
		"k0 and k1 share c0": func(p *flow.Problem, m *flow.Mapping) {
			p.Figures[1][0] = p.Figures[1][1]
			m.Place[1] = 0
		},
		"share bus": func(p *flow.Problem, _ *flow.Mapping) { p.Architecture.Links[0].Bandwidth = 1e9 },
		"bus moves up to": func(p *flow.Problem, _ *flow.Mapping) {
			p.Architecture.Links[0].Bandwidth = 1e9
			p.Architecture.Links[0].Sharing = flow.Sharing{Rule: flow.Bulk, TransferBytes: 4096}
		},
	} {
		p, m := randomStatic(rand.New(rand.NewPCG(1, 1)), 3, 0)
		change(p, m)
		n, err := flow.NewNetwork(p, m)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Static(n)
		var inexact *Inexact
		if !errors.As(err, &inexact) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestExactLink: an edge with a link of its own is limited by the link and its latency, because data in flight
// need space in the buffer.
func TestExactLink(t *testing.T) {
	p, m := randomStatic(rand.New(rand.NewPCG(3, 1)), 2, 0)
	e := &p.Application.Edges[0]
	p.Architecture.Links[0].Bandwidth = e.ElementBytes / 5e-6
	p.Architecture.Links[0].Latency = 1e-3
	n, err := flow.NewNetwork(p, m)
	if err != nil {
		t.Fatal(err)
	}
	x, err := Static(n)
	if err != nil {
		t.Fatal(err)
	}
	maximum, err := x.Throughput([]float64{0})
	if err != nil {
		t.Fatal(err)
	}
	s, err := flow.Fast{}.Solve(context.Background(), n)
	if err != nil || math.Abs(maximum/s.Throughput-1) > 1e-9 {
		t.Errorf("%g bytes/s, %v; the flow bound is %g", maximum, err, s.Throughput)
	}
	small, err := x.Throughput([]float64{40})
	if err != nil || !(small < maximum && small < 41*e.ElementBytes/1e-3) {
		t.Errorf("%g bytes/s with 40 elements and 1 ms on the way, %v", small, err)
	}
	n.Problem.Architecture.Links[0].Jitter = 1e-6
	var inexact *Inexact
	if _, err := Static(n); !errors.As(err, &inexact) {
		t.Errorf("with jitter: %v, want that nothing is exact", err)
	}
}
