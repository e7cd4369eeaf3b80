package flow

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// everyFeature draws a problem with all features that a scorer has sums for. They are all sharing rules, clocks,
// costs of ends and of carrying, several routes, contention, and one or several sources, with cycles or without.
func everyFeature(rng *rand.Rand, seed uint64) *Problem {
	o := anyShape(rng)
	if seed%2 == 0 {
		o.sources = 1
	}
	p := randomProblem(rng, o)
	if seed%5 == 4 {
		o.sources = rng.IntN(3)
		if c := cyclicProblem(rng, o); c != nil {
			p = c
		}
	}
	if seed%3 == 0 {
		contend(rng, p, "A", "A", "B", "")
	}
	for r := range p.Architecture.Resources {
		for k := range p.Figures {
			if p.Architecture.Resources[r].Sharing.Rule == AreaOnly && rng.IntN(2) == 0 {
				p.Figures[k][r].MaxClock = logUniform(rng, 1e7, 1e9)
			}
		}
	}
	return p
}

// sameScorer describes the difference between two scorers of one problem with known loads. It returns "" if their
// mappings are equal.
func sameScorer(a, b *Scorer) string {
	words := func(list []bitset) (all []uint64) {
		for i := range list {
			all = append(all, list[i].words...)
		}
		return all
	}
	switch {
	case !slices.Equal(a.place, b.place):
		return "places"
	case !slices.Equal(a.choice, b.choice) || !slices.Equal(a.route, b.route):
		return "routes"
	case !slices.Equal(a.count, b.count):
		return "counts"
	case !slices.Equal(a.sum, b.sum) || !slices.Equal(a.extra, b.extra):
		return "sums"
	case !slices.Equal(a.load, b.load):
		return "loads"
	case !slices.Equal(a.area, b.area) || !slices.Equal(a.exceeded, b.exceeded):
		return "areas"
	case !slices.Equal(words(a.ranked), words(b.ranked)) || !slices.Equal(words(a.cycles), words(b.cycles)) ||
		!slices.Equal(words(a.period), words(b.period)):
		return "members"
	case a.unrouted != b.unrouted || a.overfull != b.overfull || a.chosen != b.chosen || a.traffic != b.traffic:
		return "totals"
	case greatestOf(a.load) != greatestOf(b.load) || !a.stale && a.max != greatestOf(a.load):
		return "greatest loads"
	case a.contention != nil && (!slices.Equal(a.contention.on, b.contention.on) ||
		!slices.Equal(a.contention.all, b.contention.all)):
		return "contention"
	}
	return ""
}

// TestUndoLeavesNothing: after changes and Undo, all numbers of a scorer equal the earlier ones, and those of a
// scorer without changes. After Commit, they equal those of a scorer that starts there.
func TestUndoLeavesNothing(t *testing.T) {
	fresh := func(s *Scorer) *Scorer {
		t.Helper()
		f, err := NewScorer(s.Problem, s.Mapping())
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	several, slowed, clocked, ranked := 0, 0, 0, 0
	for seed := range uint64(120) {
		rng := rand.New(rand.NewPCG(seed, 29))
		p := everyFeature(rng, seed)
		s, err := NewScorer(p, randomMapping(rng, p))
		if err != nil {
			t.Fatal(err)
		}
		if s.free > 1 {
			several++
		}
		if s.contention != nil {
			slowed++
		}
		if s.rankedLinks {
			ranked++
		}
		if slices.ContainsFunc(s.clocks, func(c *clockRanking) bool { return c != nil }) {
			clocked++
		}
		for i := range 40 {
			before := fresh(s)
			for range 1 + rng.IntN(6) {
				step(rng, s)
				if rng.IntN(3) == 0 {
					s.Throughput()
				}
			}
			if undone := rng.IntN(3) > 0; undone {
				s.Undo()
			} else {
				s.Commit()
				before = fresh(s)
			}
			if why := sameScorer(s, before); why != "" {
				t.Fatalf("seed %d, step %d: the %s are not those of the mapping", seed, i, why)
			}
			if got, want := s.Throughput(), before.Throughput(); got != want {
				t.Fatalf("seed %d, step %d: %g is scored, and %g anew", seed, i, got, want)
			}
		}
	}
	if several < 20 || slowed < 10 || clocked < 20 || ranked < 20 {
		t.Errorf("%d with several sources, %d with contention, %d with clocks, %d with links shared equally: the test "+
			"has lost its power", several, slowed, clocked, ranked)
	}
}
