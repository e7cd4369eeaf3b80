package queueing

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"pgregory.net/rapid"
)

// phases returns the probability and the mean of the two phases of a hyperexponential time with mean 1 and balanced
// means.
func phases(scv float64) [2][2]float64 {
	p := (1 - math.Sqrt((scv-1)/(scv+1))) / 2
	return [2][2]float64{{p, 1 / (2 * p)}, {1 - p, 1 / (2 * (1 - p))}}
}

// arrivalProbabilities returns P[i arrivals in one service], i < n. It uses the definitions rather than a recursion:
// Poisson, negative binomial, or a mixture of two geometric laws.
func arrivalProbabilities(q MG1, n int) []float64 {
	a := make([]float64, n)
	rho, c := q.Utilization, q.ServiceSCV
	gamma := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	for i := range a {
		k := float64(i)
		switch {
		case c == 0:
			a[i] = math.Exp(-rho + k*math.Log(rho) - gamma(k+1))
		case c <= 1:
			a[i] = math.Exp(gamma(1/c+k) - gamma(1/c) - gamma(k+1) - math.Log1p(c*rho)/c + k*math.Log(c*rho/(1+c*rho)))
		default:
			for _, phase := range phases(c) {
				r := rho * phase[1]
				a[i] += phase[0] / (1 + r) * math.Pow(r/(1+r), k)
			}
		}
	}
	return a
}

// transform returns A(z), the generating function of the arrivals in one service.
func transform(q MG1, z complex128) complex128 {
	rho, c := q.Utilization, q.ServiceSCV
	w := complex(rho, 0) * (1 - z)
	switch {
	case c == 0:
		return cmplx.Exp(-w)
	case c <= 1:
		return cmplx.Exp(-cmplx.Log(1+complex(c, 0)*w) / complex(c, 0))
	}
	var sum complex128
	for _, phase := range phases(c) {
		sum += complex(phase[0], 0) / (1 + w*complex(phase[1], 0))
	}
	return sum
}

// invert returns P[N > n] from the equation of Pollaczek and Khinchine for the generating function. It uses the lattice
// rule of Abate and Whitt 1992 on a circle close enough to the pole 1+x to preserve the digits of small tails.
func invert(q MG1, x float64, n int) float64 {
	m := max(32*(n+1), int(60/math.Log1p(x)))
	// The aliasing error is (r/(1+x))^m = exp(-30) of the result, the rounding error (1+x)ⁿ/rⁿ of 1e-16.
	r := math.Exp(math.Log1p(x) - 30/float64(m))
	sum := 0.0
	for j := range m {
		angle := 2 * math.Pi * float64(j) / float64(m)
		z := cmplx.Rect(r, angle)
		// (1-P(z))/(1-z) with P = (1-ρ)(1-z)A/(A-z)
		a := transform(q, z)
		one := 1 - z
		tail := (1 - complex(1-q.Utilization, 0)*one*a/(a-z)) / one
		sum += real(tail * cmplx.Rect(1, -angle*float64(n)))
	}
	return sum / float64(m) / math.Pow(r, float64(n))
}

