package mapper

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"xopt/flow"
	"xopt/internal/testkit"
)

// randomProblem returns an application with one or two sources, on equal cores and an FPGA that a bus joins, with a
// second link between the cores.
func randomProblem(rng *rand.Rand, kernels, cores int) *flow.Problem {
	p := &flow.Problem{}
	sources := 1 + rng.IntN(2)
	for k := range kernels {
		p.Application.Kernels = append(p.Application.Kernels, flow.Kernel{Name: fmt.Sprintf("k%d", k), Gain: 1})
		if k < sources {
			continue
		}
		p.Application.Kernels[k].Gain = math.Exp(rng.NormFloat64())
		from := rng.IntN(k)
		if k < 2*sources {
			from = k - sources
		}
		p.Application.Edges = append(p.Application.Edges, flow.Edge{Name: fmt.Sprintf("e%d", k), From: from, To: k,
			ElementBytes: 64, Routing: 0.2 + rng.Float64()})
	}
	sum := make([]float64, kernels)
	for _, e := range p.Application.Edges {
		sum[e.From] += e.Routing
	}
	for i := range p.Application.Edges {
		p.Application.Edges[i].Routing /= sum[p.Application.Edges[i].From]
	}
	arch := &p.Architecture
	bus := flow.Link{Name: "bus", Bandwidth: 3e8}
	lan := flow.Link{Name: "lan", Bandwidth: 2e8}
	unlimited := flow.Area{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)}
	for r := range cores + 1 {
		res := flow.Resource{Name: fmt.Sprintf("r%d", r), Platform: "C", Area: unlimited}
		bus.Endpoints = append(bus.Endpoints, r)
		if r < cores {
			lan.Endpoints = append(lan.Endpoints, r)
		} else {
			res.Platform, res.Sharing.Rule = "HDL", flow.AreaOnly
			res.Area[flow.LUT] = 100
		}
		arch.Resources = append(arch.Resources, res)
	}
	arch.Links = []flow.Link{bus, lan}
	for k := range kernels {
		row := make([]flow.Figures, cores+1)
		core := 1e7 * math.Exp(rng.NormFloat64())
		for r := range row {
			row[r] = flow.Figures{Available: true, ServiceRate: core}
		}
		row[cores] = flow.Figures{Available: k >= sources && rng.IntN(3) > 0, ServiceRate: 4 * core,
			Area: flow.Area{float64(20 + rng.IntN(60))}}
		p.Figures = append(p.Figures, row)
	}
	return p
}

// randomConstraints returns a few constraints that can usually be met together.
func randomConstraints(rng *rand.Rand, p *flow.Problem) *flow.Constraints {
	n := len(p.Application.Kernels)
	c := &flow.Constraints{Fixed: make([][]int, n), Forbidden: make([][]int, n)}
	if rng.IntN(2) == 0 {
		c.Fixed[rng.IntN(n)] = []int{0, 1}
	}
	if rng.IntN(2) == 0 {
		c.Forbidden[rng.IntN(n)] = []int{rng.IntN(len(p.Architecture.Resources))}
	}
	if perm := rng.Perm(n); rng.IntN(2) == 0 {
		c.Together = append(c.Together, perm[:2])
		c.Separate = append(c.Separate, perm[1:4])
	}
	return c
}

// score solves a new network.
func score(p *flow.Problem, m *flow.Mapping) float64 {
	n, err := flow.NewNetwork(p, m)
	if err != nil {
		return 0
	}
	s, err := flow.Fast{}.Solve(context.Background(), n)
	if err != nil {
		return 0
	}
	return s.Throughput
}

// bruteForce scores every valid placement and choice of routes by its network, without exploiting symmetry.
func bruteForce(p *flow.Problem, c *flow.Constraints) float64 {
	prepared, err := flow.Prepare(p)
	if err != nil {
		return 0
	}
	best := 0.0
	everyMapping(p, func(m *flow.Mapping) {
		if !meets(c, m.Place) {
			return
		}
		n, err := prepared.Network(m)
		if err != nil {
			return // of area, or routes
		}
		if s, err := (flow.Fast{}).Solve(context.Background(), n); err == nil {
			best = max(best, s.Throughput)
		}
	})
	return best
}

