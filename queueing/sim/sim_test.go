package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"xopt/queueing"
)

// TestSimulationAgrees runs stations of known truth.
func TestSimulationAgrees(t *testing.T) {
	for _, c := range []struct {
		name    string
		service Distribution
		truth   queueing.MG1
		other   bool // its shape is not the one that the equation takes for this variation
	}{
		{"M/M/1", Exponential(1), queueing.MG1{Utilization: .7, ServiceSCV: 1}, false},
		{"M/D/1", Constant(1), queueing.MG1{Utilization: .8}, false},
		{"M/E4/1", Erlang(1, 4), queueing.MG1{Utilization: .6, ServiceSCV: .25}, false},
		{"M/Gamma/1", Gamma{1, .6}, queueing.MG1{Utilization: .7, ServiceSCV: .6}, false},
		{"M/H2/1", BalancedHyperexponential(1, 4), queueing.MG1{Utilization: .5, ServiceSCV: 4}, false},
		// mean 1, second moment 2(0.9·0.25+0.1·30.25) = 6.5, scv 5.5
		{"M/H2/1 other", Hyperexponential{0.1, 0.5, 5.5}, queueing.MG1{Utilization: .5, ServiceSCV: 5.5}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			rho := c.truth.Utilization
			mean := c.truth.MeanNumber() / rho // response, for μ = 1, by Little's law
			tandem := Tandem{Arrivals: Exponential(1 / rho), Stages: []Stage{{Service: c.service}}}
			r := simulate(t, tandem, 1_000_000, 3)
			s := r.Stages[0]
			if math.Abs(s.Response.Mean-mean) > 2*s.Response.HalfWidth {
				t.Errorf("mean response %g ± %g, want %g", s.Response.Mean, s.Response.HalfWidth, mean)
			}
			if math.Abs(s.Wait.Mean-(mean-1)) > 2*s.Wait.HalfWidth {
				t.Errorf("mean wait %g ± %g, want %g", s.Wait.Mean, s.Wait.HalfWidth, mean-1)
			}
			if s.Response.HalfWidth > 0.05*mean {
				t.Errorf("mean response is only known to ± %g", s.Response.HalfWidth)
			}
			near(t, "utilization", s.Utilization, rho, 0.01)
			near(t, "λW", r.Throughput*s.Response.Mean, s.MeanNumber, 1e-3)
			near(t, "throughput", r.Throughput, rho, 0.01)
			if c.other {
				return
			}
			seen, want := 0.0, 1.0
			for n, p := range c.truth.Distribution(30) {
				want -= p
				if got := s.Tail(n); math.Abs(got-want) > 0.006+0.02*want {
					t.Errorf("P[N > %d] is %g, want %g", n, got, want)
				}
				// Poisson arrivals see time averages.
				if n < len(s.Seen) {
					seen += s.Seen[n]
				}
				if math.Abs(1-seen-want) > 0.006+0.02*want {
					t.Errorf("arrivals see N > %d with %g, want %g", n, 1-seen, want)
				}
			}
		})
	}
}

// TestSimulationInterval: the 95 % confidence interval covers the truth about that
// often.
func TestSimulationInterval(t *testing.T) {
	const runs = 120
	covered := 0
	for seed := range uint64(runs) {
		r := simulate(t, Tandem{Arrivals: Exponential(2), Stages: []Stage{{Service: Exponential(1)}}}, 30_000, seed)
		if r.Response.Contains(2) {
			covered++
		}
		if r.Response != r.Stages[0].Response {
			t.Fatalf("through one stage takes %v, in it %v", r.Response, r.Stages[0].Response)
		}
	}
	// Binomial of 120 and 0.95: below 105 with a probability of 4e-4.
	if covered < 105 {
		t.Errorf("%d of %d intervals hold the mean", covered, runs)
	}
}

