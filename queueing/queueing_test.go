package queueing

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance*math.Max(1e-300, math.Abs(want)) {
		t.Errorf("%s is %.12g, want %.12g (relative %.2g)", what, got, want, got/want-1)
	}
}

// TestCapacityFigures holds the two readings of Eq. 8 against figures worked out
// by hand.
func TestCapacityFigures(t *testing.T) {
	for _, c := range []struct{ rho, eq8, tail float64 }{{0.9, 131, 152}, {0.999, 9205, 16110}} {
		k, err := Capacity(c.rho, DefaultProbability)
		if err != nil || k != c.eq8 {
			t.Errorf("Eq. 8 at ρ = %g is %g, %v; want %g", c.rho, k, err, c.eq8)
		}
		k, err = TailCapacity(c.rho, DefaultProbability)
		if err != nil || k != c.tail {
			t.Errorf("tail at ρ = %g is %g, %v; want %g", c.rho, k, err, c.tail)
		}
	}
}

// TestCapacityDefinitions checks both figures against what they solve.
func TestCapacityDefinitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rho := rapid.Float64Range(1e-9, 0.99999).Draw(t, "rho")
		p := math.Pow(10, rapid.Float64Range(-12, -1).Draw(t, "log p"))
		q := MM1{rho}
		k, err := TailCapacity(rho, p)
		if err != nil {
			t.Fatal(err)
		}
		if q.Tail(k) > p*(1+1e-9) || k > 1 && q.Tail(k-1) <= p*(1-1e-9) {
			t.Fatalf("P[N > %g] = %g, P[N > %g] = %g, want the first at most %g", k, q.Tail(k), k-1, q.Tail(k-1), p)
		}
		e, err := Capacity(rho, p)
		if err != nil {
			t.Fatal(err)
		}
		if e > 1 && (q.Probability(e+1) > p*(1+1e-9) || q.Probability(e) < p*(1-1e-9)) {
			t.Fatalf("Eq. 8 gives %g, but P[N = K+1] = %g and P[N = K] = %g", e, q.Probability(e+1), q.Probability(e))
		}
		if e > k {
			t.Fatalf("Eq. 8 gives %g, more than the tail's %g", e, k)
		}
	})
}

func TestCapacityEdges(t *testing.T) {
	for _, rho := range []float64{0, 1e-300, 1e-12, 1e-7, 0.99998, math.Nextafter(1, 0)} {
		for _, f := range []func(float64, float64) (float64, error){Capacity, TailCapacity, func(rho, p float64) (float64, error) { return MD1{rho}.Capacity(p) },
			func(rho, p float64) (float64, error) { return GG1{rho, 1, 1}.Capacity(p) }} {
			k, err := f(rho, DefaultProbability)
			if err != nil || !(k >= 1) || k != math.Trunc(k) || math.IsInf(k, 0) {
				t.Errorf("capacity at ρ = %g is %g, %v", rho, k, err)
			}
		}
	}
	near(t, "tail capacity at φ", must(TailCapacity(0.99998, 1e-7)), math.Log(1e-7)/math.Log(0.99998)-1, 1e-5)
	for _, rho := range []float64{1, 1.5, math.Inf(1)} {
		if _, err := Capacity(rho, 1e-7); !errors.Is(err, ErrUnstable) {
			t.Errorf("ρ = %g gives %v", rho, err)
		}
	}
	for _, rho := range []float64{-1, math.NaN()} {
		if _, err := TailCapacity(rho, 1e-7); !errors.Is(err, ErrRange) {
			t.Errorf("ρ = %g gives %v", rho, err)
		}
	}
	if _, err := Capacity(.5, 0); !errors.Is(err, ErrRange) {
		t.Errorf("probability 0 gives %v", err)
	}
	if _, err := Bytes(1e12, 1e12); !errors.Is(err, ErrRange) {
		t.Errorf("a buffer of 1e24 bytes gives %v", err)
	}
	if b, err := Bytes(131, 4000); err != nil || b != 524000 {
		t.Errorf("131 elements of 4000 bytes are %g, %v", b, err)
	}
}

func must(v float64, err error) float64 {
	if err != nil {
		return math.NaN()
	}
	return v
}

// stationary solves the birth-death chain of an M/M/1/K station by iterating its
// balance equations.
func stationary(rho float64, k int) []float64 {
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
	for _, rho := range []float64{0, 0.1, 0.5, 0.999999, 1, 1.000001, 2, 50} {
		for _, k := range []int{1, 2, 7, 100} {
			q := MM1K{rho, k}
			mean := 0.0
			for n, want := range stationary(rho, k) {
				if math.Abs(q.Probability(n)-want) > 1e-9 {
					t.Errorf("P[N = %d] at ρ = %g, K = %d is %g, want %g", n, rho, k, q.Probability(n), want)
				}
				mean += float64(n) * want
			}
			if math.Abs(q.MeanNumber()-mean) > 1e-6*(1+mean) {
				t.Errorf("L at ρ = %g, K = %d is %g, want %g", rho, k, q.MeanNumber(), mean)
			}
		}
	}
	// A large room is no limit.
	near(t, "L of a large room", MM1K{.8, 1000}.MeanNumber(), MM1{.8}.MeanNumber(), 1e-9)
}

