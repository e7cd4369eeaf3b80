package queueing

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestMM1Sums(t *testing.T) {
	for _, rho := range []float64{0, 0.1, 0.5, 0.9, 0.99} {
		q := MM1{rho}
		sum, mean, waiting := 0.0, 0.0, 0.0
		for n := 0.0; n < 5000; n++ {
			p := q.Probability(n)
			sum += p
			mean += n * p
			waiting += math.Max(0, n-1) * p
			if n < 100 && math.Abs(1-sum-q.Tail(n)) > 1e-12 {
				t.Errorf("P[N > %g] at ρ = %g is %g, want %g", n, rho, q.Tail(n), 1-sum)
			}
		}
		near(t, fmt.Sprintf("sum at ρ = %g", rho), sum, 1, 1e-12)
		near(t, fmt.Sprintf("L at ρ = %g", rho), q.MeanNumber(), mean, 1e-9)
		near(t, fmt.Sprintf("Lq at ρ = %g", rho), q.MeanQueue(), waiting, 1e-9)
	}
}

// TestMM1Limits checks that values without a finite limit are infinite, never negative or NaN.
func TestMM1Limits(t *testing.T) {
	for _, rho := range []float64{1, 1.2, math.Inf(1)} {
		q := MM1{rho}
		if !math.IsInf(q.MeanNumber(), 1) || !math.IsInf(q.MeanQueue(), 1) || !math.IsInf(q.MeanWait(2), 1) ||
			!math.IsInf(q.MeanResponse(2), 1) {
			t.Errorf("means at ρ = %g are %g, %g, %g, %g", rho, q.MeanNumber(), q.MeanQueue(), q.MeanWait(2),
				q.MeanResponse(2))
		}
		if q.Probability(3) != 0 || q.Tail(3) != 1 {
			t.Errorf("at ρ = %g P[N = 3] = %g, P[N > 3] = %g", rho, q.Probability(3), q.Tail(3))
		}
		if _, err := q.Quantile(.5); !errors.Is(err, ErrUnstable) || !errors.Is(q.Validate(), ErrUnstable) {
			t.Errorf("quantile at ρ = %g gives %v", rho, err)
		}
	}
	for _, rho := range []float64{-0.1, math.NaN()} {
		q := MM1{rho}
		for _, v := range []float64{q.Probability(2), q.Tail(2), q.MeanNumber(), q.MeanResponse(1)} {
			if !math.IsNaN(v) {
				t.Errorf("ρ = %g gives %g", rho, v)
			}
		}
		if !errors.Is(q.Validate(), ErrRange) {
			t.Errorf("ρ = %g is %v", rho, q.Validate())
		}
	}
	var zero MM1
	if zero.Probability(0) != 1 || zero.Tail(0) != 0 || zero.MeanNumber() != 0 || zero.MeanResponse(4) != .25 ||
		zero.MeanWait(4) != 0 || zero.Probability(-1) != 0 || zero.Tail(-1) != 1 {
		t.Error("the zero station is not empty")
	}
}

func TestMM1Quantile(t *testing.T) {
	for _, c := range []struct{ rho, p, want float64 }{
		{0, .99, 0}, {.5, 0, 0}, {.5, .5, 0}, {.5, .75, 1}, {.5, .750001, 2}, {.9, .99, 43}, {.9, 0.05, 0},
	} {
		if got, err := (MM1{c.rho}).Quantile(c.p); err != nil || got != c.want {
			t.Errorf("the %g quantile at ρ = %g is %g, %v; want %g", c.p, c.rho, got, err, c.want)
		}
	}
	for _, p := range []float64{-.1, 1, math.NaN()} {
		if _, err := (MM1{.5}).Quantile(p); !errors.Is(err, ErrRange) {
			t.Errorf("quantile %g gives %v", p, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		q := MM1{rapid.Float64Range(0, 0.9999).Draw(t, "rho")}
		p := rapid.Float64Range(0, 0.999999).Draw(t, "p")
		n := must(q.Quantile(p))
		if 1-q.Tail(n) < p-1e-10 || n > 0 && 1-q.Tail(n-1) > p+1e-10 {
			t.Fatalf("the %g quantile at ρ = %g is %g, where P[N > n] = %g and P[N > n-1] = %g", p, q.Utilization, n,
				q.Tail(n), q.Tail(n-1))
		}
	})
}

// TestLancasterQueues reproduces the mean queues of Lancaster 2011, Table 7.2, within the rounding of the printed
// utilizations.
func TestLancasterQueues(t *testing.T) {
	for _, c := range []struct{ rho, want float64 }{{.25, .08}, {.21, .06}, {.29, .12}} {
		if got := (MM1{c.rho}).MeanQueue(); math.Abs(got-c.want) > 0.005 {
			t.Errorf("queue at ρ = %g is %.3f, want %g", c.rho, got, c.want)
		}
	}
	// Run 2, stage 1b: the queue of 7500 is that of ρ = 0.99987, printed as 0.999. In §7.5 it gives P[N ≥ 600] = 0.92.
	rho := 1 - 1/7502.
	near(t, "queue of stage 1b", MM1{rho}.MeanQueue(), 7500, 1e-4)
	if p := (MM1{rho}).Tail(599); math.Abs(p-0.92) > 0.005 {
		t.Errorf("P[N ≥ 600] is %.3f, want 0.92", p)
	}
}

// TestLittle checks L = λW and Lq = λWq for every model with unlimited room.
func TestLittle(t *testing.T) {
	type station interface {
		MeanNumber() float64
		MeanQueue() float64
		MeanWait(float64) float64
		MeanResponse(float64) float64
	}
	rapid.Check(t, func(t *rapid.T) {
		rho := rapid.Float64Range(1e-6, 0.9999).Draw(t, "rho")
		mu := rapid.Float64Range(1e-3, 1e9).Draw(t, "mu")
		ca, cs := rapid.Float64Range(0, 9).Draw(t, "ca"), rapid.Float64Range(0, 9).Draw(t, "cs")
		for _, s := range []station{MM1{rho}, MG1{Utilization: rho}, MG1{rho, cs}, GG1{rho, ca, cs}} {
			near(t, fmt.Sprintf("λW of %T", s), rho*mu*s.MeanResponse(mu), s.MeanNumber(), 1e-12)
			near(t, fmt.Sprintf("λWq of %T", s), rho*mu*s.MeanWait(mu), s.MeanQueue(), 1e-12)
			near(t, fmt.Sprintf("L - Lq of %T", s), s.MeanNumber()-s.MeanQueue(), rho, 1e-9)
		}
	})
}