// TestSimulatedLoss compares a lossy station with M/M/1/K.
func TestSimulatedLoss(t *testing.T) {
	for _, rho := range []float64{0.5, 1, 2} {
		const k = 5
		q := MM1K{rho, k}
		r := simulate(t, Tandem{Arrivals: Exponential(1 / rho), Stages: []Stage{{Exponential(1), k}}, Lossy: true},
			400_000, 4)
		s := r.Stages[0]
		for n := range k + 1 {
			if math.Abs(s.Occupancy[n]-q.Probability(n)) > 0.004 || math.Abs(s.Seen[n]-q.Probability(n)) > 0.004 {
				t.Errorf("P[N = %d] at ρ = %g is %g in time and %g at arrivals, want %g", n, rho, s.Occupancy[n],
					s.Seen[n], q.Probability(n))
			}
		}
		if math.Abs(r.Lost-q.Blocking()) > 0.004 {
			t.Errorf("%g lost at ρ = %g, want %g", r.Lost, rho, q.Blocking())
		}
		near(t, "throughput", r.Throughput, q.Throughput(), 0.01)
		near(t, "response", s.Response.Mean, q.MeanResponse(1), 0.015)
	}
}

// TestSimulatedJackson: stages without end in series are independent M/M/1.
func TestSimulatedJackson(t *testing.T) {
	path := []Hop{{.5, 2}, {.7, 1 / .7}, {.4, 2.5}}
	tandem := Tandem{Arrivals: Exponential(1)}
	for _, h := range path {
		tandem.Stages = append(tandem.Stages, Stage{Service: Exponential(1 / h.ServiceRate)})
	}
	r := simulate(t, tandem, 500_000, 5)
	if want := must(PathLatency(path)); math.Abs(r.Response.Mean-want) > 2*r.Response.HalfWidth {
		t.Errorf("through all stages takes %g ± %g, want %g", r.Response.Mean, r.Response.HalfWidth, want)
	}
	for j, s := range r.Stages {
		for n := range 12 {
			if want := math.Pow(path[j].Utilization, float64(n+1)); math.Abs(s.Tail(n)-want) > 0.008 {
				t.Errorf("stage %d: P[N > %d] is %g, want %g", j+1, n, s.Tail(n), want)
			}
		}
	}
}

// TestSimulationTies: who leaves makes room for who arrives at the same time.
func TestSimulationTies(t *testing.T) {
	tandem := Tandem{Arrivals: Constant(1), Stages: []Stage{{Constant(1), 1}, {Constant(1), 1}}, Lossy: true}
	r := simulate(t, tandem, 1000, 1)
	if r.Lost != 0 || r.Throughput != 1 || r.Stages[0].Blocked != 0 || r.Stages[0].Utilization != 1 {
		t.Errorf("%g lost, throughput %g, %+v", r.Lost, r.Throughput, r.Stages[0])
	}
}

// TestSimulatedBlocking compares a saturated tandem of two exponential servers with
// b elements of room in the second with its Markov chain: the numbers there and
// blocked form an M/M/1/K station of K = b+1 with load μ₁/μ₂ whose throughput is that
// of the tandem.
func TestSimulatedBlocking(t *testing.T) {
	for _, b := range []int{1, 2, 5} {
		for _, rho := range []float64{0.5, 1, 3} {
			tandem := Tandem{Arrivals: Constant(0), Stages: []Stage{{Exponential(1 / rho), 1}, {Exponential(1), b}}}
			r := simulate(t, tandem, 300_000, 6)
			near(t, fmt.Sprintf("throughput with room %d at load %g", b, rho), r.Throughput,
				MM1K{rho, b + 1}.Throughput(), 0.01)
			near(t, fmt.Sprintf("time blocked with room %d at load %g", b, rho), r.Stages[0].Blocked,
				MM1K{rho, b + 1}.Blocking(), 0.03)
		}
	}
}

