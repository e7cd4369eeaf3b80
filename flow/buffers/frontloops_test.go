package buffers

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"xopt/flow"
)

// looped draws a small static application with at least one loop with few initial elements, so that a deadlock
// has several ways out: more space on one edge of it, or on another. It returns nil if the draw has no flow.
func looped(r *rand.Rand) *flow.Network {
	p, m := randomStatic(r, 3+r.IntN(2), 1+r.IntN(2))
	loop := false
	for e := range p.Application.Edges {
		if edge := &p.Application.Edges[e]; edge.Initial > 0 && edge.From != edge.To {
			edge.Initial, loop = 1+r.IntN(8), true
		}
	}
	n, err := flow.NewNetwork(p, m)
	if !loop || err != nil {
		return nil
	}
	return n
}

// TestFrontLoops: the exact front of applications with loops equals the front of an exhaustive search over all
// sizes.
func TestFrontLoops(t *testing.T) {
	graphs, choices := 40, 3000.0
	if !testing.Short() { // the full ring
		graphs, choices = 300, 4000
	}
	ways, points := 0, 0
	for seed, tried := uint64(0), 0; tried < graphs; seed++ {
		n := looped(rand.New(rand.NewPCG(seed, 19)))
		if n == nil {
			continue
		}
		s, err := flow.Fast{}.Solve(context.Background(), n)
		if err != nil {
			continue
		}
		model, err := Network(n, s, Setting{})
		if err != nil {
			t.Fatal(seed, err)
		}
		sim, err := model.Simulator()
		if err != nil {
			t.Fatal(seed, err)
		}
		x := newExplorer(context.Background(), sim, floor(n, s, true), FrontOptions{Keep: DefaultKeep})
		front, err := x.exact(n)
		var inexact *Inexact
		if errors.As(err, &inexact) {
			t.Fatal(seed, err)
		}
		if err != nil {
			continue // a loop with too few initial elements
		}
		graph, err := Static(n)
		if err != nil {
			t.Fatal(seed, err)
		}
		last := front.Points[len(front.Points)-1]
		want := allChoices(graph, x, last.Memory, choices)
		if want == nil || len(front.Points) == maxPoints {
			continue // too many
		}
		tried++
		points += len(want)
		if several(n) {
			ways++
		}
		if len(want) != len(front.Points) {
			t.Fatalf("seed %d: %v, by all choices %v", seed, front.Points, want)
		}
		for i, p := range front.Points {
			if p.Memory != want[i].Memory || math.Abs(p.Throughput/want[i].Throughput-1) > pointRounding {
				t.Fatalf("seed %d: %+v, by all choices %+v", seed, p, want[i])
			}
		}
	}
	if ways < graphs/40 || points < 2*graphs {
		t.Errorf("only %d graphs where one edge may do for another, %d points", ways, points)
	}
}

// several reports whether the least sizes are one choice of several.
func several(n *flow.Network) bool {
	for _, l := range MinSizes(n.Problem, n.Flows, n.Mapping) {
		if l.Shared {
			return true
		}
	}
	return false
}

// allChoices tries all sizes up to a memory, from one element on; nil if there are more than maximum.
func allChoices(graph *Exact, x *explorer, memory, maximum float64) []FrontPoint {
	best := make(map[float64]float64)
	sizes := make([]float64, len(x.bytes))
	for e := range sizes {
		sizes[e] = math.Max(1, float64(x.sim.flow.Problem.Application.Edges[e].Initial))
	}
	count := 0.0
	var every func(e int, left float64)
	every = func(e int, left float64) {
		if e == len(sizes) {
			if count++; count > maximum {
				return
			}
			if got, err := graph.Throughput(sizes); err == nil {
				best[memory-left] = math.Max(best[memory-left], got)
			}
			return
		}
		before := sizes[e]
		rest := 0.0
		for k := e + 1; k < len(sizes); k++ {
			rest += sizes[k] * x.bytes[k]
		}
		for ; sizes[e]*x.bytes[e]+rest <= left && count <= maximum; sizes[e]++ {
			every(e+1, left-sizes[e]*x.bytes[e])
		}
		sizes[e] = before
	}
	every(0, memory)
	if count > maximum {
		return nil
	}
	points, reached := []FrontPoint{}, 0.0
	for m := 0.0; m <= memory; m++ {
		if best[m] > reached*(1+pointRounding) {
			reached = best[m]
			points = append(points, FrontPoint{Memory: m, Throughput: reached})
		}
	}
	return points
}

// TestTie: where room for one kernel of a core and work for another come at one instant, the one nearest
// the sinks goes first, as in a run; a link that takes no time does not change that.
func TestTie(t *testing.T) {
	app := flow.Application{Kernels: []flow.Kernel{{Name: "k0", Gain: 1}, {Name: "k1", Gain: .5},
		{Name: "k2", Gain: 1}},
		Edges: []flow.Edge{
			{Name: "e0", From: 0, To: 1, FromPort: "o0", ToPort: "i0", ElementBytes: 1, Routing: 1, Emits: 3},
			{Name: "e1", From: 1, To: 2, FromPort: "o1", ToPort: "i1", ElementBytes: 1, Routing: 1, Emits: 1},
			{Name: "e2", From: 2, To: 1, FromPort: "o2", ToPort: "i2", ElementBytes: 1, Routing: 1, Emits: 3,
				Initial: 3}}}
	join := func(bytes float64, edges ...int) []flow.Join {
		var j flow.Join
		for _, e := range edges {
			j.Ports = append(j.Ports, flow.JoinPort{Name: app.Edges[e].ToPort, Edges: []int{e}, Bytes: bytes})
		}
		return []flow.Join{j}
	}
	app.Kernels[1].Joins, app.Kernels[2].Joins = join(1, 0, 2), join(3, 1)
	p := &flow.Problem{Application: app, Architecture: cores(2, 0), MaxUtilization: 1}
	p.Architecture.Links[0].Bandwidth = 1e15
	m := &flow.Mapping{Place: []int{0, 1, 0}, Route: [][]int{{0}, {0}, {0}}}
	for _, rate := range []float64{3 / 17e-6, 2 / 18e-6, 3 / 2e-6} {
		f := flow.Figures{Available: true, ServiceRate: rate}
		p.Figures = append(p.Figures, []flow.Figures{f, f})
	}
	n, err := flow.NewNetwork(p, m)
	if err != nil {
		t.Fatal(err)
	}
	s, err := flow.Fast{}.Solve(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	front, err := NewFront(context.Background(), n, s, []int{18, 18, 18}, FrontOptions{Events: 10_000, Ideal: true})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(front.Max/s.Throughput-1) > 1e-3 {
		t.Errorf("maximum throughput is %g bytes/s, but the flow bound is %g", front.Max, s.Throughput)
	}
	for _, x := range front.Points {
		if x.Throughput > front.Max {
			t.Errorf("%g bytes/s are more than the most, %g", x.Throughput, front.Max)
		}
	}
}