// meets reports whether a placement satisfies constraints.
func meets(c *flow.Constraints, place []int) bool {
	for k, r := range place {
		if len(c.Fixed) > 0 && c.Fixed[k] != nil && !slices.Contains(c.Fixed[k], r) ||
			len(c.Forbidden) > 0 && slices.Contains(c.Forbidden[k], r) {
			return false
		}
	}
	for _, g := range c.Together {
		for _, k := range g {
			if place[k] != place[g[0]] {
				return false
			}
		}
	}
	for _, g := range c.Separate {
		for i, k := range g {
			for _, other := range g[:i] {
				if place[k] == place[other] {
					return false
				}
			}
		}
	}
	return true
}

// everyMapping calls visit with every placement and routing.
func everyMapping(p *flow.Problem, visit func(*flow.Mapping)) {
	routes := flow.NewRoutes(&p.Architecture)
	m := &flow.Mapping{Place: make([]int, len(p.Application.Kernels)), Route: make([][]int, len(p.Application.Edges))}
	var edge func(e int)
	edge = func(e int) {
		if e == len(m.Route) {
			visit(m)
			return
		}
		ed := p.Application.Edges[e]
		m.Route[e] = nil
		alternatives := routes.Between(m.Place[ed.From], m.Place[ed.To])
		if len(alternatives) == 0 {
			edge(e + 1)
		}
		for _, a := range alternatives {
			m.Route[e] = a
			edge(e + 1)
		}
	}
	var place func(k int)
	place = func(k int) {
		if k == len(m.Place) {
			edge(0)
			return
		}
		for r := range p.Architecture.Resources {
			if p.Figures[k][r].Available {
				m.Place[k] = r
				place(k + 1)
			}
		}
	}
	place(0)
}

// TestFindsOptimum compares exhaustive search and annealing with brute force.
func TestFindsOptimum(t *testing.T) {
	for seed := range uint64(25) {
		rng := rand.New(rand.NewPCG(seed, 4))
		p := randomProblem(rng, 4+rng.IntN(2), 2)
		c := randomConstraints(rng, p)
		want := bruteForce(p, c)
		for _, m := range []Method{Exhaustive, Anneal, Auto} {
			r, err := Search(context.Background(), p, c, Options{Method: m, Seed: 1, Threads: 1})
			if want == 0 {
				if !errors.Is(err, flow.ErrInfeasible) {
					t.Fatalf("seed %d, %v: no mapping exists, but %v", seed, m, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("seed %d, %v: %v", seed, m, err)
			}
			if got := r.Candidates[0].Throughput; math.Abs(got-want) > 1e-9*want {
				t.Errorf("seed %d, %v: best is %.12g, brute force finds %.12g", seed, m, got, want)
			}
			if m != Anneal && r.Status != Optimal {
				t.Errorf("seed %d, %v: status %v", seed, m, r.Status)
			}
		}
	}
}

// TestCandidates checks every candidate of every method: it meets the constraints, has the reported score, and
// differs from the others. The candidates are in order.
func TestCandidates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		p := randomProblem(rng, rapid.IntRange(4, 12).Draw(t, "kernels"), rapid.IntRange(2, 5).Draw(t, "cores"))
		c := randomConstraints(rng, p)
		method := Method(rapid.IntRange(1, 3).Draw(t, "method"))
		r, err := Search(context.Background(), p, c, Options{Method: method, MaxEvals: 3000, Threads: 2, Top: 8})
		if errors.Is(err, flow.ErrInfeasible) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		seen := make(map[string]bool)
		for i, cand := range r.Candidates {
			if faults := c.Check(p, cand.Mapping); len(faults) > 0 {
				t.Fatalf("candidate %d: %v", i, faults)
			}
			if want := score(p, cand.Mapping); math.Abs(cand.Throughput-want) > 1e-9*want {
				t.Fatalf("candidate %d says %.12g and scores %.12g", i, cand.Throughput, want)
			}
			if i > 0 && better(&cand, &r.Candidates[i-1]) {
				t.Fatalf("candidate %d is better than the one before", i)
			}
			cand.key = cand.key[:placeBytes*len(p.Application.Kernels)]
			if seen[cand.key] {
				t.Fatalf("candidate %d is there twice", i)
			}
			seen[cand.key] = true
		}
	})
}

