package mapper

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"xopt/flow"
)

// seeds returns the number of problems that a test draws: fewer with -short.
func seeds(n uint64) uint64 {
	if testing.Short() {
		return n/5 + 1
	}
	return n
}

// powered sets a power and a price of every resource.
func powered(rng *rand.Rand, p *flow.Problem) {
	for r := range p.Architecture.Resources {
		res := &p.Architecture.Resources[r]
		res.Power = 5 + 10*rng.Float64()
		res.Idle = res.Power * rng.Float64()
		res.Price = 0.1 + rng.Float64()
	}
}

// fast measures a mapping as a search does.
func fast(t *testing.T, p *flow.Problem, m *flow.Mapping, rate float64) Measures {
	t.Helper()
	s, err := flow.NewScorer(p, m)
	if err != nil {
		t.Fatal(err)
	}
	flows, err := flow.NewFlows(&p.Application, 0)
	if err != nil {
		t.Fatal(err)
	}
	return newMeasurer(p, flows).measure(s, rate, true)
}

func alike[T float64 | Number](a, b T) bool {
	return a == b || math.Abs(float64(a-b)) <= 1e-7*math.Max(math.Abs(float64(a)), math.Abs(float64(b)))
}

// TestMeasures compares with measures computed path by path on the network.
func TestMeasures(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 41))
		p := oneSource(t, seed, 4+rng.IntN(10), 3)
		varied(rng, p)
		powered(rng, p)
		m, err := RandomWalk(p, nil, rng)
		if err != nil {
			t.Fatal(err)
		}
		rate := 0.0
		want, throughput := slowMeasures(t, p, m, rate)
		if rng.IntN(2) == 0 {
			rate = throughput * rng.Float64() * 1.2
			want, _ = slowMeasures(t, p, m, rate)
		}
		got := fast(t, p, m, rate)
		for _, o := range []Objective{Latency, AreaUse, Buffers, Cores, Energy, Cost} {
			if !alike(got.Value(o, 0), want.Value(o, 0)) {
				t.Fatalf("seed %d: %v is %g, want %g", seed, o, got.Value(o, 0), want.Value(o, 0))
			}
		}
		if !alike(got.Buffer, want.Buffer) || !alike(got.Rate, want.Rate) || !alike(got.Power, want.Power) {
			t.Fatalf("seed %d: %+v, want %+v", seed, got, want)
		}
	}
}

// goalProblem returns a problem that is small enough for enumeration.
func goalProblem(t *testing.T, seed uint64) *flow.Problem {
	rng := rand.New(rand.NewPCG(seed, 43))
	p := oneSource(t, seed, 4, 2)
	varied(rng, p)
	powered(rng, p)
	return p
}