// TestMD1Distribution sums to one and has the mean of the closed form; its far
// end decays as the pole says.
func TestMD1Distribution(t *testing.T) {
	for _, rho := range []float64{0.05, 0.3, 0.6, 0.9, 0.97} {
		q := MD1{rho}
		p := q.Distribution(1500)
		sum, mean := 0.0, 0.0
		for n, x := range p {
			sum += x
			mean += float64(n) * x
		}
		near(t, fmt.Sprintf("sum at ρ = %g", rho), sum, 1, 1e-9)
		near(t, fmt.Sprintf("mean at ρ = %g", rho), mean, q.MeanNumber(), 1e-9)
		x, k := q.decay()
		near(t, fmt.Sprintf("P[N = %d] at ρ = %g", md1Exact, rho), p[md1Exact], k*math.Pow(1+x, -md1Exact), 1e-8)
		capacity := must(q.Capacity(1e-7))
		tail := 0.0
		for n := len(p) - 1; n > int(capacity); n-- {
			tail += p[n]
		}
		if tail > 1e-7 || tail+p[int(capacity)] <= 1e-7 && capacity > 1 {
			t.Errorf("capacity %g at ρ = %g has tail %g", capacity, rho, tail)
		}
	}
}

// TestGG1 agrees with the exact models where they apply.
func TestGG1(t *testing.T) {
	for _, rho := range []float64{0.2, 0.5, 0.9, 0.999} {
		near(t, "M/M/1 capacity", must(GG1{rho, 1, 1}.Capacity(1e-7)), must(TailCapacity(rho, 1e-7)), 1e-9)
		near(t, "M/D/1 queue", GG1{rho, 1, 0}.MeanQueue(), MD1{rho}.MeanQueue(), 1e-12)
		near(t, "M/D/1 response", GG1{rho, 1, 0}.MeanResponse(3), MD1{rho}.MeanResponse(3), 1e-12)
		near(t, "M/M/1 response", GG1{rho, 1, 1}.MeanResponse(3), MM1{rho}.MeanResponse(3), 1e-12)
	}
}

// TestLancasterQueues reproduces the mean queues of Lancaster 2011, Table 7.2,
// within the rounding of the utilizations that they follow from.
func TestLancasterQueues(t *testing.T) {
	for _, c := range []struct{ rho, want float64 }{{.25, .08}, {.21, .06}, {.29, .12}} {
		if got := (MM1{c.rho}).MeanQueue(); math.Abs(got-c.want) > 0.005 {
			t.Errorf("queue at ρ = %g is %.3f, want %g", c.rho, got, c.want)
		}
	}
}

// TestLittle: L = λW at every model.
func TestLittle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rho := rapid.Float64Range(1e-6, 0.9999).Draw(t, "rho")
		mu := rapid.Float64Range(1e-3, 1e9).Draw(t, "mu")
		for _, c := range [][2]float64{{MM1{rho}.MeanNumber(), MM1{rho}.MeanResponse(mu)}, {MD1{rho}.MeanNumber(), MD1{rho}.MeanResponse(mu)}} {
			if l := rho * mu * c[1]; math.Abs(l-c[0]) > 1e-9*c[0] {
				t.Fatalf("L = %g, λW = %g", c[0], l)
			}
		}
	})
}

// TestMonotone: more load never needs less room, and more variable service never
// less.
func TestMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Float64Range(0, 0.9999).Draw(t, "a")
		b := rapid.Float64Range(a, 0.9999).Draw(t, "b")
		for _, e := range Estimators()[1:] { // Eq. 8 is not monotone near 1
			x, y := must(e.Elements(Load{a, 1, 1}, 1e-7)), must(e.Elements(Load{b, 1, 1}, 1e-7))
			if !(x <= y) {
				t.Fatalf("%s: %g at ρ = %g, %g at ρ = %g", e.Name, x, a, y, b)
			}
		}
		if d, m := must(MD1{a}.Capacity(1e-7)), must(TailCapacity(a, 1e-7)); d > m {
			t.Fatalf("constant service needs %g, exponential %g", d, m)
		}
	})
}

