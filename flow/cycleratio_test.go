package flow

import (
	"math"
	"math/rand/v2"
	"testing"
)

// slowRatio is the greatest ratio over all simple cycles.
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
		got, cycle := g.most()
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