// TestGoals compares searches for every objective, with limits, with an enumeration whose measures are computed
// independently.
func TestGoals(t *testing.T) {
	found := 0
	for seed := range seeds(12) {
		rng := rand.New(rand.NewPCG(seed, 47))
		p := goalProblem(t, seed)
		g := Goal{Objectives: []Objective{Objective(seed % uint64(objectives))}}
		top := bruteForce(p, &flow.Constraints{})
		if rng.IntN(3) > 0 || g.First() == Cores || g.First() == Cost {
			g.MinThroughput = top * (0.3 + 0.6*rng.Float64())
		}
		typical, _ := slowMeasures(t, p, mustWalk(t, p, rng), g.MinThroughput)
		if rng.IntN(2) == 0 && !math.IsInf(float64(typical.Latency), 1) {
			g.MaxLatency, g.MaxBuffer = float64(typical.Latency), float64(1.5*typical.Buffer)
		}
		best := math.Inf(1)
		everyMapping(p, func(m *flow.Mapping) {
			x, throughput := slowMeasures(t, p, m, g.MinThroughput)
			if throughput == 0 || throughput < g.MinThroughput ||
				g.MaxLatency > 0 && float64(x.Latency) > g.MaxLatency ||
				g.MaxBuffer > 0 && float64(x.Buffer) > g.MaxBuffer {
				return
			}
			best = math.Min(best, x.Value(g.First(), throughput))
		})
		for _, method := range []Method{Exhaustive, Anneal} {
			name := fmt.Sprintf("seed %d, %v by %v", seed, g, method)
			r, err := Search(context.Background(), p, nil, Options{Method: method, Seed: seed, Goal: g})
			if math.IsInf(best, 1) {
				if err == nil {
					t.Errorf("%s: found %+v where nothing keeps the limits", name, r.Candidates[0])
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			c := &r.Candidates[0]
			if v := c.Measures.Value(g.First(), c.Throughput); !alike(v, best) {
				t.Errorf("%s: value %g, want %g", name, v, best)
			}
			if x, throughput := slowMeasures(t, p, c.Mapping, g.MinThroughput); !alike(x.Value(g.First(), throughput),
				best) || throughput < g.MinThroughput*(1-1e-9) {
				t.Errorf("%s: the mapping has %+v at %g", name, x, throughput)
			}
			found++
		}
	}
	if found < 12 && !testing.Short() {
		t.Errorf("only %d searches had something to find", found)
	}
}

func mustWalk(t *testing.T, p *flow.Problem, rng *rand.Rand) *flow.Mapping {
	t.Helper()
	m, err := RandomWalk(p, nil, rng)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestFront compares fronts with that of all mappings.
func TestFront(t *testing.T) {
	for seed := range seeds(10) {
		p := goalProblem(t, seed)
		g := Goal{Objectives: [][]Objective{{Throughput, Cores}, {Throughput, Latency}, {Cores, Energy, Throughput},
			{Throughput, AreaUse}, {Buffers, Cost}}[seed%5]}
		var all [][]float64
		everyMapping(p, func(m *flow.Mapping) {
			x, throughput := slowMeasures(t, p, m, 0)
			if throughput == 0 {
				return
			}
			var values []float64
			for _, o := range g.Objectives {
				values = append(values, x.Value(o, throughput))
			}
			all = append(all, values)
		})
		dominated := func(v []float64) bool {
			return slices.ContainsFunc(all, func(o []float64) bool {
				below := false
				for i := range o {
					if o[i] > v[i]+1e-9*math.Abs(v[i]) {
						return false
					}
					below = below || o[i] < v[i]-1e-9*math.Abs(v[i])
				}
				return below
			})
		}
		for _, method := range []Method{Exhaustive, Anneal} {
			r, err := Search(context.Background(), p, nil, Options{Method: method, Seed: seed, Goal: g, Top: 1000})
			if err != nil {
				t.Fatal(err)
			}
			var found [][]float64
			for i := range r.Candidates {
				c := &r.Candidates[i]
				x, throughput := slowMeasures(t, p, c.Mapping, 0)
				var values []float64
				for _, o := range g.Objectives {
					values = append(values, x.Value(o, throughput))
				}
				if dominated(values) {
					t.Errorf("seed %d, %v: %v is on the front of %v, and is dominated", seed, method, values,
						g.Objectives)
				}
				found = append(found, values)
			}
			for _, v := range all {
				if !dominated(v) && !slices.ContainsFunc(found, func(o []float64) bool {
					return slices.EqualFunc(o, v, func(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b) })
				}) && len(found) < frontSize {
					t.Errorf("seed %d, %v: %v is not on the front of %v", seed, method, v, g.Objectives)
				}
			}
		}
	}
}

// TestGoalsRefused checks invalid goals.
func TestGoalsRefused(t *testing.T) {
	p := oneSource(t, 1, 5, 2)
	for _, g := range []Goal{{Objectives: []Objective{Energy}}, {Objectives: []Objective{Cost}},
		{Objectives: []Objective{Cores, Cores}}, {Objectives: []Objective{objectives}},
		{MinThroughput: -1}, {MaxLatency: math.NaN()}, {MaxBuffer: math.Inf(1)}, {MinThroughput: 1e30}} {
		if r, err := Search(context.Background(), p, nil, Options{Goal: g}); err == nil {
			t.Errorf("%+v finds %+v", g, r.Candidates[0])
		}
	}
	for _, text := range []string{"", "speed", "cores,cores", "throughput,", "throughput cores"} {
		if list, err := ParseObjectives(text); err == nil {
			t.Errorf("%q reads as %v", text, list)
		}
	}
}

// TestExchange checks that several threads give the same answer each time, over many rounds of exchange.
func TestExchange(t *testing.T) {
	p := randomProblem(rand.New(rand.NewPCG(5, 3)), 30, 6)
	for _, threads := range []int{2, 3} {
		var first *Result
		for range 3 {
			r, err := Search(context.Background(), p, nil, Options{Method: Anneal, Seed: 3, Threads: threads,
				MaxEvals: 6 * uint64(threads) * exchangeEvery, ProofNodes: -1})
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = r
				continue
			}
			if r.Evals != first.Evals || len(r.Candidates) != len(first.Candidates) {
				t.Fatalf("%d threads: %d mappings scored, then %d", threads, first.Evals, r.Evals)
			}
			for i := range r.Candidates {
				if r.Candidates[i].key != first.Candidates[i].key {
					t.Fatalf("%d threads: candidate %d differs", threads, i+1)
				}
			}
		}
	}
}

// BenchmarkMaxBuffer is BenchmarkAnnealMove for 40 kernels with a limit on the largest buffer, so that every
// mapping's buffers are sized.
func BenchmarkMaxBuffer(b *testing.B) {
	c := chainOf(b, oneSource(b, 40, 40, 12))
	c.goal.MaxBuffer = 64 << 10
	c.scalar = newScalarization(c.goal)
	energy := c.energy()
	b.ReportAllocs()
	for b.Loop() {
		energy, _ = c.try(energy, 0.05)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "moves/s")
}