// TestSimulationAgrees runs stations of known truth.
func TestSimulationAgrees(t *testing.T) {
	const mu = 1.0
	for _, c := range []struct {
		name    string
		rho     float64
		service Distribution
		mean    float64
		p       func(n int) float64
	}{
		{"M/M/1", 0.7, Exponential(1 / mu), MM1{.7}.MeanResponse(mu), func(n int) float64 { return MM1{.7}.Probability(float64(n)) }},
		{"M/D/1", 0.8, Constant(1 / mu), MD1{.8}.MeanResponse(mu), func(n int) float64 { return MD1{.8}.Distribution(n + 1)[n] }},
		{"M/E4/1", 0.6, Erlang{1 / mu, 4}, GG1{.6, 1, .25}.MeanResponse(mu), nil},
		// mean 1, second moment 2(0.9·0.25+0.1·30.25) = 6.5, scv 5.5
		{"M/H2/1", 0.5, Hyperexponential{0.1, 0.5, 5.5}, GG1{.5, 1, 5.5}.MeanResponse(mu), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Simulate(context.Background(), Exponential(1/(c.rho*mu)), []Stage{{Service: c.service}}, 1_500_000, rand.NewPCG(1, 2))
			if err != nil {
				t.Fatal(err)
			}
			s := r.Stages[0]
			if math.Abs(s.MeanResponse-c.mean) > 2*s.ResponseError {
				t.Errorf("mean response %g ± %g, want %g", s.MeanResponse, s.ResponseError, c.mean)
			}
			if l := c.rho * mu * s.MeanResponse; math.Abs(l-s.MeanNumber) > 0.02*l {
				t.Errorf("L = %g, λW = %g", s.MeanNumber, l)
			}
			for n := 0; c.p != nil && n < 8; n++ {
				if math.Abs(s.Occupancy[n]-c.p(n)) > 0.005 {
					t.Errorf("P[N = %d] is %g, want %g", n, s.Occupancy[n], c.p(n))
				}
			}
		})
	}
}

// TestSharedUtilization simulates two classes on a processor-sharing server
// event by event, and compares the occupancy of each with the geometric law.
func TestSharedUtilization(t *testing.T) {
	lambda, mu := [2]float64{0.3, 0.2}, [2]float64{1, 0.5} // loads 0.3 and 0.4
	rng := rand.New(rand.NewPCG(5, 6))
	var n [2]int
	var hist [2][64]float64
	span := 0.0
	for range 4_000_000 {
		total := float64(n[0] + n[1])
		var rate [4]float64
		for c := range 2 {
			rate[c] = lambda[c]
			if n[c] > 0 {
				rate[2+c] = mu[c] * float64(n[c]) / total
			}
		}
		sum := rate[0] + rate[1] + rate[2] + rate[3]
		dt := rng.ExpFloat64() / sum
		for c := range 2 {
			hist[c][min(n[c], 63)] += dt
		}
		span += dt
		switch u := rng.Float64() * sum; {
		case u < rate[0]:
			n[0]++
		case u < rate[0]+rate[1]:
			n[1]++
		case u < rate[0]+rate[1]+rate[2]:
			n[0]--
		default:
			n[1]--
		}
	}
	for c := range 2 {
		rho := must(SharedUtilization(lambda[c]/mu[c], 0.7))
		for k := range 8 {
			if got, want := hist[c][k]/span, (MM1{rho}).Probability(float64(k)); math.Abs(got-want) > 0.005 {
				t.Errorf("class %d: P[N = %d] is %g, want %g", c, k, got, want)
			}
		}
	}
	if _, err := SharedUtilization(.5, 1); !errors.Is(err, ErrUnstable) {
		t.Errorf("a full server gives %v", err)
	}
	if _, err := SharedUtilization(.6, .5); !errors.Is(err, ErrRange) {
		t.Errorf("own above total gives %v", err)
	}
}

// TestBlockingTandem: a slow second stage with little room throttles the first to
// its own rate.
func TestBlockingTandem(t *testing.T) {
	r, err := Simulate(context.Background(), Constant(0.1), []Stage{{Constant(0.1), 2}, {Constant(1), 3}}, 20000, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "throughput", r.Throughput, 1, 1e-3)
	if r.Stages[1].MaxNumber > 3 || r.Stages[0].MaxNumber > 2 {
		t.Errorf("stages hold up to %d and %d elements, want 2 and 3", r.Stages[0].MaxNumber, r.Stages[1].MaxNumber)
	}
}

func TestSimulateStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Simulate(ctx, Constant(1), []Stage{{Service: Constant(1)}}, 10000, rand.NewPCG(1, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run gives %v", err)
	}
	if _, err := Simulate(context.Background(), Constant(1), nil, 10000, rand.NewPCG(1, 1)); !errors.Is(err, ErrRange) {
		t.Errorf("no stages give %v", err)
	}
}

func TestPathLatency(t *testing.T) {
	got, err := PathLatency([]Hop{{.5, 100}, {0, math.Inf(1)}, {.9, 1000}})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "latency", got, 1/(100*.5)+1/(1000*.1), 1e-12)
	if _, err := PathLatency([]Hop{{1, 1}}); !errors.Is(err, ErrUnstable) {
		t.Errorf("a full station gives %v", err)
	}
}

func FuzzEstimators(f *testing.F) {
	f.Add(0.9, 1e-7, 1.0, 1.0)
	f.Add(0.99998, 1e-300, 0.0, 0.0)
	f.Fuzz(func(t *testing.T, rho, p, ca, cs float64) {
		for _, e := range Estimators() {
			k, err := e.Elements(Load{rho, ca, cs}, p)
			if err == nil && (!(k >= 1) || math.IsInf(k, 0) && !math.IsInf(ca+cs, 0)) {
				t.Errorf("%s at ρ = %g, p = %g is %g", e.Name, rho, p, k)
			}
		}
	})
}

func BenchmarkCapacity(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Capacity(0.999, DefaultProbability); err != nil {
			b.Fatal(err)
		}
	}
}
