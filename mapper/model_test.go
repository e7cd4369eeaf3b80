package mapper

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"xopt/internal/milp"
	"xopt/internal/testkit"
	"xopt/mapper/cutbound"
)

// againstCBC draws problems and holds what the cut bound excludes, and what it says is reached, against CBC's answer to
// the model that is exported.
func againstCBC(t *testing.T, from, to uint64, kernels int, within time.Duration) {
	testkit.Tool(t, "cbc", "coinor-cbc")
	solved, agree, bounded := 0, 0, 0
	for seed := from; seed < to; seed++ {
		rng := rand.New(rand.NewPCG(seed, 28))
		p, c := cutProblem(t, rng, seed, 4+rng.IntN(kernels-3), 2+rng.IntN(3))
		r, err := Search(context.Background(), p, c, Options{Method: Anneal, Seed: 1, ProofNodes: -1})
		if err != nil {
			continue // the constraints exclude everything
		}
		best := r.Candidates[0].Throughput
		problem, search := cutSearch(t, p, c, best)
		if problem == nil {
			continue
		}
		model, err := NewModel(context.Background(), p, c, best)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		answer, err := milp.Solve(context.Background(), "cbc", model.WriteMPS, within, 2)
		if err != nil {
			t.Logf("seed %d: %v", seed, err)
			continue
		}
		solved++
		answer.Bound, answer.Best = answer.Bound/ModelScale, answer.Best/ModelScale
		const rounding = 1e-5 // CBC keeps rows to 1e-6 or so
		low, top := float64(search.State().Low)/cutbound.Whole, float64(search.State().Top)/cutbound.Whole
		if answer.Infeasible || answer.Bound > 1+rounding {
			t.Errorf("seed %d: CBC says %+v, and the search has a mapping of load 1", seed, answer)
		}
		if answer.Best < low*(1-rounding) {
			t.Errorf("seed %d: CBC has a point of load %g, and %g is excluded", seed, answer.Best, low)
		}
		if top < answer.Bound*(1-rounding) {
			t.Errorf("seed %d: a division has %g, and CBC excludes what is below %g", seed, top, answer.Bound)
		}
		if answer.Bound >= answer.Best*(1-rounding) && search.Done() {
			bounded++
			if math.Abs(low-answer.Bound) < 2*rounding*answer.Bound {
				agree++
			}
		}
	}
	t.Logf("%d solved by CBC, %d to the end by both; the bound is the same for %d of these", solved, bounded, agree)
	if solved < int(to-from)/3 || agree < bounded*9/10 {
		t.Errorf("%d solved, %d to the end, %d agree", solved, bounded, agree)
	}
}

// TestAgainstCBC: small problems.
func TestAgainstCBC(t *testing.T) { againstCBC(t, 0, 15, 8, 20*time.Second) }

// TestAgainstCBCLong: 260 draws of up to 20 kernels.
func TestAgainstCBCLong(t *testing.T) {
	testkit.Long(t, "260 problems, each by another solver")
	againstCBC(t, 1000, 1260, 20, 5*time.Second)
}
