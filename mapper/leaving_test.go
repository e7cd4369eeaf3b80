package mapper

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// Branch and bound with slow links, which merges units and bounds the load of links, proves the best of all mappings.
// Without the bound, it visits more partial mappings.
func TestLeavingNeverWrong(t *testing.T) {
	proven, merged, refuted := 0, 0, 0
	for seed := range seeds(150) {
		rng := rand.New(rand.NewPCG(seed, 31))
		p, c := cutProblem(t, rng, seed, 5+rng.IntN(4), 2+rng.IntN(2))
		for l := range p.Architecture.Links {
			p.Architecture.Links[l].Bandwidth /= math.Pow(8, rng.Float64())
		}
		all, err := Search(context.Background(), p, c, Options{Method: Exhaustive})
		if err != nil {
			continue // the constraints exclude everything
		}
		r, err := Search(context.Background(), p, c, Options{Method: Exact, Seed: seed, MaxEvals: 5_000_000})
		if err != nil {
			t.Fatal(err)
		}
		best := all.Candidates[0].Throughput
		if r.Optimal() {
			proven++
		}
		if found := r.Candidates[0].Throughput; r.Optimal() && found < best*(1-3e-6) || r.Bound > 0 &&
			r.Bound < best*(1-1e-8) {
			t.Fatalf("seed %d: throughput %g, bound %g, %s; the best of all mappings has %g", seed, found, r.Bound,
				r.Status, best)
		}
		m, l := checkLeaving(t, rng, rangesProof(t, p, c, all.Candidates[0]))
		merged, refuted = merged+m, refuted+l
	}
	if proven < int(seeds(100)) || merged == 0 || refuted == 0 {
		t.Errorf("%d proven, %d merged, %d refuted by links: the test has lost its power", proven, merged, refuted)
	}
	t.Logf("%d proven, %d merged, %d refuted by links", proven, merged, refuted)
}

// checkLeaving merges units, and compares refuted partial mappings with the load of all their completions. It returns
// the numbers of merged units and of refuted partial mappings.
func checkLeaving(t *testing.T, rng *rand.Rand, x *proof) (merged, refuted int) {
	t.Helper()
	if x == nil || x.many {
		return 0, 0
	}
	before := len(x.space.units)
	if !x.merge(x.high()) {
		return before, 0 // no mapping is better than the best
	}
	if x.leaving == nil {
		return before - len(x.space.units), 0
	}
	for range 20 {
		tree := x.newTree()
		fits := true
		for u := range tree.at {
			if rng.IntN(2) == 0 {
				fits = tree.put(u, tree.allowed[u][rng.IntN(len(tree.allowed[u]))]) && fits
			}
		}
		maximum := x.high() * (0.6 + rng.Float64())
		if !fits || x.leaving.below(tree, maximum) {
			continue
		}
		refuted++
		if load := smallest(x, tree, 0); load < maximum*(1-1e-9) {
			t.Fatalf("refuted below a load of %g: placement %v has a completion with %g", maximum, tree.at, load)
		}
	}
	return before - len(x.space.units), refuted
}

// smallest returns the smallest maximum load of all completions of a tree's placement, from a unit on.
func smallest(x *proof, tree *tree, u int) float64 {
	if u == len(tree.at) {
		for v, r := range tree.at {
			for _, k := range x.space.units[v] {
				x.scorer.Move(k, r)
			}
		}
		throughput := x.scorer.Throughput()
		x.scorer.Commit()
		if throughput == 0 {
			return math.Inf(1)
		}
		return x.load(throughput)
	}
	if tree.at[u] >= 0 {
		return smallest(x, tree, u+1)
	}
	minimum := math.Inf(1)
	for _, r := range tree.allowed[u] {
		tree.at[u] = r
		minimum = math.Min(minimum, smallest(x, tree, u+1))
	}
	tree.at[u] = -1
	return minimum
}
