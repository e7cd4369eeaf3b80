package mapper

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"xopt/flow"
)

// wholeTimes returns a chain whose service times are multiples of one unit, on cores of two speeds and a bus.
func wholeTimes(rng *rand.Rand, kernels, cores int) *flow.Problem {
	p := randomProblem(rng, kernels, cores)
	p.Architecture.Resources[cores].Sharing.Rule = flow.Conserving
	p.Application.Edges = nil
	for k := range p.Application.Kernels {
		p.Application.Kernels[k].Gain = 1
		if k > 0 {
			p.Application.Edges = append(p.Application.Edges, flow.Edge{Name: "e", From: k - 1, To: k,
				ElementBytes: 64, Routing: 1})
		}
		time := float64(1 + rng.IntN(12))
		for r := range p.Figures[k] {
			p.Figures[k][r] = flow.Figures{Available: true, ServiceRate: 1e8 / time}
		}
		p.Figures[k][cores].ServiceRate *= 4
	}
	return p
}

// TestMultiples compares rounded bounds with the optimum of an enumeration. Rounding never exceeds the optimum. Just
// below the optimum it reaches the optimum in some problems.
func TestMultiples(t *testing.T) {
	reached := 0
	for seed := range seeds(40) {
		p := wholeTimes(rand.New(rand.NewPCG(seed, 3)), 6, 2)
		r, scorer, err := newRunner(p, nil, Options{Method: Exhaustive})
		if err != nil {
			t.Fatal(err)
		}
		best, err := Search(context.Background(), p, nil, Options{Method: Exhaustive})
		if err != nil {
			t.Fatal(err)
		}
		works := scorer.LoadCoefficients(0)
		optimum, m := works.Load(best.Candidates[0].Throughput), newMultiples(r.space, scorer, works)
		if len(m) == 0 {
			t.Fatalf("seed %d: no units", seed)
		}
		for _, part := range []float64{0.3, 0.9, 0.99, 1 - 1e-6, 1} {
			if x := m.above(part * optimum); x > optimum*(1+1e-12) || x < part*optimum {
				t.Errorf("seed %d: %g of the optimum %g is rounded to %g", seed, part, optimum, x)
			}
		}
		if m.above(0.999*optimum) >= optimum*(1-sameLoad) {
			reached++
		}
		proven, err := Search(context.Background(), p, nil, Options{Method: Mixed, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(proven.Candidates[0].Throughput/best.Candidates[0].Throughput-1) > 1e-9 || !proven.Optimal() {
			t.Errorf("seed %d: %g %v, want %g", seed, proven.Candidates[0].Throughput, proven.Status,
				best.Candidates[0].Throughput)
		}
	}
	if reached == 0 {
		t.Error("rounding never reaches the optimum")
	}
}

// TestUnitOf checks units of loads.
func TestUnitOf(t *testing.T) {
	for _, x := range []struct {
		loads []float64
		want  float64
	}{
		{[]float64{0.08, 0.2, 0.12}, 0.04}, {[]float64{3, 0, 9}, 3}, {[]float64{0, 0}, 0}, {nil, 0},
		{[]float64{1, math.Pi}, -1}, {[]float64{1, 1e-7}, -1}, {[]float64{1, -1}, -1}, {[]float64{1, math.Inf(1)}, -1},
		{[]float64{1. / 3, 0.25}, 1. / 12},
	} {
		if got := unitOf(x.loads); math.Abs(got-x.want) > 1e-12 {
			t.Errorf("unit of %v: %g, want %g", x.loads, got, x.want)
		}
	}
}
