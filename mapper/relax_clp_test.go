//go:build clp

package mapper

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"xopt/flow"
)

// TestRelaxation holds CLP's bound against trying every mapping, and against the bound of
// multipliers, which it must reach.
func TestRelaxation(t *testing.T) {
	var gains []float64
	for seed := range uint64(120) {
		rng := rand.New(rand.NewPCG(seed, 11))
		p := oneSource(t, seed, 6, 2)
		varied(rng, p)
		best := bruteForce(p, &flow.Constraints{})
		if best == 0 {
			continue
		}
		s, err := newSpace(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		scorer, err := flow.NewScorer(p, mustWalk(t, p, rng))
		if err != nil {
			t.Fatal(err)
		}
		works := scorer.LoadCoefficients(0)
		r, ok := newRelaxation(s, works)
		if !ok {
			continue
		}
		unit := works.Load(best)
		l, ok := newAssignment(s, works, r, unit).solve()
		if !ok {
			t.Fatalf("seed %d: CLP finds nothing", seed)
		}
		if l > 1+1e-9 {
			t.Errorf("seed %d: no mapping is said to reach %g of the best throughput, and one does", seed, 1/l)
		}
		r.pieces() // the multipliers alone, without places and cut-offs
		for c := range r.time {
			if r.time[c] = 0; r.timed[c] {
				r.time[c] = 1
			}
		}
		for range 200 {
			if !r.step(r.value(math.Inf(1)), unit, 0.5) {
				break
			}
		}
		if v := r.value(math.Inf(1)) / unit; v > l*(1+1e-5) {
			t.Errorf("seed %d: multipliers bound by %g, CLP by %g", seed, v, l)
		}
		gains = append(gains, l)
	}
	slices.Sort(gains)
	if len(gains) < 50 {
		t.Fatalf("only %d problems", len(gains))
	}
	t.Logf("bound over the best: median %.3f, least %.3f", gains[len(gains)/2], gains[0])
}