// poleOf returns x of the pole of P nearest the origin, by bisection on A(z) = z.
func poleOf(q MG1) float64 {
	f := func(x float64) float64 { return real(transform(q, complex(1+x, 0))) - 1 - x }
	limit := 1e6
	if c := q.ServiceSCV; c > 1 {
		limit = 1 / (q.Utilization * phases(c)[0][1])
	} else if c > 0 {
		limit = 1 / (c * q.Utilization)
	}
	low, high := 1e-9, limit*(1-1e-12)
	for high-low > 1e-14*high {
		middle := (low + high) / 2
		if f(middle) < 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// TestMG1Chain compares the distribution with the embedded Markov chain at departures, solved as a matrix.
func TestMG1Chain(t *testing.T) {
	const n = 320
	for _, rho := range []float64{0.05, 0.3, 0.6, 0.8} {
		for _, c := range []float64{0, 0.01, 0.25, 0.7, 1, 1.5, 4} {
			q := MG1{rho, c}
			a := arrivalProbabilities(q, n)
			p := make([][]float64, n)
			for i := range p {
				p[i] = make([]float64, n)
				rest := 1.0
				for j := max(0, i-1); j < n; j++ {
					p[i][j] = a[j-max(0, i-1)]
					rest -= p[i][j]
				}
				p[i][n-1] += math.Max(0, rest)
			}
			want := solveChain(p)
			for k, got := range q.Distribution(40) {
				if math.Abs(got-want[k]) > 1e-9*want[k]+1e-10 {
					t.Errorf("P[N = %d] at ρ = %g, cs² = %g is %.12g, want %.12g", k, rho, c, got, want[k])
				}
			}
		}
	}
}

// TestMG1Tail compares tails down to 1e-25 with the inversion of the generating function, before and after the start of
// the geometric part.
func TestMG1Tail(t *testing.T) {
	for _, rho := range []float64{0.05, 0.3, 0.6, 0.85, 0.95, 0.99} {
		for _, c := range []float64{0, 0.01, 0.1, 0.25, 0.5, 0.9, 0.999, 1, 1.001, 2, 10, 100} {
			q := MG1{rho, c}
			x := poleOf(q)
			for _, n := range []int{0, 1, 5, 20, 50, 80, 95, 96, 97, 120, 200, 700} {
				want := invert(q, x, n)
				if want < 1e-25 {
					break
				}
				if got := q.Tail(float64(n)); math.Abs(got-want) > 2e-8*want {
					t.Errorf("P[N > %d] at ρ = %g, cs² = %g is %.10g, want %.10g (relative %.1g)", n, rho, c, got, want,
						got/want-1)
				}
			}
		}
	}
}

// TestMG1Sums checks that the distribution sums to one, has the mean of Pollaczek and Khinchine, and sums to the tails.
func TestMG1Sums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rho := rapid.Float64Range(1e-6, 0.9).Draw(t, "rho")
		c := rapid.OneOf(rapid.Float64Range(0, 1), rapid.Float64Range(1, 5)).Draw(t, "c")
		q := MG1{rho, c}
		p := q.Distribution(600)
		sum, mean := 0.0, 0.0
		for n := len(p) - 1; n >= 0; n-- {
			if n < 300 && q.Tail(float64(n)) > 1e-30 {
				near(t, fmt.Sprintf("P[N > %d] at ρ = %g, cs² = %g", n, rho, c), q.Tail(float64(n)),
					sum+q.Tail(float64(len(p)-1)), 1e-8)
			}
			sum += p[n]
			mean += float64(n) * p[n]
		}
		if rest := q.Tail(float64(len(p) - 1)); rest < 1e-12 {
			near(t, "sum", sum, 1, 1e-10)
			near(t, "mean", mean, q.MeanNumber(), 1e-8)
		}
	})
}

// TestMD1Crommelin compares with the closed form of M/D/1, whose alternating sums
// hold for a few elements:
//
//	P[N = n] = (1-ρ) Σ (-1)ⁿ⁻ᵏ exp(kρ) (kρ)ⁿ⁻ᵏ⁻¹ (kρ+n-k)/(n-k)!, k = 1, …, n ≥ 2
func TestMD1Crommelin(t *testing.T) {
	for _, rho := range []float64{0.1, 0.5, 0.9} {
		p := MG1{Utilization: rho}.Distribution(8)
		near(t, "P[N = 0]", p[0], 1-rho, 1e-15)
		near(t, "P[N = 1]", p[1], (1-rho)*math.Expm1(rho), 1e-14)
		for n := 2; n < len(p); n++ {
			sum := 0.0
			for k := 1; k <= n; k++ {
				m, kr := float64(n-k), float64(k)*rho
				sign := 1 - 2*float64((n-k)%2)
				sum += sign * math.Exp(kr) * math.Pow(kr, m-1) * (kr + m) / math.Gamma(m+1)
			}
			if want := (1 - rho) * sum; math.Abs(p[n]-want) > 1e-10 {
				t.Errorf("P[N = %d] at ρ = %g is %.12g, want %.12g", n, rho, p[n], want)
			}
		}
	}
}

