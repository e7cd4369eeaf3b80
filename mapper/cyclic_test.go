package mapper

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"xopt/flow"
	"xopt/flow/flowtest"
)

// cyclicProblem draws a problem with cycles. Its kernels join one element of each input and send one on each output.
func cyclicProblem(rng *rand.Rand, kernels, cores int) *flow.Problem {
	p := randomProblem(rng, kernels, cores)
	app := flow.Application{Name: "cyclic"}
	outs := make([]float64, kernels)
	joins := make([]flow.Join, kernels)
	edge := func(from, to, initial int) {
		n := len(app.Edges)
		app.Edges = append(app.Edges, flow.Edge{Name: fmt.Sprintf("e%d", n), From: from, To: to,
			FromPort: fmt.Sprintf("y%d", n), ToPort: fmt.Sprintf("x%d", n), ElementBytes: 64, Initial: initial})
		outs[from]++
		joins[to].Ports = append(joins[to].Ports, flow.JoinPort{Name: fmt.Sprintf("x%d", n), Edges: []int{n},
			Bytes: 64})
	}
	parent := make([]int, kernels)
	for k := 1; k < kernels; k++ {
		parent[k] = max(k-1-rng.IntN(2), 0)
		edge(parent[k], k, 0)
	}
	for range 1 + rng.IntN(2) {
		from := kernels - 1 - rng.IntN(2)
		to := from
		for range 1 + rng.IntN(3) { // an edge back to a predecessor
			if parent[to] > 0 {
				to = parent[to]
			}
		}
		edge(from, to, 1)
	}
	for k := range kernels {
		kernel := flow.Kernel{Name: fmt.Sprintf("k%d", k), Gain: 1}
		if in := len(joins[k].Ports); in > 0 {
			kernel.Gain = outs[k] / float64(in)
			kernel.Joins = joins[k : k+1]
		}
		app.Kernels = append(app.Kernels, kernel)
	}
	for e := range app.Edges {
		app.Edges[e].Routing = 1 / outs[app.Edges[e].From]
	}
	p.Application = app
	for k := range p.Figures {
		for r := range p.Figures[k] {
			if p.Figures[k][r].ServiceRate *= 20; k > 0 { // the source is not the bottleneck
				p.Figures[k][r].ServiceRate /= 20
			}
		}
	}
	p.Architecture.Resources[cores].Area[flow.LUT] = 300
	for l := range p.Architecture.Links {
		p.Architecture.Links[l].Latency = rng.Float64() * 2e-5
		p.Architecture.Links[l].Jitter = p.Architecture.Links[l].Latency * float64(l%2)
	}
	return p
}

// TestCyclicProof checks on applications with cycles that results called optimal are optimal, that no mapping exceeds
// the bound, and that every method reports the network's throughput.
func TestCyclicProof(t *testing.T) {
	proven, limited := 0, 0
	for seed := range seeds(24) {
		rng := rand.New(rand.NewPCG(seed, 21))
		p := cyclicProblem(rng, 4+rng.IntN(3), 2)
		if rng.IntN(2) == 0 {
			varied(rng, p)
		}
		truth := bruteForce(p, &flow.Constraints{})
		for method := Auto; method <= Mixed; method++ {
			r := reportedResult(t, p, seed, method)
			best := &r.Candidates[0]
			if r.Bound < truth*(1-1e-9) {
				t.Fatalf("seed %d, method %d: bound %g, and a mapping has %g", seed, method, r.Bound, truth)
			}
			if best.Throughput > truth*(1+1e-9) {
				t.Fatalf("seed %d, method %d: found %g, of %g", seed, method, best.Throughput, truth)
			}
			if r.Status == Proven {
				proven++
				if best.Throughput < truth*(1-1e-8) {
					t.Fatalf("seed %d, method %d: %g is called optimal, and a mapping has %g", seed, method,
						best.Throughput, truth)
				}
			}
			n, s := flowtest.Solve(t, p, best.Mapping)
			if n.Limits[s.Bottlenecks[0].Limits[0]].Cycle != nil {
				limited++
			}
		}
	}
	if minimum := int(seeds(24)); proven < minimum || limited < minimum/2 {
		t.Errorf("%d proven, %d limited by a cycle: the test has lost its power", proven, limited)
	}
}

// TestCyclicLatency checks that latencies are finite in applications with loops.
func TestCyclicLatency(t *testing.T) {
	p := cyclicProblem(rand.New(rand.NewPCG(5, 5)), 6, 2)
	s, err := flow.NewScorer(p, &flow.Mapping{Place: make([]int, 6)})
	if err != nil {
		t.Fatal(err)
	}
	flows, err := flow.NewFlows(&p.Application, 0)
	if err != nil {
		t.Fatal(err)
	}
	s.Operate()
	mean, worst, last := NewPaths(p, flows).Longest(s, OperatingLoad)
	if !(mean > 0 && worst >= mean) || math.IsInf(worst, 0) || last < 0 {
		t.Errorf("latency %g, %g, to %d", mean, worst, last)
	}
}

// reportedResult searches with a method, and checks the throughput of the best mapping against its network.
func reportedResult(t *testing.T, p *flow.Problem, seed uint64, method Method) *Result {
	t.Helper()
	r, err := Search(context.Background(), p, nil, Options{Method: method, MaxEvals: 20_000, Seed: seed,
		ProofNodes: 20_000})
	if err != nil {
		t.Fatalf("seed %d, method %d: %v", seed, method, err)
	}
	best := &r.Candidates[0]
	if got := score(p, best.Mapping); math.Abs(got-best.Throughput) > 1e-9*got {
		t.Fatalf("seed %d, method %d: told %.12g, the network has %.12g", seed, method, best.Throughput, got)
	}
	return r
}