// TestBlockingTandem: a slow second stage with little room throttles the first, and
// the source, to its own rate.
func TestBlockingTandem(t *testing.T) {
	r := simulate(t, Tandem{Arrivals: Constant(0.1), Stages: []Stage{{Constant(0.1), 2}, {Constant(1), 3}}}, 20000, 1)
	near(t, "throughput", r.Throughput, 1, 1e-9)
	near(t, "blocked", r.Stages[0].Blocked, 0.9, 1e-6)
	near(t, "utilization of the first", r.Stages[0].Utilization, 0.1, 1e-6)
	near(t, "utilization of the second", r.Stages[1].Utilization, 1, 1e-9)
	if r.Stages[1].MaxNumber != 3 || r.Stages[0].MaxNumber != 2 || r.Lost != 0 {
		t.Errorf("stages hold up to %d and %d elements, want 2 and 3", r.Stages[0].MaxNumber, r.Stages[1].MaxNumber)
	}
	// Five in the two stages, and each leaves a second after the one before.
	near(t, "response", r.Response.Mean, 5, 1e-6)
}

// TestSimulationRecursion follows the same times through the recursion of a tandem
// with finite rooms,
//
//	D[n,j] = max(max(D[n-1,j], D[n,j-1]) + S[n,j], D[n-K[j+1], j+1])
//
// and compares every figure that can be had from both.
func TestSimulationRecursion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n, more = minElements + 7, 4000
		m := rapid.IntRange(1, 4).Draw(t, "stages")
		times := rapid.SliceOfN(rapid.Float64Range(0, 3), 1, 9)
		arrivals := Trace(append([]float64{1}, times.Draw(t, "arrivals")...))
		tandem := Tandem{Arrivals: arrivals}
		services := make([]Trace, m)
		for j := range m {
			services[j] = times.Draw(t, "service")
			tandem.Stages = append(tandem.Stages, Stage{services[j], rapid.IntRange(0, 4).Draw(t, "room")})
		}
		in, out := make([][]float64, m), make([][]float64, m)
		for j := range m {
			in[j], out[j] = make([]float64, more), make([]float64, more)
		}
		entered := 0.0
		for i := range more {
			at := entered + arrivals[i%len(arrivals)]
			if k := tandem.Stages[0].Capacity; k > 0 && i >= k {
				at = math.Max(at, out[0][i-k])
			}
			entered = at // the source is held
			for j := range m {
				in[j][i] = at
				if i > 0 {
					at = math.Max(at, out[j][i-1])
				}
				at += services[j][i%len(services[j])]
				if j+1 < m {
					if k := tandem.Stages[j+1].Capacity; k > 0 && i >= k {
						at = math.Max(at, out[j+1][i-k])
					}
				}
				out[j][i] = at
			}
		}
		end := out[m-1][n-1]
		r, err := Simulate(context.Background(), &tandem, Extent{Elements: n, WarmUp: -1}, rand.NewPCG(1, 1))
		if err != nil {
			t.Fatal(err)
		}
		close := func(what string, got, want float64) {
			if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
				t.Fatalf("%s is %g, want %g", what, got, want)
			}
		}
		close("seconds", r.Seconds, end)
		for j := range m {
			sum, last := 0.0, 0.0
			for i := range more {
				sum += math.Min(out[j][i], end) - math.Min(in[j][i], end)
				if i < n {
					last += out[j][i] - in[j][i]
				}
			}
			if in[0][more-1] > end { // all that came in by then is in the sum
				close(fmt.Sprintf("mean number in stage %d", j+1), r.Stages[j].MeanNumber, sum/end)
			}
			if j == m-1 {
				close("mean time in the last stage", r.Stages[j].Response.Mean, last/n)
			}
			if k := tandem.Stages[j].Capacity; k > 0 && r.Stages[j].MaxNumber > k {
				t.Fatalf("stage %d of room %d holds %d", j+1, k, r.Stages[j].MaxNumber)
			}
			idle := 1 - r.Stages[j].Utilization - r.Stages[j].Blocked
			close("time without an element", r.Stages[j].Occupancy[0], idle)
			total := 0.0
			for _, p := range r.Stages[j].Occupancy {
				total += p
			}
			close("sum of the occupancy", total, 1)
		}
		sojourn := 0.0
		for i := range n {
			sojourn += out[m-1][i] - in[0][i]
		}
		close("mean time in the tandem", r.Response.Mean, sojourn/n)
	})
}

