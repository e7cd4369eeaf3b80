package flow

import (
	"math"
	"math/rand/v2"
	"testing"
)

// slowRatio returns the largest ratio over all simple cycles.
func slowRatio(g *ratioGraph) float64 {
	best := 0.0
	on := make([]bool, g.nodes)
	var walk func(start, at int32, time, tokens float64)
	walk = func(start, at int32, time, tokens float64) {
		for _, a := range g.arcs {
			switch {
			case a.from != at || a.to < start:
			case a.to == start:
				if time+a.time > 0 {
					best = math.Max(best, (time+a.time)/(tokens+a.tokens))
				}
			case !on[a.to]:
				on[a.to] = true
				walk(start, a.to, time+a.time, tokens+a.tokens)
				on[a.to] = false
			}
		}
	}
	for u := range int32(g.nodes) {
		on[u] = true
		walk(u, u, 0, 0)
		on[u] = false
	}
	return best
}

// TestRatio: policy iteration finds the greatest ratio that there is among all cycles, and a
// cycle that has it.
func TestRatio(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	var g ratioGraph
	for range 3000 {
		n := 1 + r.IntN(6)
		g.reset(n)
		for u := range n { // a ring, so that all are connected
			g.arcs = append(g.arcs, ratioArc{from: int32(u), to: int32((u + 1) % n), time: r.Float64(),
				tokens: float64(r.IntN(3))})
		}
		for range r.IntN(2 * n) {
			g.arcs = append(g.arcs, ratioArc{from: int32(r.IntN(n)), to: int32(r.IntN(n)), time: r.Float64(),
				tokens: float64(r.IntN(3))})
		}
		got, cycle := g.maxRatio()
		want := slowRatio(&g)
		if got != want && !(math.Abs(got-want) <= 1e-12*want) {
			t.Fatalf("got %v, want %v for %v", got, want, g.arcs)
		}
		time, tokens := 0.0, 0.0
		for i, c := range cycle {
			time, tokens = time+g.arcs[c].time, tokens+g.arcs[c].tokens
			if after := g.arcs[cycle[(i+1)%len(cycle)]]; after.from != g.arcs[c].to {
				t.Fatalf("the cycle is none: %v", cycle)
			}
		}
		if of := time / tokens; of != got && !(math.Abs(of-got) <= 1e-12*got) {
			t.Fatalf("the cycle has %v, not %v", of, got)
		}
	}
}

// TestRatioSlackLoops: a critical loop of mixed rates beside two loops with many initial elements, whose
// heights belong to smaller ratios, and several hundred graphs of that shape with random times.
func TestRatioSlackLoops(t *testing.T) {
	c := &circle{kernels: []int{0, 1, 2, 3, 4, 5}, firings: []float64{2, 1, 4, 6, 6, 4}, copies: 23, lacking: -1}
	for i, w := range []wait{{from: 0, to: 1, sends: 1, consumes: 2}, {from: 1, to: 2, sends: 4, consumes: 1},
		{from: 0, to: 3, sends: 3, consumes: 1}, {from: 1, to: 4, sends: 6, consumes: 1},
		{from: 3, to: 5, sends: 2, consumes: 3}, {from: 2, to: 0, sends: 1, consumes: 2, initial: 8},
		{from: 4, to: 0, sends: 1, consumes: 3, initial: 18}, {from: 5, to: 0, sends: 2, consumes: 4, initial: 4}} {
		w.edge = i
		c.waits = append(c.waits, w)
	}
	c.fill()
	service := []float64{12e-6, 25e-6, 19e-6, 40e-6, 28e-6, 37e-6}
	r := rand.New(rand.NewPCG(5, 35))
	var g ratioGraph
	for i := range 500 {
		c.graph(&g, service, make([]crossing, len(c.waits)))
		got, _ := g.maxRatio()
		if want := slowRatio(&g); !(math.Abs(got-want) <= 1e-12*want) || i == 0 && math.Abs(got-338e-6) > 1e-15 {
			t.Fatalf("%d: got %v s a turn, want %v", i, got, want)
		}
		for k := range service {
			service[k] = float64(1+r.IntN(40)) * 1e-6
		}
		c.waits[5].initial, c.waits[6].initial = float64(8+r.IntN(3)), float64(12+r.IntN(12))
		c.waits[7].initial = float64(4 + r.IntN(8))
		c.fill()
	}
}
