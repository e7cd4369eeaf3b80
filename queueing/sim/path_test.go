package sim

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"pgregory.net/rapid"

	"xopt/queueing"
)

func TestPathLatency(t *testing.T) {
	near(t, "latency", must(PathLatency([]Hop{{.5, 100}, {0, math.Inf(1)}, {.9, 1000}})), 1/(100*.5)+1/(1000*.1), 1e-12)
	if got, err := PathLatency(nil); got != 0 || err != nil {
		t.Errorf("no stations take %g s, %v", got, err)
	}
	for _, c := range []struct {
		hop  Hop
		want error
	}{
		{Hop{1, 1}, queueing.ErrUnstable}, {Hop{-1, 1}, queueing.ErrRange}, {Hop{.5, 0}, queueing.ErrRange},
		{Hop{.5, math.NaN()}, queueing.ErrRange}, {Hop{math.NaN(), 1}, queueing.ErrRange},
	} {
		if _, err := PathLatency([]Hop{{.1, 1}, c.hop}); !errors.Is(err, c.want) {
			t.Errorf("%+v gives %v", c.hop, err)
		}
		if _, err := PathQuantile([]Hop{{.1, 1}, c.hop}, .5); !errors.Is(err, c.want) {
			t.Errorf("%+v gives %v for a quantile", c.hop, err)
		}
	}
	for _, p := range []float64{-.1, 1, math.NaN()} {
		if _, err := PathQuantile([]Hop{{.1, 1}}, p); !errors.Is(err, queueing.ErrRange) {
			t.Errorf("quantile %g gives %v", p, err)
		}
	}
	if got := must(PathQuantile([]Hop{{.1, math.Inf(1)}}, .5)); got != 0 {
		t.Errorf("a station that costs no time takes %g s", got)
	}
}

// erlangTail returns P[T > t] of n exponential times of rate 1.
func erlangTail(n int, t float64) float64 {
	sum, term := 0.0, math.Exp(-t)
	for i := range n {
		sum += term
		term *= t / float64(i+1)
	}
	return sum
}

// uniformized returns P[T > t] of the sum of exponential times of the given rates
// by uniformization of the chain that passes through them, all terms positive.
func uniformized(rates []float64, t float64) float64 {
	fastest := 0.0
	for _, r := range rates {
		fastest = math.Max(fastest, r)
	}
	state := make([]float64, len(rates))
	state[0] = 1
	sum, weight := 0.0, math.Exp(-fastest*t)
	for k := 0; float64(k) < fastest*t+12*math.Sqrt(fastest*t)+40; k++ {
		alive := 0.0
		for _, x := range state {
			alive += x
		}
		sum += weight * alive
		weight *= fastest * t / float64(k+1)
		for i := len(state) - 1; i >= 0; i-- {
			state[i] *= 1 - rates[i]/fastest
			if i > 0 {
				state[i] += state[i-1] * rates[i-1] / fastest
			}
		}
	}
	return sum
}

// hops are M/M/1 stations whose response times have the given rates.
func hops(rates ...float64) []Hop {
	path := make([]Hop, len(rates))
	for i, r := range rates {
		path[i] = Hop{.5, 2 * r}
	}
	return path
}

// TestPathErlang: equal stations have an Erlang time, short paths and long.
func TestPathErlang(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 40, 120} {
		rates := make([]float64, n)
		for i := range rates {
			rates[i] = 1e6
		}
		for _, p := range []float64{1e-3, 0.5, 0.99, 1 - 1e-7, 1 - 0x1p-40} {
			at := must(PathQuantile(hops(rates...), p)) * 1e6
			near(t, fmt.Sprintf("P[T > t] of %d equal stations", n), erlangTail(n, at), 1-p, 1e-9)
		}
	}
}

// TestPathUniformized compares with another way to the same distribution.
func TestPathUniformized(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rates := rapid.SliceOfN(rapid.Float64Range(0.5, 20), 1, 12).Draw(t, "rates")
		p := rapid.Float64Range(0.001, .999).Draw(t, "p")
		at := must(PathQuantile(hops(rates...), p))
		near(t, "P[T > t]", uniformized(rates, at), 1-p, 1e-9)
	})
}

