package mapper

import (
	"context"
	"testing"
)

// TestEvalsBoundEveryMethod: no method makes more evaluations than it may, but for the rest of
// a single step; that of branch and bound looks at every resource for one unit.
func TestEvalsBoundEveryMethod(t *testing.T) {
	p := balanced(t, 2, 24, 9)
	for m := Exhaustive; int(m) < len(Methods()); m++ {
		for _, threads := range []int{1, 2} {
			for _, limit := range []uint64{10, 5000, 30_000} {
				r, err := Search(context.Background(), p, nil, Options{Method: m, Seed: 1, Threads: threads,
					MaxEvals: limit})
				if err != nil {
					t.Fatalf("%v: %v", m, err)
				}
				// A mapping is looked at whole where it is given by a list, or routes are chosen.
				if slack := uint64(100); r.Evals+r.ProofNodes > limit+slack {
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

// TestStopsSoon: when the context ends, every method has made no more evaluations than lie
// between two looks at it, and returns a mapping.
func TestStopsSoon(t *testing.T) {
	p := balanced(t, 2, 120, 9)
	for m := Exhaustive; int(m) < len(Methods()); m++ {
		for _, looks := range []int64{0, 3} {
			c := newCountdown(looks)
			r, err := Search(c, p, nil, Options{Method: m, Seed: 1})
			c.cancel()
			if err != nil {
				t.Fatalf("%v, %d looks: %v", m, looks, err)
			}
			if most := uint64(looks+1) * 2 * tellEvery; r.Status != Interrupted || r.Evals+r.ProofNodes > most ||
				len(r.Candidates) == 0 {
				t.Errorf("%v: %d mappings and %d partial ones after %d looks, %v, %d candidates", m, r.Evals,
					r.ProofNodes, looks, r.Status, len(r.Candidates))
			}
		}
	}
}

// TestGoesOnWhileTheGapIsOpen: where annealing alone ends below what branch and bound finds,
// the default search goes on until it has found it, too, and has proven it.
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
		case r.Evals+r.ProofNodes < limit:
			t.Errorf("seed %d: it ends after %d of %d evaluations, not proven", seed, r.Evals+r.ProofNodes,
				uint64(limit))
		}
	}
	t.Logf("%d better than annealing alone, %d proven, %d before the limit", better, proven, early)
	if proven == 0 || early == 0 {
		t.Error("nothing is proven: the test has lost its power")
	}
}
