package mapper

import (
	"context"
	"testing"
	"time"
)

// TestTooShort checks that a search without time returns the best of the simple mappings, and reports that it was too
// short. With time it does not.
func TestTooShort(t *testing.T) {
	for seed := range seeds(10) {
		p := oneSource(t, seed, 40, 4)
		r, err := Search(context.Background(), p, nil, Options{Method: Mixed, Threads: 2, MaxTime: time.Nanosecond})
		if err != nil {
			t.Fatal(err)
		}
		if !r.TooShort && !r.Optimal() || r.Evals < 4 || r.Evals > 10 {
			t.Errorf("seed %d: too short: %v after %d mappings", seed, r.TooShort, r.Evals)
		}
		// Compute each core alone, and the cores in turns, by their networks.
		s, err := newSpace(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		cores, _ := s.cores()
		for _, turn := range []func(int) int{
			func(int) int { return cores[0] },
			func(u int) int { return cores[u*len(cores)/40] },
			func(u int) int { return cores[u%len(cores)] },
		} {
			w := newWalker(s)
			if !w.inOrder(turn) {
				continue
			}
			if x := score(p, w.mapping()); x > r.Candidates[0].Throughput*(1+1e-9) {
				t.Errorf("seed %d: the answer has %g, and a simple mapping %g", seed, r.Candidates[0].Throughput, x)
			}
		}
		long, err := Search(context.Background(), p, nil, Options{Method: Mixed, MaxTime: time.Hour, MaxEvals: 5000})
		if err != nil {
			t.Fatal(err)
		}
		if long.TooShort {
			t.Errorf("seed %d: too short after %d mappings", seed, long.Evals)
		}
	}
}

// TestListWithoutSimple: if no simple mapping meets the constraints, a search starts from list scheduling.
func TestListWithoutSimple(t *testing.T) {
	p := oneSource(t, 1, 40, 4)
	r, scorer, err := newRunner(p, nil, Options{Method: Anneal, Goal: Goal{MinThroughput: 1e30}})
	if err != nil {
		t.Fatal(err)
	}
	c := r.chains(scorer)[0]
	if err := c.list(); err != nil || len(c.pool.best) > 0 {
		t.Fatalf("%v, %d mappings meet the constraint", err, len(c.pool.best))
	}
	l := newLister(newWalker(r.space), c.pool.flows)
	if !l.draw(l.sizes()) {
		t.Fatal("a unit does not fit")
	}
	for u := range c.units {
		if c.unitAt(u) != l.at[u] {
			t.Errorf("unit %d starts on resource %d, want %d", u, c.unitAt(u), l.at[u])
		}
	}
}

// TestHeatEnds checks that heat, which tries each unit four times, ends with its context.
func TestHeatEnds(t *testing.T) {
	r, scorer, err := newRunner(oneSource(t, 1, 200, 4), nil, Options{Method: Anneal})
	if err != nil {
		t.Fatal(err)
	}
	c := r.chains(scorer)[0]
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, ok := c.heat(ctx, c.energy()); ok || c.tally.evals > minReport {
		t.Errorf("%v after %d mappings", ok, c.tally.evals)
	}
}

// TestStartsSimple checks that a short search is never worse than the mappings that need no search. On a slow bus, one
// core is many times as fast as the result of list scheduling.
func TestStartsSimple(t *testing.T) {
	for seed := range seeds(10) {
		p := oneSource(t, seed, 40, 4)
		for i := range p.Architecture.Links {
			p.Architecture.Links[i].Bandwidth /= 1000
		}
		s, err := newSpace(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		cores, _ := s.cores()
		w := newWalker(s)
		if !w.inOrder(func(int) int { return cores[0] }) {
			continue
		}
		want := score(p, w.mapping())
		for _, method := range []Method{Mixed, Anneal, Exact} {
			r, err := Search(t.Context(), p, nil, Options{Method: method, MaxEvals: 20})
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Candidates[0].Throughput; got < want*(1-1e-9) {
				t.Errorf("seed %d, %v: the answer has %g, and one core %g", seed, method, got, want)
			}
		}
	}
}
