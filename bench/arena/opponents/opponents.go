// Package opponents contains published mapping methods, for comparison with xopt's search in the cost model of package
// arena. Each method is written from its paper; its comment names the paper and every deviation.
package opponents

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"xopt/bench/arena"
)

// ErrNotApplicable reports that a method does not handle a problem, or that a program it needs is not installed.
var ErrNotApplicable = errors.New("method not applicable")

// Method is a mapping method.
type Method struct {
	Name   string
	Source string // paper and year
	// Run returns a valid placement with a small period, or an error that wraps ErrNotApplicable. If ctx ends, it
	// returns the best placement so far, or the context's error if there is none. Equal seeds give equal placements
	// unless ctx ends.
	Run func(ctx context.Context, p *arena.Problem, seed uint64) (arena.Placement, error)
}

// Methods returns all methods.
func Methods() []Method {
	const amp = "Orhan et al., Scheduling Strategies for Partially-Replicable Task Chains on Two Types of Resources, " +
		"2025"
	const mocasin = "Menard et al., Mocasin: Rapid Prototyping of Rapid Prototyping Tools, RAPIDO 2021"
	return []Method{
		{"herad", amp, HeRAD},
		{"otac", "Orhan et al., OTAC: Optimal Scheduling for Pipelined and Replicated Task Chains for " +
			"Software-Defined Radio, 2023", OTAC},
		{"fertac", amp, FERTAC},
		{"2catac", amp, TwoCATAC},
		{"heft", "Topcuoglu, Hariri and Wu, Performance-Effective and Low-Complexity Task Scheduling, TPDS 2002", HEFT},
		{"lpt", "Graham, Bounds on Multiprocessing Timing Anomalies, SIAM J. Appl. Math. 1969", LPT},
		{"metis", "Karypis and Kumar, Multilevel k-way Partitioning Scheme for Irregular Graphs, JPDC 1998", METIS},
		{"genetic", mocasin, Genetic},
		{"annealing", mocasin + "; Orsila et al., J. Systems Architecture 53(11), 2007", Annealing},
		{"random-1000", "the best of 1000 random placements", Random1000},
		{"milp", "CBC or HiGHS on the exact mixed-integer program", func(ctx context.Context, p *arena.Problem,
			seed uint64) (arena.Placement, error) {
			placement, _, err := MILP(ctx, p, seed)
			return placement, err
		}},
	}
}

// allowed returns the cores that can run each task, or an error if a task has none.
func allowed(p *arena.Problem) ([][]int, error) {
	all := make([][]int, len(p.Tasks))
	for t := range p.Tasks {
		for c := range p.Cores {
			if !math.IsInf(work(p, t, c), 1) {
				all[t] = append(all[t], c)
			}
		}
		if len(all[t]) == 0 {
			return nil, fmt.Errorf("problem %s: no core can run task %s (add a core of a kind with a time for it)",
				p.Name, p.Tasks[t].Name)
		}
	}
	return all, nil
}

// work returns the time of an iteration of task t on core c, in seconds.
func work(p *arena.Problem, t, c int) float64 { return p.Tasks[t].Work[p.Cores[c]] }

// minWork returns the time of an iteration of task t on the fastest of some cores, in seconds.
func minWork(p *arena.Problem, t int, cores []int) float64 {
	minimum := math.Inf(1)
	for _, c := range cores {
		minimum = min(minimum, work(p, t, c))
	}
	return minimum
}

// best keeps the placement with the smallest period.
type best struct {
	p         *arena.Problem
	period    float64 // s
	placement arena.Placement
}

func newBest(p *arena.Problem) *best { return &best{p: p, period: math.Inf(1)} }

// offer compares a placement, and copies it if it is better. It returns its period in seconds.
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

// result returns the best placement, or the reason why there is none.
func (b *best) result(ctx context.Context) (arena.Placement, error) {
	if b.placement != nil {
		return b.placement, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("problem %s: no placement in time: %w", b.p.Name, err)
	}
	return nil, fmt.Errorf("problem %s: no placement found: %w", b.p.Name, ErrNotApplicable)
}
