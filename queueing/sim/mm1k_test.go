package sim

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"xopt/queueing"
)

// birthDeath solves the balance equations of an M/M/1/K station from the fuller
// end, so that nothing overflows or cancels.
func birthDeath(rho float64, k int) []float64 {
	p := make([]float64, k+1)
	p[0] = 1
	sum := 1.0
	for n := 1; n <= k; n++ {
		p[n] = p[n-1] * rho
		sum += p[n]
	}
	for n := range p {
		p[n] /= sum
	}
	return p
}

func TestMM1K(t *testing.T) {
	for _, rho := range []float64{0, 1e-9, 0.1, 0.5, 0.99, 0.999999, 1 - 1e-12, math.Nextafter(1, 0), 1,
		math.Nextafter(1, 2), 1 + 1e-12, 1.000001, 1.01, 2, 50} {
		for _, k := range []int{1, 2, 3, 7, 100} {
			q := MM1K{rho, k}
			mean := 0.0
			want := birthDeath(rho, k)
			for n, p := range want {
				near(t, fmt.Sprintf("P[N = %d] at ρ = %g, K = %d", n, rho, k), q.Probability(n), p, 1e-11)
				mean += float64(n) * p
			}
			near(t, fmt.Sprintf("L at ρ = %g, K = %d", rho, k), q.MeanNumber(), mean, 1e-11)
			near(t, fmt.Sprintf("throughput at ρ = %g, K = %d", rho, k), q.Throughput(), 1-want[0],
				1e-10*(1+1e-6/math.Max(rho, 1e-9)))
			near(t, fmt.Sprintf("blocking at ρ = %g, K = %d", rho, k), q.Blocking(), want[k], 1e-11)
		}
	}
	// A large room is not a limit, or is full.
	near(t, "L of a large room", MM1K{.8, 1e9}.MeanNumber(), queueing.MM1{Utilization: .8}.MeanNumber(), 1e-12)
	near(t, "L of a large room that overflows", MM1K{1.25, 1e9}.MeanNumber(), 1e9-4, 1e-15)
	near(t, "L of a large room at ρ = 1", MM1K{1, 1e9}.MeanNumber(), 5e8, 1e-15)
	near(t, "blocking of a large room that overflows", MM1K{1.25, 1e9}.Blocking(), .2, 1e-12)
	near(t, "response of an idle room", MM1K{0, 3}.MeanResponse(4), .25, 0)
	if q := (MM1K{1, 4}); q.Probability(-1) != 0 || q.Probability(5) != 0 || q.Probability(2) != .2 {
		t.Error("at ρ = 1 the room is not uniformly full")
	}
	for _, q := range []MM1K{{-1, 3}, {math.NaN(), 3}, {math.Inf(1), 3}, {.5, 0}} {
		if !errors.Is(q.Validate(), queueing.ErrRange) {
			t.Errorf("%+v is %v", q, q.Validate())
		}
	}
	if err := (MM1K{2, 1}).Validate(); err != nil {
		t.Error(err)
	}
}

// TestLittle: L = λW, for the elements that are let in.
func TestLittle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mu := rapid.Float64Range(1e-3, 1e9).Draw(t, "mu")
		q := MM1K{rapid.Float64Range(1e-6, 3).Draw(t, "rho"), rapid.IntRange(1, 500).Draw(t, "K")}
		near(t, "λW", q.Throughput()*mu*q.MeanResponse(mu), q.MeanNumber(), 1e-12)
	})
}

func TestBlockingCapacity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rho := rapid.OneOf(rapid.Float64Range(1e-6, 0.999), rapid.Float64Range(0.999, 1.001), rapid.Just(1.),
			rapid.Float64Range(1, 4)).Draw(t, "rho")
		p := math.Pow(10, rapid.Float64Range(-5, -0.1).Draw(t, "log p"))
		k, err := queueing.BlockingCapacity(rho, p)
		if errors.Is(err, queueing.ErrUnstable) {
			if lost := 1 - 1/rho; lost < p*(1-1e-9) {
				t.Fatalf("refused at ρ = %g, where an endless room loses %g, less than %g", rho, lost, p)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if k > 1e9 {
			return
		}
		if b := (MM1K{rho, int(k)}).Blocking(); b > p*(1+1e-6) {
			t.Fatalf("K = %g at ρ = %g blocks %g, want at most %g", k, rho, b, p)
		}
		if k > 1 {
			if b := (MM1K{rho, int(k) - 1}).Blocking(); b <= p*(1-1e-6) {
				t.Fatalf("K = %g at ρ = %g is not the smallest: %g blocks %g, want more than %g", k, rho, k-1, b, p)
			}
		}
	})
	// Eq. 8 is this less the element in service, as long as P_K is small beside 1-ρ.
	for _, rho := range []float64{.3, .9, .99, .999} {
		if b, e := must(queueing.BlockingCapacity(rho, 1e-7)), must(queueing.Capacity(rho, 1e-7)); math.Abs(b-e-1) > 1 {
			t.Errorf("at ρ = %g K = %g blocks 1e-7, Eq. 8 gives %g", rho, b, e)
		}
	}
	for _, c := range []struct{ rho, p float64 }{{-1, .1}, {math.NaN(), .1}, {math.Inf(1), .1}, {.5, 0}, {.5, 1}} {
		if _, err := queueing.BlockingCapacity(c.rho, c.p); !errors.Is(err, queueing.ErrRange) {
			t.Errorf("ρ = %g, p = %g gives %v", c.rho, c.p, err)
		}
	}
}
