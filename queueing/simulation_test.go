package queueing

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestStationsSimulated compares M/G/1 with Lindley's recursion over a million elements: the mean wait and response,
// and the number of elements that an arrival sees. For Poisson arrivals that is also the mean over time.
func TestStationsSimulated(t *testing.T) {
	const elements, batches = 1_000_000, 50
	for _, q := range []MG1{{.7, 1}, {.8, 0}, {.6, .25}, {.7, .5}, {.5, 4}} {
		rng := rand.New(rand.NewPCG(3, 1))
		var means [batches]float64
		var finishes []float64 // of the elements in the station, the first is in service
		seen := make([]float64, 30)
		clock, free := 0.0, 0.0
		for i := range elements {
			clock += rng.ExpFloat64() / q.Utilization
			for len(finishes) > 0 && finishes[0] <= clock {
				finishes = finishes[1:]
			}
			if n := len(finishes); n < len(seen) {
				seen[n] += 1. / elements
			}
			wait := max(free-clock, 0)
			free = clock + wait + drawTime(rng, q.ServiceSCV)
			finishes = append(finishes, free)
			means[i*batches/elements] += wait * batches / elements
		}
		sum, squares := 0.0, 0.0
		for _, m := range means {
			sum += m
			squares += m * m
		}
		mean := sum / batches
		half := 2.01 * math.Sqrt((squares/batches-mean*mean)/(batches-1)) // Student, 49 degrees of freedom, 95 %
		if want := q.MeanWait(1); math.Abs(mean-want) > 2*half || half > .05*want {
			t.Errorf("%+v: mean wait %g ± %g, want %g", q, mean, half, want)
		}
		tail, want := 1.0, 1.0
		for n, p := range q.Distribution(len(seen)) {
			tail, want = tail-seen[n], want-p
			if math.Abs(tail-want) > .006+.02*want {
				t.Errorf("%+v: arrivals see more than %d with %g, want %g", q, n, tail, want)
			}
		}
	}
}

// blocked returns the probability that an arrival at an M/M/1 station with room for k elements finds it full. It uses
// the recursion of Erlang's formula for one server: P_k = ρP_{k-1}/(1+ρP_{k-1}), P_0 = 1.
func blocked(rho float64, k int) float64 {
	p := 1.0
	for range k {
		p = rho * p / (1 + rho*p)
	}
	return p
}

// TestBlockingCapacity checks that the size blocks at most p, and one less blocks more.
func TestBlockingCapacity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rho := rapid.OneOf(rapid.Float64Range(1e-6, 0.999), rapid.Float64Range(0.999, 1.001), rapid.Just(1.),
			rapid.Float64Range(1, 4)).Draw(t, "rho")
		p := math.Pow(10, rapid.Float64Range(-5, -0.1).Draw(t, "log p"))
		k, err := BlockingCapacity(rho, p)
		if errors.Is(err, ErrUnstable) {
			if lost := 1 - 1/rho; lost < p*(1-1e-9) {
				t.Fatalf("refused at ρ = %g, where an endless room loses %g, less than %g", rho, lost, p)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if k > 1e6 {
			return // the recursion takes too long
		}
		if b := blocked(rho, int(k)); b > p*(1+1e-6) {
			t.Fatalf("K = %g at ρ = %g blocks %g, want at most %g", k, rho, b, p)
		}
		if b := blocked(rho, int(k)-1); k > 1 && b <= p*(1-1e-6) {
			t.Fatalf("K = %g at ρ = %g is not the smallest: %g blocks %g, want more than %g", k, rho, k-1, b, p)
		}
	})
	// Eq. 8 is this result minus the element in service if P_K is small compared to 1-ρ.
	for _, rho := range []float64{.3, .9, .99, .999} {
		if b, e := must(BlockingCapacity(rho, 1e-7)), must(Capacity(rho, 1e-7)); math.Abs(b-e-1) > 1 {
			t.Errorf("at ρ = %g K = %g blocks 1e-7, Eq. 8 gives %g", rho, b, e)
		}
	}
	for _, c := range []struct{ rho, p float64 }{{-1, .1}, {math.NaN(), .1}, {math.Inf(1), .1}, {.5, 0}, {.5, 1}} {
		if _, err := BlockingCapacity(c.rho, c.p); !errors.Is(err, ErrRange) {
			t.Errorf("ρ = %g, p = %g gives %v", c.rho, c.p, err)
		}
	}
}

// TestSharedUtilizationRefuses checks that impossible loads are rejected.
func TestSharedUtilizationRefuses(t *testing.T) {
	for _, c := range []struct {
		own, total float64
		want       error
	}{
		{.5, 1, ErrUnstable}, {.6, .5, ErrRange}, {-.1, .5, ErrRange}, {math.NaN(), .5, ErrRange},
		{.1, math.NaN(), ErrRange},
	} {
		if _, err := SharedUtilization(c.own, c.total); !errors.Is(err, c.want) {
			t.Errorf("%+v gives %v", c, err)
		}
	}
	if got, err := SharedUtilization(0, .5); got != 0 || err != nil {
		t.Errorf("a class without load has %g, %v", got, err)
	}
}
