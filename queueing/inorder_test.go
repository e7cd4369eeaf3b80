package queueing

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestInOrder compares the mean delay with the integral of its distribution, and with a simulation of transfers. The
// mean is half of the jitter for rare transfers and nearly all of it for frequent ones.
func TestInOrder(t *testing.T) {
	const jitter = 2e-3
	for _, rate := range []float64{1e-3, 30, 500, 2000, 40_000, 1e7} {
		q := InOrder{Jitter: jitter, Rate: rate}
		const steps = 200_000
		integral := 0.0
		for i := range steps {
			integral += (1 - q.Below((float64(i)+.5)/steps*jitter)) * jitter / steps
		}
		if got := q.Mean(); math.Abs(got/integral-1) > 1e-4 {
			t.Errorf("%g transfers/s: mean %g s, the distribution has %g", rate, got, integral)
		}
		mean, late := delaysInOrder(q, 400_000)
		if got := q.Mean(); math.Abs(got/mean-1) > 0.01 {
			t.Errorf("%g transfers/s: mean %g s, simulated %g", rate, got, mean)
		}
		if got := 1 - q.Below(jitter/2); math.Abs(got-late) > 0.01 {
			t.Errorf("%g transfers/s: %g are later than half of the jitter, simulated %g", rate, got, late)
		}
	}
	for _, x := range []struct{ q, want float64 }{
		{InOrder{Jitter: 1}.Mean(), .5}, {InOrder{Jitter: 1, Rate: math.Inf(1)}.Mean(), 1},
		{InOrder{Rate: 5}.Mean(), 0}, {InOrder{Jitter: 1, Rate: 1e-7}.Mean(), .5},
		{InOrder{Jitter: 1}.Below(2), 1}, {InOrder{Jitter: 1}.Below(-1), 0},
	} {
		if math.Abs(x.q-x.want) > 1e-7 {
			t.Errorf("%g, want %g", x.q, x.want)
		}
	}
}

// delaysInOrder sends transfers with exponential gaps. It returns their mean delay, and the fraction later than half of
// the jitter.
func delaysInOrder(q InOrder, n int) (mean, late float64) {
	r := rand.New(rand.NewPCG(1, uint64(q.Rate*1000)))
	last := math.Inf(-1) // when the one before is there, counted from when this one leaves
	for range n {
		last = math.Max(last-r.ExpFloat64()/q.Rate, r.Float64()*q.Jitter)
		mean += last / float64(n)
		if last > q.Jitter/2 {
			late += 1 / float64(n)
		}
	}
	return mean, late
}
