package queueing

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestFiniteCapacity checks that two stations with exponential services lose no more than requested with the capacity
// plus a place at each end. With less than half of it they must lose more. The reference is exact: the occupied places
// are the M/M/1/K queue of a writer that is blocked instead of rejected. The blocked fraction of the writer's time is
// (1-r)·r^K/(1-r^(K+1)).
func TestFiniteCapacity(t *testing.T) {
	blocked := func(r, k float64) float64 {
		if r == 1 {
			return 1 / (k + 1)
		}
		return (1 - r) * math.Pow(r, k) / (1 - math.Pow(r, k+1))
	}
	for _, r := range []float64{0.2, 0.5, 0.8, 0.9, 0.99, 0.999, 1} {
		for _, loss := range []float64{0.1, 0.01, 0.001} {
			k := math.Ceil(FiniteCapacity(r, 2, loss)) + 2
			if got := blocked(r, k); got > loss {
				t.Errorf("ρ = %g: %g places lose %g, want at most %g", r, k, got, loss)
			}
			if got := blocked(r, math.Ceil(k/2)-2); got <= loss {
				t.Errorf("ρ = %g: less than half of %g places lose %g, no more than %g", r, k, got, loss)
			}
		}
	}
	for _, c := range []struct{ rho, v, want float64 }{
		{1, 2, 100}, {1, 0, 0}, {0, 2, 0}, {1 - 1e-12, 2, 100}, {0.999999, 2, 100}, {2, 2, 100},
		{0.9, 2, math.Log(11) / -math.Log(0.9)}, {0.9, 5, 2.5 * math.Log(11) / -math.Log(0.9)},
	} {
		if got := FiniteCapacity(c.rho, c.v, 0.01); math.Abs(got-c.want) > 1e-4*c.want {
			t.Errorf("FiniteCapacity(%g, %g, 0.01) = %g, want %g", c.rho, c.v, got, c.want)
		}
	}
}

// TestFiniteCapacityOfAnyService checks gamma and hyperexponential services with a recursion over the ends of firings.
func TestFiniteCapacityOfAnyService(t *testing.T) {
	const firings, loss = 400_000, 0.01
	for _, c := range []struct{ rho, writer, reader float64 }{
		{1, 1, 1}, {1, 0.04, 0.04}, {1, 0.25, 4}, {0.9, 1, 4}, {0.9, 4, 1}, {0.5, 4, 4}, {0.95, 0.04, 1},
		{0.7, 0.04, 0.04},
		{0.3, 4, 1}, {0.3, 1, 4}, {0.1, 1, 1}, {0.3, 0.04, 4}, {0.8, 0.2, 9},
	} {
		rng := rand.New(rand.NewPCG(7, 11))
		k := int(math.Ceil(FiniteCapacity(c.rho, c.writer+c.reader, loss))) + 2
		sent, released := make([]float64, firings), make([]float64, firings)
		for n := range firings {
			first := 0.0
			if n > 0 {
				first = sent[n-1]
			}
			if n >= k {
				first = math.Max(first, released[n-k])
			}
			sent[n] = first + drawTime(rng, c.writer)
			start := sent[n]
			if n > 0 {
				start = math.Max(start, released[n-1])
			}
			released[n] = start + c.rho*drawTime(rng, c.reader)
		}
		// A writer without a reader needs time 1 per firing on average. The noise is 4 standard deviations.
		noise := 4 * math.Sqrt((c.writer+c.reader)/firings)
		if lost := 1 - firings/released[firings-1]; lost > loss+noise {
			t.Errorf("ρ = %g, scv %g and %g: %d places lose %g", c.rho, c.writer, c.reader, k, lost)
		}
	}
}

// drawTime draws a time of mean 1. It is constant for scv 0, a sum of 1/scv exponential phases up to scv 1, and
// hyperexponential with two balanced phases above.
func drawTime(rng *rand.Rand, scv float64) float64 {
	if scv == 0 {
		return 1
	}
	if scv <= 1 {
		phases, sum := int(math.Round(1/scv)), 0.0
		for range phases {
			sum += rng.ExpFloat64()
		}
		return sum / float64(phases)
	}
	p := (1 + math.Sqrt((scv-1)/(scv+1))) / 2
	if rng.Float64() < p {
		return rng.ExpFloat64() / (2 * p)
	}
	return rng.ExpFloat64() / (2 * (1 - p))
}

func BenchmarkFiniteCapacity(b *testing.B) {
	sum := 0.0
	for b.Loop() {
		sum += FiniteCapacity(0.9, 2, 0.01)
	}
	_ = sum
}
