package mapper

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"xopt/flow"
	"xopt/queueing"
)

// seeds is how many problems a test draws: fewer where it runs a second time, with -short.
func seeds(n uint64) uint64 {
	if testing.Short() {
		return n/5 + 1
	}
	return n
}

// powered gives every resource a power and a price.
func powered(rng *rand.Rand, p *flow.Problem) {
	for r := range p.Architecture.Resources {
		res := &p.Architecture.Resources[r]
		res.Power = 5 + 10*rng.Float64()
		res.Idle = res.Power * rng.Float64()
		res.Price = 0.1 + rng.Float64()
	}
}

// slowMeasures works the measures out from the network of the mapping, path by path.
func slowMeasures(t *testing.T, p *flow.Problem, m *flow.Mapping, rate float64) (Measures, float64) {
	t.Helper()
	n, err := flow.NewNetwork(p, m)
	if err != nil {
		return Measures{}, 0
	}
	s, err := flow.Fast{}.Solve(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	if rate == 0 {
		rate = OperatingLoad * s.Throughput
	}
	x, part := Measures{Rate: rate}, rate/s.Throughput
	for r, state := range s.Resources {
		if state.Members == 0 {
			continue
		}
		res := &p.Architecture.Resources[r]
		x.Cores++
		x.Price += res.Price
		x.Power += res.Idle + (res.Power-res.Idle)*math.Min(1, part*state.Utilization)
		if res.Sharing.Rule == flow.AreaOnly {
			x.Area += state.Area[flow.LUT] / res.Area[flow.LUT]
		}
	}
	x.Energy = x.Power / rate
	if part >= 1 {
		x.Latency, x.Buffers, x.Buffer = math.Inf(1), math.Inf(1), math.Inf(1)
		return x, s.Throughput
	}
	// own and total utilization of the server of each station, and the stations of kernels and edges
	own, total := make([]float64, len(n.Stations)), make([]float64, len(n.Stations))
	kernel, crossing := map[int]int{}, map[int][]int{}
	for i, st := range n.Stations {
		state := &s.Stations[i]
		own[i], total[i] = state.Utilization, state.Utilization
		switch {
		case st.Kind == flow.LinkStation:
			crossing[st.Edge] = append(crossing[st.Edge], i)
			if p.Architecture.Links[st.Link].Sharing.Rule != flow.Equal {
				own[i], total[i] = state.Share, s.Links[st.Link].Utilization
			}
		default:
			kernel[st.Kernel] = i
			if p.Architecture.Resources[st.Resource].Sharing.Rule == flow.Conserving {
				own[i], total[i] = state.Share, s.Resources[st.Resource].Utilization
			}
		}
	}
	scv := func(k int) float64 {
		if v := p.Figures[k][m.Place[k]].ServiceSCV; v >= 0 {
			return v
		}
		return 1
	}
	takes := func(i int, size, scv float64) float64 { // S + S·ρ/(1-ρ)·(1+cs²)/2
		service, rho := size*own[i]/s.Stations[i].ArrivalRate, part*total[i]
		return service * (1 + rho/(1-rho)*(1+scv)/2)
	}
	sized := func(i int, size, scv, brings float64, linked bool) {
		rho, err := queueing.SharedUtilization(math.Min(part*own[i], part*total[i]), part*total[i])
		if err != nil {
			t.Fatal(err)
		}
		k, err := queueing.TailCapacity(rho, queueing.DefaultProbability)
		if err != nil {
			t.Fatal(err)
		}
		if scv > 1 {
			if k, err = (queueing.MG1{Utilization: rho,
				ServiceSCV: scv}).Capacity(queueing.DefaultProbability); err != nil {
				t.Fatal(err)
			}
		}
		if brings > 1 {
			k = math.Max(k, 1+brings)
		}
		if linked { // two transfers, each of one element
			k = math.Max(k, 2)
		}
		x.Buffers += k * size
		x.Buffer = math.Max(x.Buffer, k*size)
	}
	elements := make([]float64, len(p.Application.Kernels)) // into each, elements/s
	for e, edge := range p.Application.Edges {
		elements[edge.To] += s.EdgeFlow[e] / edge.ElementBytes
	}
	for e, edge := range p.Application.Edges {
		brings := 1.0
		if n := elements[edge.From]; n > 0 {
			brings = math.Ceil(s.EdgeFlow[e] / edge.ElementBytes / n * (1 - 1e-4))
		}
		for hop, i := range crossing[e] {
			if hop > 0 {
				sized(i, edge.ElementBytes, 1, 1, true)
			} else {
				sized(i, edge.ElementBytes, 1, brings, true)
			}
		}
		sized(kernel[edge.To], edge.ElementBytes, scv(edge.To), brings, len(crossing[e]) > 0)
	}
	var path func(k int, so float64)
	path = func(k int, so float64) {
		bytes := 0.0
		for e, edge := range p.Application.Edges {
			if edge.To == k {
				bytes += s.EdgeFlow[e]
			}
		}
		if elements[k] > 0 {
			so += takes(kernel[k], bytes/elements[k], scv(k))
		}
		x.Latency = math.Max(x.Latency, so)
		for e, edge := range p.Application.Edges {
			if edge.From == k && s.EdgeFlow[e] > 0 {
				next := so
				if n := elements[k]; n > 0 { // elements that are made of several wait for them
					if made := math.Min(n/(s.EdgeFlow[e]/edge.ElementBytes), edge.ElementBytes/(bytes/n)); made > 1 {
						next += (made - 1) / 2 / (part * n)
					}
				}
				for _, i := range crossing[e] {
					next += takes(i, edge.ElementBytes, 1)
				}
				path(edge.To, next)
			}
		}
	}
	for k := range p.Application.Kernels {
		if !slices.ContainsFunc(p.Application.Edges, func(e flow.Edge) bool { return e.To == k }) {
			path(k, 0)
		}
	}
	return x, s.Throughput
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

func alike(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-7*math.Max(math.Abs(a), math.Abs(b))
}

// TestMeasures compares with the measures worked out path by path on the network.
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
			if !alike(got.value(o, 0), want.value(o, 0)) {
				t.Fatalf("seed %d: %v is %g, want %g", seed, o, got.value(o, 0), want.value(o, 0))
			}
		}
		if !alike(got.Buffer, want.Buffer) || !alike(got.Rate, want.Rate) || !alike(got.Power, want.Power) {
			t.Fatalf("seed %d: %+v, want %+v", seed, got, want)
		}
	}
}