// TestMG1Meets checks that constant, exponential and nearly exponential service join continuously.
func TestMG1Meets(t *testing.T) {
	for _, rho := range []float64{1e-8, 0.2, 0.9, 0.999, 0.99998, 1 - 1e-9} {
		for _, n := range []float64{0, 1, 10, 95, 96, 1000, 1e6} {
			near(t, fmt.Sprintf("M/M/1 P[N > %g] at ρ = %g", n, rho), MG1{rho, 1}.Tail(n), MM1{rho}.Tail(n), 1e-9)
			if (MM1{rho}).Tail(n) > 1e-200 {
				near(t, fmt.Sprintf("below M/M/1 P[N > %g] at ρ = %g", n, rho), MG1{rho, 1 - 1e-9}.Tail(n),
					MM1{rho}.Tail(n), 1e-5)
				near(t, fmt.Sprintf("above M/M/1 P[N > %g] at ρ = %g", n, rho), MG1{rho, 1 + 1e-9}.Tail(n),
					MM1{rho}.Tail(n), 1e-5)
				near(t, fmt.Sprintf("near M/D/1 P[N > %g] at ρ = %g", n, rho), MG1{rho, 1e-10}.Tail(n),
					MG1{Utilization: rho}.Tail(n), 1e-5)
			}
		}
		near(t, fmt.Sprintf("M/M/1 capacity at ρ = %g", rho), must(MG1{rho, 1}.Capacity(1e-7)),
			must(TailCapacity(rho, 1e-7)), 1e-9)
	}
}

// TestMD1HeavyTraffic checks that the tail decays by 2(1-ρ) per element as ρ approaches 1, to first order, like an
// M/M/1 queue of half the length.
func TestMD1HeavyTraffic(t *testing.T) {
	for _, idle := range []float64{1e-5, 1e-7, 1e-9, 1e-12} {
		k := must(MG1{Utilization: 1 - idle}.Capacity(1e-7))
		near(t, fmt.Sprintf("capacity at 1-ρ = %g", idle), k, -math.Log(1e-7)/(2*(1-(1-idle))), 2*idle+1e-7)
	}
}

func TestMG1Capacity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rho := rapid.OneOf(rapid.Float64Range(1e-9, 0.99), rapid.Float64Range(0.99, 0.99999)).Draw(t, "rho")
		c := rapid.OneOf(rapid.Just(0.), rapid.Float64Range(0, 1), rapid.Float64Range(1, 50)).Draw(t, "c")
		p := math.Pow(10, rapid.Float64Range(-25, -0.5).Draw(t, "log p"))
		q := MG1{rho, c}
		k, err := q.Capacity(p)
		if err != nil {
			t.Fatal(err)
		}
		if q.Tail(k) > p*(1+1e-6) || k > 1 && q.Tail(k-1) <= p*(1-1e-6) {
			t.Fatalf("P[N > %g] = %g, P[N > %g] = %g, want the first at most %g", k, q.Tail(k), k-1, q.Tail(k-1), p)
		}
		if more := must(MG1{rho, c + .5}.Capacity(p)); rho > 0.01 && p < 1e-3 && more < k {
			t.Fatalf("more variable service needs %g instead of %g", more, k)
		}
		if more := must(MG1{rho + (1-rho)/10, c}.Capacity(p)); more < k {
			t.Fatalf("more load needs %g instead of %g", more, k)
		}
	})
}

func TestMG1Refuses(t *testing.T) {
	for _, q := range []MG1{{-.1, 1}, {math.NaN(), 1}, {.5, -1}, {.5, math.NaN()}, {.5, math.Inf(1)}} {
		if _, err := q.Capacity(1e-7); !errors.Is(err, ErrRange) || !errors.Is(q.Validate(), ErrRange) {
			t.Errorf("%+v gives %v", q, err)
		}
		if !math.IsNaN(q.Tail(2)) || q.Distribution(3) != nil {
			t.Errorf("%+v has a distribution", q)
		}
	}
	q := MG1{1, .5}
	if q.Tail(5) != 1 || !math.IsInf(q.MeanQueue(), 1) || !math.IsInf(q.MeanResponse(1), 1) ||
		!errors.Is(q.Validate(), ErrUnstable) {
		t.Errorf("an unstable station has P[N > 5] = %g, Lq = %g", q.Tail(5), q.MeanQueue())
	}
	for _, zero := range []MG1{{}, {0, 3}} {
		if zero.Tail(0) != 0 || zero.Distribution(2)[0] != 1 || zero.Distribution(2)[1] != 0 ||
			zero.MeanNumber() != 0 || zero.MeanResponse(2) != .5 {
			t.Errorf("%+v is not empty", zero)
		}
	}
	if q := (MG1{1e-200, 0}); q.Tail(0) != 1e-200 || q.Tail(100) != 0 || (MG1{1e-310, 4}).Tail(0) != 1e-310 {
		t.Errorf("tails at ρ = 1e-200 are %g, %g", q.Tail(0), q.Tail(100))
	}
}
