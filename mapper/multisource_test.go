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

// severalSources draws a problem with two or three sources, independent or partly tied by a join. Some kernels
// process the data of several.
func severalSources(t testing.TB, rng *rand.Rand, kernels, cores int) *flow.Problem {
	t.Helper()
	for {
		p := randomProblem(rng, kernels, cores)
		app := &p.Application
		app.Edges = slices.DeleteFunc(app.Edges, func(e flow.Edge) bool { return e.To == 2 && rng.IntN(2) == 0 })
		for range rng.IntN(3) { // from two sides
			a := rng.IntN(kernels - 1)
			b := a + 1 + rng.IntN(kernels-1-a)
			if slices.ContainsFunc(app.Edges, func(e flow.Edge) bool { return e.To == b }) {
				app.Edges = append(app.Edges, flow.Edge{From: a, To: b, ElementBytes: 64, Routing: 0.2 + rng.Float64()})
			}
		}
		sum := make([]float64, kernels)
		for i := range app.Edges {
			e := &app.Edges[i]
			e.Name, e.FromPort = fmt.Sprintf("e%d", i), fmt.Sprintf("y%d", i)
			e.ToPort = fmt.Sprintf("x%d", i)
			sum[e.From] += e.Routing
		}
		for i := range app.Edges {
			app.Edges[i].Routing /= sum[app.Edges[i].From]
		}
		p.Figures[2][cores].Available = false // it may be a source
		if rng.IntN(3) == 0 {
			join(app, kernels-1)
		}
		if f, err := flow.NewFlows(app, 0); err == nil && f.Free > 1 {
			return p
		}
	}
}

// join makes a kernel consume one element of each of its inputs at a time.
func join(app *flow.Application, kernel int) {
	var ports []flow.JoinPort
	for i, e := range app.Edges {
		if e.To == kernel {
			ports = append(ports, flow.JoinPort{Name: e.ToPort, Edges: []int{i}, Bytes: 64})
		}
	}
	if len(ports) > 1 {
		app.Kernels[kernel].Joins = []flow.Join{{Ports: ports}}
	}
}

// proveSeveral compares the exact search of several free sources with an enumeration, with all features of the
// language. Results called optimal are optimal, and no mapping exceeds the bound, even if the proof was cut short.
func proveSeveral(t *testing.T, from, to uint64, kernels int) {
	drawn, three, early := 0, 0, 0
	for seed := from; seed < to; seed++ {
		rng := rand.New(rand.NewPCG(seed, 61))
		cores := 2 + rng.IntN(2)
		p := severalSources(t, rng, 4+rng.IntN(kernels-3), cores)
		c := withFeatures(rng, p, cores)
		all, err := Search(context.Background(), p, c, Options{Method: Exhaustive})
		if err != nil {
			continue // the constraints exclude everything
		}
		truth := all.Candidates[0].Throughput
		if seed%8 == 0 && len(p.Application.Kernels) < 6 {
			if slow := bruteForce(p, c); math.Abs(slow-truth) > 1e-9*slow {
				t.Fatalf("seed %d: the best is %g, not %g", seed, slow, truth)
			}
		}
		drawn++
		if f, _ := flow.NewFlows(&p.Application, 0); f.Free > 2 {
			three++
		}
		for _, limit := range []uint64{0, 3, 40} {
			r, err := Search(context.Background(), p, c, Options{Method: Exact, MaxEvals: limit, Seed: seed})
			if err != nil {
				if limit == 0 {
					t.Fatalf("seed %d: %v", seed, err)
				}
				continue
			}
			best := r.Candidates[0].Throughput
			if best > truth*(1+1e-9) || r.Bound > 0 && r.Bound < truth*(1-1e-8) {
				t.Fatalf("seed %d, limit %d: found %g, bound %g, and the best is %g", seed, limit, best, r.Bound, truth)
			}
			if r.Status == Proven && best < truth*(1-1e-8) {
				t.Fatalf("seed %d, limit %d: %g is called optimal, and a mapping has %g", seed, limit, best, truth)
			}
			switch {
			case limit == 0 && r.Status != Proven:
				t.Errorf("seed %d: not proven after %d partial mappings: %s", seed, r.ProofNodes, r.Status)
			case limit > 0 && r.Status != Proven:
				early++
			}
		}
	}
	t.Logf("%d drawn, %d with three free sources, %d cut short", drawn, three, early)
	if drawn < int(to-from)/2 || three < drawn/10 || early < drawn/4 {
		t.Errorf("%d drawn, %d with three free sources, %d cut short: the test has lost its power", drawn, three, early)
	}
}

// TestProofSeveralSources uses small problems.
func TestProofSeveralSources(t *testing.T) {
	t.Parallel()
	proveSeveral(t, 0, 4*seeds(60), 6)
}