func TestPathQuantile(t *testing.T) {
	// One station: the exponential quantile; two: solved by hand below.
	for _, p := range []float64{0, .1, .5, .99, .999999, 1 - 0x1p-52} {
		near(t, fmt.Sprintf("%g quantile of one station", p), must(PathQuantile([]Hop{{.9, 1000}}, p)),
			-math.Log1p(-p)/100, 1e-10)
	}
	for _, c := range []struct {
		name  string
		rates []float64
	}{{"two", []float64{1, 2}}, {"nearly equal", []float64{3, 3 + 1e-9}}, {"far apart", []float64{1, 1e4}},
		{"very far apart", []float64{1, 1e14}}} {
		path := []Hop{{.5, 2 * c.rates[0]}, {.75, 4 * c.rates[1]}}
		for _, p := range []float64{.01, .5, .9, .9999} {
			at := must(PathQuantile(path, p))
			a, b := c.rates[0], c.rates[1]
			// (b·exp(-at) - a·exp(-bt))/(b-a) = exp(-at)(1 + a(1-exp(-(b-a)t))/(b-a))
			tail := math.Exp(-a*at) * (1 - a*math.Expm1(-(b-a)*at)/(b-a))
			near(t, fmt.Sprintf("P[T > t] at the %g quantile, stations %s", p, c.name), tail, 1-p, 1e-9)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		var path []Hop
		for range rapid.IntRange(1, 10).Draw(t, "n") {
			path = append(path, Hop{rapid.Float64Range(0, .9999).Draw(t, "rho"), rapid.Float64Range(1, 1e9).Draw(t,
				"mu")})
		}
		p := rapid.Float64Range(0.001, .999).Draw(t, "p")
		at := must(PathQuantile(path, p))
		if more := must(PathQuantile(path, p+(1-p)/10)); !(at > 0 && more > at) {
			t.Fatalf("the %g quantile is %g, a higher one %g", p, at, more)
		}
		// Markov's inequality.
		if latency := must(PathLatency(path)); at > latency/(1-p)*(1+1e-6) {
			t.Fatalf("the %g quantile is %g with a mean of %g", p, at, latency)
		}
	})
}

// TestPathSimulated follows elements through three M/M/1 stations by Lindley's
// recursion, in independent runs whose spread says how near they must come.
func TestPathSimulated(t *testing.T) {
	path := []Hop{{.5, 2}, {.8, 1.25}, {.25, 4}}
	fractions := []float64{.1, .5, .9, .99}
	const runs = 12
	var sum, squares [4]float64
	for run := range runs {
		rng := rand.New(rand.NewPCG(uint64(run), 12))
		var out [3]float64
		clock := 0.0
		var times []float64
		for range 200_000 {
			clock += rng.ExpFloat64()
			at := clock
			for j, h := range path {
				at = math.Max(at, out[j]) + rng.ExpFloat64()/h.ServiceRate
				out[j] = at
			}
			times = append(times, at-clock)
		}
		times = times[1000:]
		sort.Float64s(times)
		for i, p := range fractions {
			x := times[int(p*float64(len(times)))]
			sum[i] += x
			squares[i] += x * x
		}
	}
	for i, p := range fractions {
		mean := sum[i] / runs
		spread := math.Sqrt((squares[i]/runs - mean*mean) / (runs - 1))
		// Student, 11 degrees of freedom, 99.9 %: 4.44.
		if got := must(PathQuantile(path, p)); math.Abs(got-mean) > 4.44*spread {
			t.Errorf("the %g quantile is %g, simulated %g ± %g", p, got, mean, spread)
		}
	}
}

func BenchmarkPathQuantile(b *testing.B) {
	for _, n := range []int{3, 10, 40} {
		path := make([]Hop, n)
		for i := range path {
			path[i] = Hop{float64(i) / float64(n), float64(n - i)}
		}
		b.Run(fmt.Sprintf("stations=%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := PathQuantile(path, .99); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
