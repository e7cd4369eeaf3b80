package mapper

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"xopt/internal/fault"
	"xopt/internal/testkit"
	"xopt/mapper/cutbound"
	"xopt/mapper/faults"
	"xopt/mapper/solvers"
)

// cbcTally counts CBC's answers.
type cbcTally struct {
	mu                     sync.Mutex
	solved, bounded, agree int
}

func (c *cbcTally) add(bounded, agree bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.solved++
	if bounded {
		c.bounded++
	}
	if agree {
		c.agree++
	}
}

// againstCBC draws problems and compares the loads that the cut bound excludes and reaches with CBC's answer to the
// exported model. Several CBC processes run in parallel, each with one thread.
func againstCBC(t *testing.T, from, to uint64, kernels int, inside time.Duration) {
	testkit.Tool(t, "cbc", "coinor-cbc")
	var all cbcTally
	const each = 10
	t.Run("problems", func(t *testing.T) {
		for start := from; start < to; start += each {
			t.Run(fmt.Sprint(start), func(t *testing.T) {
				t.Parallel()
				for seed := start; seed < min(start+each, to); seed++ {
					all.one(t, seed, kernels, inside)
				}
			})
		}
	})
	t.Logf("%d solved by CBC, %d to the end by both; the bound is the same for %d of these", all.solved, all.bounded,
		all.agree)
	if all.solved < int(to-from)/3 || all.agree < all.bounded*9/10 {
		t.Errorf("%d solved, %d to the end, %d agree", all.solved, all.bounded, all.agree)
	}
}

// one compares one problem.
func (c *cbcTally) one(t *testing.T, seed uint64, kernels int, inside time.Duration) {
	rng := rand.New(rand.NewPCG(seed, 28))
	p, constraints := cutProblem(t, rng, seed, 4+rng.IntN(kernels-3), 2+rng.IntN(3))
	r, err := Search(context.Background(), p, constraints, Options{Method: Anneal, Seed: 1, ProofNodes: -1})
	if err != nil {
		return // the constraints exclude everything
	}
	best := r.Candidates[0].Throughput
	problem, search := cutSearch(t, p, constraints, best, 400_000_000)
	if problem == nil {
		return
	}
	model, err := NewModel(context.Background(), p, constraints, best)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	answer, err := solvers.Solve(context.Background(), "cbc", model.WriteMPS, inside, 1)
	if err != nil {
		t.Logf("seed %d: %v", seed, err)
		return
	}
	answer.Bound, answer.Best = answer.Bound/ModelScale, answer.Best/ModelScale
	const rounding = 1e-5 // CBC keeps rows to 1e-6 or so
	low, top := float64(search.State().Low)/cutbound.One, float64(search.State().Top)/cutbound.One
	if answer.Infeasible || answer.Bound > 1+rounding {
		t.Errorf("seed %d: CBC says %+v, and the search has a mapping of load 1", seed, answer)
	}
	if answer.Best < low*(1-rounding) {
		t.Errorf("seed %d: CBC has a point of load %g, and %g is excluded", seed, answer.Best, low)
	}
	if top < answer.Bound*(1-rounding) {
		t.Errorf("seed %d: a division has %g, and CBC excludes what is below %g", seed, top, answer.Bound)
	}
	bounded := answer.Bound >= answer.Best*(1-rounding) && search.Done()
	c.add(bounded, bounded && math.Abs(low-answer.Bound) < 2*rounding*answer.Bound)
}

// TestAgainstCBC uses small problems.
func TestAgainstCBC(t *testing.T) { againstCBC(t, 0, 15, 8, 20*time.Second) }

// TestAgainstCBCLong uses 90 problems of up to 20 kernels, most of which CBC solves.
func TestAgainstCBCLong(t *testing.T) {
	testkit.Long(t, "90 problems, each by another solver")
	againstCBC(t, 1000, 1090, 20, 3*time.Second)
}

// TestContradiction checks that answers that contradict a known mapping or a proof are rejected, and that rounding is
// not a contradiction.
func TestContradiction(t *testing.T) {
	for _, c := range []struct {
		name     string
		answer   solvers.Answer
		excluded float64
		refused  bool
	}{
		{"optimal", solvers.Answer{Bound: 1, Best: 1}, 1, false},
		{"rounded", solvers.Answer{Bound: 1 + 5e-6, Best: 1 - 5e-6}, 1, false},
		{"better than the search", solvers.Answer{Bound: 0.5, Best: 0.8}, 0.7, false},
		{"nothing known", solvers.Answer{Bound: math.Inf(-1), Best: math.Inf(1)}, 0, false},
		{"infeasible", solvers.Answer{Infeasible: true, Best: math.Inf(1)}, 0, true},
		{"bound above a known mapping", solvers.Answer{Bound: 1.01, Best: 1.01}, 0, true},
		{"mapping below the proof", solvers.Answer{Bound: 0.5, Best: 0.8}, 0.9, true},
	} {
		err := contradiction("cbc", &c.answer, c.excluded)
		if (err != nil) != c.refused || err != nil && fault.Of(err) != faults.SolverDisagrees {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