// goalProblem is small enough to try everything.
func goalProblem(t *testing.T, seed uint64) *flow.Problem {
	rng := rand.New(rand.NewPCG(seed, 43))
	p := oneSource(t, seed, 4, 2)
	varied(rng, p)
	powered(rng, p)
	return p
}

// TestGoals compares searches for every objective, and under limits, with trying every
// mapping and measuring it the slow way.
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
		if rng.IntN(2) == 0 && !math.IsInf(typical.Latency, 1) {
			g.MaxLatency, g.MaxBuffer = typical.Latency, 1.5*typical.Buffer
		}
		best := math.Inf(1)
		everyMapping(p, func(m *flow.Mapping) {
			x, throughput := slowMeasures(t, p, m, g.MinThroughput)
			if throughput == 0 || throughput < g.MinThroughput || g.MaxLatency > 0 && x.Latency > g.MaxLatency ||
				g.MaxBuffer > 0 && x.Buffer > g.MaxBuffer {
				return
			}
			best = math.Min(best, x.value(g.First(), throughput))
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
			if v := c.Measures.value(g.First(), c.Throughput); !alike(v, best) {
				t.Errorf("%s: value %g, want %g", name, v, best)
			}
			if x, throughput := slowMeasures(t, p, c.Mapping, g.MinThroughput); !alike(x.value(g.First(), throughput),
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
				values = append(values, x.value(o, throughput))
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
					values = append(values, x.value(o, throughput))
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

// TestGoalsRefused are goals that mean nothing.
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

// TestExchange holds the answer of several threads, over many rounds of exchange, against
// itself.
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