// TestSameSeedSameAnswer compares two runs with the same seed, and one with another.
func TestSameSeedSameAnswer(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	p := randomProblem(rng, 25, 6)
	run := func(seed uint64) *Result {
		r, err := Search(context.Background(), p, nil, Options{Method: Anneal, Seed: seed, Threads: 2, MaxEvals: 20000})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	a, b := run(7), run(7)
	if !reflect.DeepEqual(a.Candidates, b.Candidates) || a.Evals != b.Evals {
		t.Error("the same seed gives different answers")
	}
	if a.Evals != 20000 || a.Status != EvalLimit {
		t.Errorf("%d mappings scored, %v; want 20000", a.Evals, a.Status)
	}
}

// TestSymmetry checks that a few kernels on twelve equal cores have few distinct mappings.
func TestSymmetry(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	p := randomProblem(rng, 6, 12)
	p.Architecture.Links = p.Architecture.Links[:1]
	for k := range p.Figures {
		p.Figures[k][12].Available = false
	}
	s, err := newSpace(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := s.count(1 << 40); n != 203 { // partitions of six things (Bell number)
		t.Errorf("%d mappings up to renaming, want 203", n)
	}
	if s.size().Int64() != 12*12*12*12*12*12 {
		t.Errorf("size is %v, want 12^6", s.size())
	}
	s.allowed[0], s.allowed[1] = s.allowed[0][:5], s.allowed[1][:7]
	if s.size().Int64() != 5*7*12*12*12*12 {
		t.Errorf("size is %v, want 5*7*12^4", s.size())
	}
}

func TestInterrupt(t *testing.T) {
	before := runtime.NumGoroutine()
	rng := rand.New(rand.NewPCG(2, 2))
	p := randomProblem(rng, 60, 12)
	ctx, cancel := context.WithCancel(context.Background())
	progressed := make(chan struct{}, 1000)
	go func() {
		<-progressed
		cancel()
	}()
	r, err := Search(ctx, p, nil, Options{Method: Anneal, Threads: 2, MaxTime: time.Hour,
		Progress: func(pr Progress) {
			if pr.Best > 0 {
				progressed <- struct{}{}
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != Interrupted || len(r.Candidates) == 0 {
		t.Errorf("status %v with %d candidates", r.Status, len(r.Candidates))
	}
	if !testkit.Eventually(func() bool { return runtime.NumGoroutine() <= before }) {
		t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
	}
}

func TestContradictions(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*flow.Problem, *flow.Constraints)
		text   string
	}{
		{"no implementation", func(p *flow.Problem, c *flow.Constraints) { clear(p.Figures[1]) },
			"kernel k1 has no implementation for any resource"},
		{"all forbidden", func(p *flow.Problem, c *flow.Constraints) { c.Forbidden[2] = []int{0, 1, 2} },
			"all of these are forbidden"},
		{"fixed nowhere", func(p *flow.Problem, c *flow.Constraints) { c.Fixed[0] = []int{2} },
			"kernel k0 is fixed to r2, where it has no implementation"},
		{"together nowhere", func(p *flow.Problem, c *flow.Constraints) {
			c.Together = [][]int{{0, 1}}
			c.Fixed[0], c.Fixed[1] = []int{0}, []int{1}
		}, "kernels k0, k1 must be together, but no resource can run them all"},
		{"both", func(p *flow.Problem, c *flow.Constraints) {
			c.Together, c.Separate = [][]int{{0, 1}}, [][]int{{1,
				0}}
		},
			"to be both together and apart"},
		{"too many apart", func(p *flow.Problem, c *flow.Constraints) { c.Separate = [][]int{{0, 1, 2, 3}} },
			"different resources, but only 3"},
		{"too large", func(p *flow.Problem, c *flow.Constraints) {
			c.Fixed[3] = []int{2}
			p.Figures[3][2] = flow.Figures{Available: true, ServiceRate: 1, Area: flow.Area{1000}}
		}, "k3 needs more area than r2 has"},
		{"no links", func(p *flow.Problem, c *flow.Constraints) {
			p.Architecture.Links = nil
			c.Separate = [][]int{{1, 2}, {2, 3}, {1, 3}}
		}, "not all of them at once"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := randomProblem(rand.New(rand.NewPCG(1, 9)), 4, 2)
			con := &flow.Constraints{Fixed: make([][]int, 4), Forbidden: make([][]int, 4)}
			c.change(p, con)
			_, err := Search(context.Background(), p, con, Options{})
			var none *NoMappingError
			if !errors.As(err, &none) || !none.Proven || !errors.Is(err, flow.ErrInfeasible) ||
				!strings.Contains(err.Error(), c.text) {
				t.Errorf("got %v, want a proof that says %q", err, c.text)
			}
		})
	}
}

// TestWalksCoverSpace checks that random walks reach mappings with one resource and with all.
func TestWalksCoverSpace(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	p := randomProblem(rng, 10, 4)
	used := make(map[int]int)
	for range 2000 {
		m, err := RandomWalk(p, nil, rng)
		if err != nil {
			t.Fatal(err)
		}
		if faults := (&flow.Constraints{}).Check(p, m); len(faults) > 0 {
			t.Fatal(faults)
		}
		seen := make(map[int]bool)
		for _, r := range m.Place {
			seen[r] = true
		}
		used[len(seen)]++
	}
	for n := 1; n <= 4; n++ {
		if used[n] < 20 {
			t.Errorf("%d of 2000 walks use %d resources", used[n], n)
		}
	}
}

// TestAnnealingAllocatesNothing checks the inner loop of the search.
func TestAnnealingAllocatesNothing(t *testing.T) {
	c := benchmarkChain(t, 20)
	energy := c.energy()
	for range 20000 {
		energy, _ = c.try(energy, 0.01)
	}
	c.pool.best = nil
	c.pool.top = 0 // candidates are copied when they are good
	c.pool.best = append(c.pool.best, Candidate{Throughput: math.Inf(1)})
	if n := testing.AllocsPerRun(5000, func() { energy, _ = c.try(energy, 0.01) }); n != 0 {
		t.Errorf("%g allocations per move", n)
	}
}

func benchmarkChain(tb testing.TB, kernels int) *chain {
	return chainOf(tb, randomProblem(rand.New(rand.NewPCG(uint64(kernels), 8)), kernels, 12))
}

func chainOf(tb testing.TB, p *flow.Problem) *chain {
	s, err := newSpace(p, nil)
	if err != nil {
		tb.Fatal(err)
	}
	flows, err := flow.NewFlows(&p.Application, 0)
	if err != nil {
		tb.Fatal(err)
	}
	w := newWalker(s)
	if !w.draw(rand.New(rand.NewPCG(1, 1))) {
		tb.Fatal("no mapping")
	}
	scorer, err := flow.NewScorer(p, w.mapping())
	if err != nil {
		tb.Fatal(err)
	}
	r := runner{space: s, flows: flows, options: Options{Seed: 1, Top: 5}}
	c := r.newChain(scorer, 1, tally{shared: &counters{}})
	if err := c.start(); err != nil {
		tb.Fatal(err)
	}
	return c
}

// BenchmarkAnnealMove proposes, scores and accepts or undoes one move of the search, on 12 cores and an FPGA, for
// applications with one source and with several.
func BenchmarkAnnealMove(b *testing.B) {
	bench := func(name string, c *chain) {
		b.Run(name, func(b *testing.B) {
			energy := c.energy()
			b.ReportAllocs()
			for b.Loop() {
				energy, _ = c.try(energy, 0.05)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "moves/s")
		})
	}
	for _, kernels := range []int{20, 40, 80} {
		bench(fmt.Sprintf("kernels=%d", kernels), chainOf(b, oneSource(b, uint64(kernels), kernels, 12)))
	}
	for draw := uint64(0); ; draw++ {
		p := randomProblem(rand.New(rand.NewPCG(80, draw)), 80, 12)
		if f, err := flow.NewFlows(&p.Application, 0); err == nil && f.Free > 1 {
			bench(fmt.Sprintf("kernels=80/sources=%d", f.Free), chainOf(b, p))
			return
		}
	}
}

// BenchmarkThreads compares the mappings scored per second with two threads and with one, alternately, with exchange.
func BenchmarkThreads(b *testing.B) {
	p := balanced(b, 3, 80, 13)
	rate := func(threads int) float64 {
		r, err := Search(context.Background(), p, nil, Options{Method: Anneal, Seed: 1, Threads: threads,
			MaxTime: time.Second, ProofNodes: -1})
		if err != nil {
			b.Fatal(err)
		}
		return float64(r.Evals) / r.Elapsed.Seconds()
	}
	for b.Loop() {
		var ratios, rates []float64
		for range 7 {
			one, two := rate(1), rate(2)
			ratios, rates = append(ratios, two/one), append(rates, two)
		}
		slices.Sort(ratios)
		slices.Sort(rates)
		b.ReportMetric(ratios[3], "times-one-thread")
		b.ReportMetric(rates[3], "mappings/s")
	}
}

// BenchmarkThousand searches a thousand kernels on 64 resources, and reports the memory.
func BenchmarkThousand(b *testing.B) {
	p := balanced(b, 1, 1000, 63)
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		r, err := Search(context.Background(), p, nil, Options{Method: Anneal, Seed: 1, Threads: 2,
			MaxTime: 10 * time.Second, ProofNodes: -1})
		if err != nil {
			b.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(r.Evals)/r.Elapsed.Seconds(), "mappings/s")
		b.ReportMetric(float64(after.HeapSys)/1e6, "MB-heap")
		b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/1e6, "MB-allocated")
	}
}

// TestAttainable checks that an impossible minimum throughput is rejected with a proof before the search, and a
// possible one is not.
func TestAttainable(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	for i := range 30 {
		p := randomProblem(rng, 5, 3)
		best, err := Search(t.Context(), p, nil, Options{Method: Exhaustive, Top: 1})
		if err != nil {
			continue
		}
		greatest := best.Candidates[0].Throughput
		o := Options{Method: Anneal, MaxEvals: 50_000, Goal: Goal{MinThroughput: 2 * greatest}}
		_, err = Search(t.Context(), p, nil, o)
		var none *NoMappingError
		if !errors.As(err, &none) || !none.Proven || none.Bound < greatest*(1-1e-9) || none.Bound >= 2*greatest {
			t.Errorf("problem %d: twice the greatest %g gives %v", i, greatest, err)
		}
		o.Goal.MinThroughput = greatest
		if err := attainable(t.Context(), p, nil, &o); err != nil {
			t.Errorf("problem %d: the greatest itself is refused: %v", i, err)
		}
	}
	// A bound that a longer search may improve says so.
	var none *NoMappingError
	_, err := Search(t.Context(), balanced(t, 1, 60, 5), nil, Options{MaxEvals: 2000, Goal: Goal{MinThroughput: 1e15}})
	if !errors.As(err, &none) || !none.Proven || !strings.Contains(none.Error(), "proven so far") {
		t.Errorf("a large problem: %v", err)
	}
}
