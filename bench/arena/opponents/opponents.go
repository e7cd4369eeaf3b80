// Package opponents contains published mapping methods, for comparison with xopt's search in the cost model of package
// arena. The comment of each method cites its paper, and describes every deviation from it. The methods have the
// signature of Run in [arena.Opponent].
package opponents

import (
	"context"
	"fmt"
	"math"
	"slices"

	"xopt/bench/arena"
)

// Methods returns all methods.
func Methods() []arena.Opponent {
	return []arena.Opponent{
		{Name: "herad", Run: HeRAD},
		{Name: "otac", Run: OTAC},
		{Name: "fertac", Run: FERTAC},
		{Name: "2catac", Run: TwoCATAC},
		{Name: "heft", Run: HEFT},
		{Name: "lpt", Run: LPT},
		{Name: "metis", Run: METIS},
		{Name: "genetic", Run: Genetic},
		{Name: "annealing", Run: Annealing},
		{Name: "random-1000", Run: Random1000},
		{Name: "milp", Run: func(ctx context.Context, p *arena.Problem, seed uint64) (arena.Placement, error) {
			placement, _, err := MILP(ctx, p, seed)
			return placement, err
		}},
	}
}

// allowed returns the cores that can run each task. It returns an error if no core can run a task.
func allowed(p *arena.Problem) ([][]int, error) {
	all := make([][]int, len(p.Tasks))
	for t := range p.Tasks {
		for c := range p.Cores {
			if !math.IsInf(work(p, t, c), 1) {
				all[t] = append(all[t], c)
			}
		}
		if len(all[t]) == 0 {
			return nil, fmt.Errorf("problem %s: no core can run task %s (add a core of a kind for which it has a time)",
				p.Name, p.Tasks[t].Name)
		}
	}
	return all, nil
}

// work returns the time of an iteration of task t on core c, in seconds.
func work(p *arena.Problem, t, c int) float64 { return p.Tasks[t].Work[p.Cores[c]] }

// minWork returns the time of an iteration of task t on the fastest of the given cores, in seconds.
func minWork(p *arena.Problem, t int, cores []int) float64 {
	minimum := math.Inf(1)
	for _, c := range cores {
		minimum = min(minimum, work(p, t, c))
	}
	return minimum
}

// best contains the placement with the smallest period found.
type best struct {
	p         *arena.Problem
	period    float64 // s
	placement arena.Placement
}

func newBest(p *arena.Problem) *best { return &best{p: p, period: math.Inf(1)} }

// offer stores a copy of a placement if its period is smaller than that of the stored placement. It returns the period
// of the placement in seconds.
func (b *best) offer(placement arena.Placement) float64 {
	period := b.p.Period(placement)
	if period < b.period {
		b.period, b.placement = period, make(arena.Placement, len(placement))
		for t := range placement {
			b.placement[t] = slices.Clone(placement[t])
		}
	}
	return period
}

// result returns the best placement, or an error with the reason why there is none.
func (b *best) result(ctx context.Context) (arena.Placement, error) {
	if b.placement != nil {
		return b.placement, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("problem %s: no placement before the time limit: %w", b.p.Name, err)
	}
	return nil, fmt.Errorf("problem %s: no placement found: %w", b.p.Name, arena.ErrNotApplicable)
}
