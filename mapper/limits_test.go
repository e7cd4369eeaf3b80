package mapper

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"xopt/flow"
	"xopt/internal/testkit"
)

// TestEvalsBoundEveryMethod checks that no method makes more evaluations than allowed.
func TestEvalsBoundEveryMethod(t *testing.T) {
	p := balanced(t, 2, 24, 9)
	for m := Exhaustive; int(m) < len(Methods()); m++ {
		for _, threads := range []int{1, 2} {
			for _, limit := range []uint64{1, 2, 3, 10, 90, 5000, 30_000} {
				r, err := Search(context.Background(), p, nil, Options{Method: m, Seed: 1, Threads: threads,
					MaxEvals: limit})
				if err != nil {
					t.Fatalf("%v: %v", m, err)
				}
				if r.Evals+r.ProofNodes > limit {
					t.Errorf("%v, %d threads: %d mappings and %d partial ones of %d", m, threads, r.Evals, r.ProofNodes,
						limit)
				}
				if !r.Optimal() && r.Status != EvalLimit && r.Status != Converged {
					t.Errorf("%v, %d threads: ended as %v", m, threads, r.Status)
				}
			}
		}
	}
}

// TestExactKeepsLimits checks that branch and bound uses all evaluations that it may, except those that do not
// suffice for another partial mapping. It tries every small limit, with one source and several, and with a choice of
// routes. The result is always a valid bound.
func TestExactKeepsLimits(t *testing.T) {
	limited, proven := 0, 0
	for seed := range seeds(12) {
		rng := rand.New(rand.NewPCG(seed, 5))
		p := oneSource(t, seed, 10, 4)
		if seed%3 == 1 {
			p = severalSources(t, rng, 10, 4)
		}
		if seed%3 == 2 { // two routes between any two
			other := p.Architecture.Links[0]
			other.Name = "other"
			p.Architecture.Links = append(p.Architecture.Links, other)
		}
		resources := uint64(len(p.Architecture.Resources))
		first := uint64(0)
		for _, limit := range append(upTo(60), 100, 257, 1000, 4095, 4096, 4097, 9001) {
			r, err := Search(context.Background(), p, nil, Options{Method: Exact, Seed: 1, MaxEvals: limit})
			if err != nil {
				t.Fatalf("seed %d, limit %d: %v", seed, limit, err)
			}
			done := r.Evals + r.ProofNodes
			if done > limit || done == 0 {
				t.Fatalf("seed %d: %d evaluations, and %d are allowed", seed, done, limit)
			}
			if r.Optimal() {
				if proven++; first == 0 {
					first = limit
				}
				continue
			}
			limited++
			if first > 0 {
				t.Errorf("seed %d: not proven with %d evaluations, and with %d it was", seed, limit, first)
			}
			if r.Status != EvalLimit || done+resources < limit {
				t.Errorf("seed %d: %s after %d of %d evaluations", seed, r.Status, done, limit)
			}
			if best := r.Candidates[0].Throughput; r.Bound > 0 && r.Bound < best*(1-1e-9) {
				t.Errorf("seed %d, limit %d: a bound of %g, and a mapping has %g", seed, limit, r.Bound, best)
			}
		}
	}
	if limited < int(seeds(300)) || proven == 0 {
		t.Errorf("%d were limited and %d proven: the test has lost its power", limited, proven)
	}
}

// upTo returns the numbers from 1 to n.
func upTo(maximum uint64) (list []uint64) {
	for n := uint64(1); n <= maximum; n++ {
		list = append(list, n)
	}
	return list
}

// TestStopsSoon checks that, after the context ends, every method makes at most the evaluations between two checks,
// and returns a mapping.
func TestStopsSoon(t *testing.T) {
	p := balanced(t, 2, 120, 9)
	for m := Exhaustive; int(m) < len(Methods()); m++ {
		for _, looks := range []int64{0, 3} {
			c := testkit.NewCountdown(t, looks)
			r, err := Search(c, p, nil, Options{Method: m, Seed: 1})
			if err != nil {
				t.Fatalf("%v, %d looks: %v", m, looks, err)
			}
			if maximum := uint64(looks+1) * 2 * reportEvery; r.Status != Interrupted ||
				r.Evals+r.ProofNodes > maximum || len(r.Candidates) == 0 {
				t.Errorf("%v: %d mappings and %d partial ones after %d looks, %v, %d candidates", m, r.Evals,
					r.ProofNodes, looks, r.Status, len(r.Candidates))
			}
		}
	}
}

// TestGoesOnWhileTheGapIsOpen checks that the default search continues until it has found and proven a mapping that
// annealing alone misses.
func TestGoesOnWhileTheGapIsOpen(t *testing.T) {
	better, proven, early := 0, 0, 0
	for seed := range seeds(5) {
		p := balanced(t, seed, 14, 4)
		alone, err := Search(context.Background(), p, nil, Options{Method: Anneal, Seed: 1, ProofNodes: -1})
		if err != nil {
			t.Fatal(err)
		}
		const limit = 6_000_000
		r, err := Search(context.Background(), p, nil, Options{Method: Mixed, Seed: 1, MaxEvals: limit})
		if err != nil {
			t.Fatal(err)
		}
		had, has := alone.Candidates[0].Throughput, r.Candidates[0].Throughput
		switch {
		case has < had*(1-1e-12):
			t.Errorf("seed %d: %g by methods in turns, %g by annealing", seed, has, had)
		case has > had*(1+1e-9):
			better++
		}
		switch {
		case r.Optimal():
			proven++
			if r.Evals+r.ProofNodes < limit {
				early++
			}
		case r.Evals+r.ProofNodes+uint64(len(p.Architecture.Resources)) < limit: // too few for a partial mapping more
			t.Errorf("seed %d: it ends after %d of %d evaluations, not proven", seed, r.Evals+r.ProofNodes,
				uint64(limit))
		}
	}
	t.Logf("%d better than annealing alone, %d proven, %d before the limit", better, proven, early)
	if proven == 0 || early == 0 {
		t.Error("nothing is proven: the test has lost its power")
	}
}

// TestLeftOut checks that a search lists placements outside its space, because of missing links or small areas, and
// nothing if edges do not need the missing link.
func TestLeftOut(t *testing.T) {
	draw := func() *flow.Problem {
		p := randomProblem(rand.New(rand.NewPCG(1, 9)), 4, 2)
		for k := range p.Figures {
			p.Figures[k][2].Area = flow.Area{10}
		}
		p.Figures[2][2].Available = true
		return p
	}
	check := func(name string, p *flow.Problem, want ...string) {
		t.Helper()
		r, err := Search(context.Background(), p, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(r.LeftOut, want) {
			t.Errorf("%s: left out is %q, want %q", name, r.LeftOut, want)
		}
	}
	p := draw()
	check("all joined", p)
	p.Architecture.Links = p.Architecture.Links[1:] // the cores' own
	check("FPGA alone", p,
		"the architecture has no link from r0 to r2 or from r2 to r0: the search omits mappings that need such a "+
			"link (declare the link if the machine has it)")
	for k := range p.Figures {
		p.Figures[k][2].Available = false
	}
	check("nothing for the FPGA", p)
	p = draw()
	p.Figures[2][2].Area = flow.Area{1000}
	check("too large", p, "not enough area for k2 on r2: the search omits these placements")
}
