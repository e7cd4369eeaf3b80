package mapper

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"
)

// TestMethods compares every method with an enumeration of all mappings. No method exceeds the optimum, each result
// is a valid mapping with the reported throughput, and the exact search and annealing find the optimum.
func TestMethods(t *testing.T) {
	met := map[Method]int{}
	runs := 0
	for seed := range seeds(25) {
		rng := rand.New(rand.NewPCG(seed, 53))
		p := oneSource(t, seed, 5, 2)
		varied(rng, p)
		c := randomConstraints(rng, p)
		best := bruteForce(p, c)
		if best == 0 {
			continue
		}
		runs++
		for m := Exhaustive; int(m) < len(Methods()); m++ {
			r, err := Search(context.Background(), p, c, Options{Method: m, Seed: seed, Threads: 2,
				MaxTime: 10 * time.Minute})
			if err != nil {
				t.Fatalf("seed %d, %v: %v", seed, m, err)
			}
			x := &r.Candidates[0]
			if x.Throughput > best*(1+1e-9) {
				t.Errorf("seed %d, %v: %g, and no mapping has more than %g", seed, m, x.Throughput, best)
			}
			if got := score(p, x.Mapping); got < x.Throughput*(1-1e-9) || got > x.Throughput*(1+1e-9) {
				t.Errorf("seed %d, %v: the throughput of the mapping is %g, not %g", seed, m, got, x.Throughput)
			}
			if faults := c.Check(p, x.Mapping); len(faults) > 0 {
				t.Errorf("seed %d, %v: %v", seed, m, faults)
			}
			if x.Throughput >= best*(1-1e-9) {
				met[m]++
			}
		}
	}
	if runs < 10 && !testing.Short() {
		t.Fatalf("only %d problems have a mapping", runs)
	}
	for _, m := range []Method{Exhaustive, Anneal, Exact} {
		if met[m] != runs {
			t.Errorf("%v finds the best of %d of %d problems", m, met[m], runs)
		}
	}
	for m, n := range met {
		t.Logf("%v: %d of %d", m, n, runs)
	}
}

// TestExactRefuses checks goals that branch and bound does not support.
func TestExactRefuses(t *testing.T) {
	p := oneSource(t, 1, 5, 2)
	var goal *GoalError
	if _, err := Search(context.Background(), p, nil, Options{Method: Exact,
		Goal: Goal{Objectives: []Objective{Cores}}}); !errors.As(err, &goal) {
		t.Errorf("exact search for cores: %v", err)
	}
}
