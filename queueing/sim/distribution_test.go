package sim

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"xopt/queueing"
)

// TestDistributions draws from each and compares the moments.
func TestDistributions(t *testing.T) {
	h, err := NewHistogram([]float64{0, 1, 2, 5}, []float64{3, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		d         Distribution
		mean, scv float64 // by hand
	}{
		{Constant(3), 3, 0}, {Exponential(2), 2, 1}, {Erlang(2, 4), 2, .25},
		{Hyperexponential{0.1, 0.5, 5.5}, 1, 5.5}, {BalancedHyperexponential(3, 4), 3, 4},
		{BalancedHyperexponential(3, 1), 3, 1},
		{Gamma{2, .3}, 2, .3}, {Gamma{2, 1}, 2, 1}, {Gamma{2, 3}, 2, 3},
		{Trace{1, 2, 3, 6}, 3, 3.5 / 9},
		// 3/4 of mean 1/2 and second moment 1/3, 1/4 of 3.5 and 13.
		{h, 1.25, 3.5/1.25/1.25 - 1},
		{Constant(0), 0, 0}, {Trace{0, 0}, 0, 0}, {Hyperexponential{}, 0, 0},
	} {
		name := fmt.Sprintf("%T", c.d)
		near(t, "mean of "+name, c.d.Mean(), c.mean, 1e-12)
		near(t, "scv of "+name, c.d.SCV(), c.scv, 1e-12)
		rng := rand.New(rand.NewPCG(1, 2))
		const n = 400_000
		sum, square := 0.0, 0.0
		for i := range n {
			x := c.d.Draw(rng, i)
			if !(x >= 0) {
				t.Fatalf("%s draws %g", name, x)
			}
			sum += x
			square += x * x
		}
		near(t, "mean drawn from "+name, sum/n, c.mean, 0.015)
		if c.mean > 0 {
			if got := square*n/sum/sum - 1; math.Abs(got-c.scv) > 0.04*c.scv {
				t.Errorf("scv drawn from %s is %g, want %g", name, got, c.scv)
			}
		}
	}
}

func TestHistogramRefuses(t *testing.T) {
	for _, c := range []struct{ edges, counts []float64 }{
		{nil, nil}, {[]float64{0}, nil}, {[]float64{0, 1}, []float64{1, 2}}, {[]float64{1, 0}, []float64{1}},
		{[]float64{1, 1}, []float64{1}},
		{[]float64{-1, 1}, []float64{1}}, {[]float64{0, 1}, []float64{0}}, {[]float64{0, 1}, []float64{-1}},
		{[]float64{0, math.NaN()}, []float64{1}},
		{[]float64{0, math.Inf(1)}, []float64{1}}, {[]float64{0, 1}, []float64{math.Inf(1)}},
		{[]float64{0, 1}, []float64{math.NaN()}},
	} {
		if _, err := NewHistogram(c.edges, c.counts); !errors.Is(err, queueing.ErrRange) {
			t.Errorf("edges %v and counts %v give %v", c.edges, c.counts, err)
		}
	}
	// Empty bins, at the end too, are never drawn.
	h, err := NewHistogram([]float64{0, 1, 2, 3}, []float64{0, 1, 0})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 10_000 {
		if x := h.Draw(rng, i); !(x >= 1 && x <= 2) {
			t.Fatalf("drew %g from the bin from 1 to 2", x)
		}
	}
}