func TestSimulateRepeats(t *testing.T) {
	tandem := Tandem{Arrivals: Exponential(1), Stages: []Stage{{Service: Gamma{.5, 2}}, {Erlang(.9, 3), 4}}}
	a, b, c := simulate(t, tandem, 3000, 7), simulate(t, tandem, 3000, 7), simulate(t, tandem, 3000, 8)
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Error("the same seed gives another run")
	}
	if fmt.Sprint(a) == fmt.Sprint(c) {
		t.Error("another seed gives the same run")
	}
}

func TestSimulateStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	tandem := Tandem{Arrivals: Constant(1), Stages: []Stage{{Service: Constant(1)}}}
	if _, err := Simulate(ctx, &tandem, Extent{Elements: 10000}, rand.NewPCG(1, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run gives %v", err)
	}
}

func TestSimulateRefuses(t *testing.T) {
	one := []Stage{{Service: Constant(1)}}
	for _, c := range []struct {
		name   string
		tandem Tandem
		want   string
	}{
		{"no stages", Tandem{Arrivals: Constant(1)}, "without stages"},
		{"no source", Tandem{Stages: one}, "the source has no distribution"},
		{"no service", Tandem{Arrivals: Constant(1), Stages: []Stage{{}}}, "stage 1 has no distribution"},
		{"negative time", Tandem{Arrivals: Constant(1), Stages: []Stage{{Service: Constant(-1)}}},
			"stage 1 has mean -1"},
		{"undefined time", Tandem{Arrivals: Exponential(math.NaN()), Stages: one}, "the source has mean NaN"},
		{"no Erlang stages", Tandem{Arrivals: Erlang(1, 0), Stages: one}, "variation +Inf"},
		{"no probability", Tandem{Arrivals: Hyperexponential{2, 1, 1}, Stages: one}, "mean NaN"},
		{"scv below 1", Tandem{Arrivals: BalancedHyperexponential(1, .5), Stages: one}, "mean NaN"},
		{"empty trace", Tandem{Arrivals: Trace{}, Stages: one}, "mean NaN"},
		{"empty histogram", Tandem{Arrivals: &Histogram{}, Stages: one}, "mean NaN"},
		{"no gamma", Tandem{Arrivals: Gamma{1, 0}, Stages: one}, "variation NaN"},
		{"negative room", Tandem{Arrivals: Constant(1), Stages: []Stage{{Constant(1), -1}}}, "capacity -1"},
		{"flood", Tandem{Arrivals: Constant(0), Stages: one}, "takes no time"},
		{"flood of losses", Tandem{Arrivals: Constant(0), Stages: []Stage{{Constant(1), 2}}, Lossy: true},
			"takes no time"},
		{"negative in a trace", Tandem{Arrivals: Constant(1), Stages: []Stage{{Service: Trace{1, 2, -.5}}}},
			"stage 1 drew a time of -0.5 s"},
		{"no time passes", Tandem{Arrivals: Constant(0), Stages: []Stage{{Constant(0), 1}}}, "took 0 s"},
	} {
		_, err := Simulate(context.Background(), &c.tandem, Extent{Elements: 1000}, rand.NewPCG(1, 1))
		if !errors.Is(err, queueing.ErrRange) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s gives %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := Simulate(context.Background(), &Tandem{Arrivals: Constant(1), Stages: one}, Extent{Elements: 10},
		rand.NewPCG(1, 1)); !errors.Is(err, queueing.ErrRange) {
		t.Errorf("ten elements give %v", err)
	}
}

// TestSimulationWarns of a run that is short against the memory of its queue.
func TestSimulationWarns(t *testing.T) {
	long := simulate(t, Tandem{Arrivals: Exponential(2), Stages: []Stage{{Service: Exponential(1)}}}, 100_000, 2)
	short := simulate(t, Tandem{Arrivals: Exponential(1 / .995), Stages: []Stage{{Service: Exponential(1)}}}, 3000, 2)
	if len(long.Warnings) != 0 || len(short.Warnings) != 1 {
		t.Errorf("a long run warns %q, a short one %q", long.Warnings, short.Warnings)
	}
}

// TestVirtualQueue is the tandem of Lancaster 2011, Fig. 5.7: a bus of constant
// service before an exponential server, which it spares the bursts of the arrivals.
func TestVirtualQueue(t *testing.T) {
	const lambda, bus, server = 0.8, 1.0, 1.0
	tandem := Tandem{Arrivals: Exponential(1 / lambda), Stages: []Stage{{Service: Constant(1 / bus)},
		{Service: Exponential(1 / server)}}}
	r := simulate(t, tandem, 400_000, 9)
	near(t, "elements at the bus", r.Stages[0].MeanNumber, queueing.MG1{Utilization: lambda / bus}.MeanNumber(), 0.03)
	// Departures of M/D/1 have a variation of about 1-ρ²; Kingman's approximation.
	const rho, variation = lambda / server, (1 - lambda*lambda + 1) / 2
	near(t, "elements at the server", r.Stages[1].MeanNumber, rho+rho*rho/(1-rho)*variation, 0.15)
	if l := (queueing.MM1{Utilization: lambda / server}).MeanNumber(); !(r.Stages[1].MeanNumber < 0.9*l) {
		t.Errorf("the server holds %g, want well below %g", r.Stages[1].MeanNumber, l)
	}
	near(t, "elements in the virtual queue", r.Throughput*r.Response.Mean,
		r.Stages[0].MeanNumber+r.Stages[1].MeanNumber, 1e-3)
	// The histograms of the times between transfers replay it.
	replay := tandem
	var edges, counts []float64
	for i := range 400 {
		edges = append(edges, float64(i)*.03)
		counts = append(counts, math.Exp(-lambda*float64(i)*.03))
	}
	h, err := NewHistogram(append(edges, 12), counts)
	if err != nil {
		t.Fatal(err)
	}
	replay.Arrivals = h
	again := simulate(t, replay, 400_000, 10)
	near(t, "elements in the replayed queue", again.Stages[1].MeanNumber, r.Stages[1].MeanNumber, 0.06)
}

func BenchmarkSimulate(b *testing.B) {
	for _, c := range []struct {
		name   string
		tandem Tandem
	}{
		{"stages=1", Tandem{Arrivals: Exponential(1), Stages: []Stage{{Service: Exponential(.9)}}}},
		{"stages=4", Tandem{Arrivals: Exponential(1), Stages: []Stage{{Service: Exponential(.9)}, {Constant(.8), 8},
			{Erlang(.5, 2), 4}, {Exponential(.9), 16}}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			events := uint64(0)
			for seed := uint64(0); b.Loop(); seed++ {
				r, err := Simulate(context.Background(), &c.tandem, Extent{Elements: 100_000}, rand.NewPCG(seed, 1))
				if err != nil {
					b.Fatal(err)
				}
				events += r.Events
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// TestCapacityCountsService: a station with a capacity of K holds K, of which one
// is in service and K-1 wait.
func TestCapacityCountsService(t *testing.T) {
	const k = 4
	r := simulate(t, Tandem{Arrivals: Exponential(0.5), Stages: []Stage{{Exponential(1), k}}, Lossy: true}, 100_000, 1)
	s := r.Stages[0]
	if s.MaxNumber != k {
		t.Errorf("at most %d elements in the station, want %d", s.MaxNumber, k)
	}
	near(t, "elements waiting", s.Wait.Mean*r.Throughput, s.MeanNumber-s.Utilization, 1e-3)
}
