package maxplus

import (
	"context"
	"math"
	"testing"
)

// run simulates a network and fails the test on an error.
func run(t testing.TB, n *Network, o Options) *Result {
	t.Helper()
	s, err := New(n)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// rate returns the firings/s of a station after the warm-up.
func rate(r *Result, station int) float64 {
	weight := make([]float64, station+1)
	weight[station] = 1
	return r.Rate(weight).Value
}

// near fails unless got and want agree to a relative tolerance.
func near(t testing.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s is %.6g, want %.6g (relative %.2g, allowed %.2g)", what, got, want, got/want-1, tolerance)
	}
}

// TestMM1K checks that a source that waits while the buffer is full sends the accepted rate of an M/M/1/K station (P[N
// = K] (1-ρ)ρᴷ/(1-ρᴷ⁺¹)), because its remaining time has no memory.
func TestMM1K(t *testing.T) {
	for _, rho := range []float64{.3, .8, 1, 1.25} {
		for _, k := range []int{1, 2, 5, 20} {
			r := run(t, tandem(k, Exponential(1/rho), Exponential(1)), Options{Events: 500_000, Seed: 7,
				Occupancy: true})
			p := make([]float64, k+1)
			sum, mean := 0.0, 0.0
			for n := range p {
				p[n] = math.Pow(rho, float64(n))
				sum += p[n]
			}
			for n := range p {
				p[n] /= sum
				mean += float64(n) * p[n]
			}
			near(t, "throughput", rate(r, 1), 1-p[0], .008)
			if got := r.Buffers[0].Blocked / (r.Time - r.Marks[0].Time); math.Abs(got-p[k]) > .003 {
				t.Errorf("at ρ = %g, K = %d a fraction %.4g of time is blocked, want %.4g", rho, k, got, p[k])
			}
			near(t, "mean occupancy", r.Buffers[0].Mean, mean, .03)
		}
	}
}
