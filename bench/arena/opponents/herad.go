package opponents

import (
	"context"
	"fmt"
	"math"
	"slices"

	"xopt/bench/arena"
)

// HeRAD finds the placement of a chain with the smallest period among placements with contiguous stages (Orhan et al.,
// Scheduling Strategies for Partially-Replicable Task Chains on Two Types of Resources, 2025). It uses dynamic
// programming over the number of tasks and the numbers of big and little cores. Unlike the paper, it does not prefer
// fewer cores among solutions with equal periods.
func HeRAD(ctx context.Context, p *arena.Problem, _ uint64) (arena.Placement, error) {
	c, err := newChain(p)
	if err != nil {
		return nil, err
	}
	h := &herad{chain: c, cells: make([][]cell, len(c.order)+1)}
	for e := range h.cells {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("HeRAD on problem %s: %w", p.Name, err)
		}
		h.cells[e] = make([]cell, (c.cores[big]+1)*(c.cores[little]+1))
		for b := range c.cores[big] + 1 {
			for l := range c.cores[little] + 1 {
				*h.at(e, [2]int{b, l}) = h.solve(e, [2]int{b, l})
			}
		}
	}
	if math.IsInf(h.at(len(c.order), c.cores).period, 1) {
		return nil, fmt.Errorf("problem %s: no contiguous stages can run all tasks: %w", p.Name, arena.ErrNotApplicable)
	}
	return c.placement(h.stages()), nil
}

// herad is the dynamic program for a chain, with its table.
type herad struct {
	*chain
	cells [][]cell // by number of tasks, then by numbers of big and little cores
}

// cell is the best solution for the first tasks on some numbers of cores.
type cell struct {
	period float64 // units
	last   stage
}

// at returns the cell for the first e tasks on the given numbers of cores by kind.
func (h *herad) at(e int, cores [2]int) *cell {
	return &h.cells[e][cores[big]*(h.cores[little]+1)+cores[little]]
}

// solve returns the best solution for the first e tasks on the given cores. It tries all possible last stages.
func (h *herad) solve(e int, cores [2]int) cell {
	found := cell{period: math.Inf(1)}
	if e == 0 {
		found.period = 0
	}
	for b := e - 1; b >= 0; b-- {
		for kind := range cores {
			many := cores[kind]
			if !h.stateless(b, e) {
				many = min(many, 1)
			}
			for n := 1; n <= many; n++ {
				s := stage{b, e, kind, n}
				left := cores
				left[kind] -= n
				if period := max(h.load(s), h.at(b, left).period); period < found.period {
					found = cell{period, s}
				}
			}
		}
	}
	return found
}

// stages returns the stages of the best solution.
func (h *herad) stages() []stage {
	var stages []stage
	for e, left := len(h.order), h.cores; e > 0; {
		s := h.at(e, left).last
		stages = append(stages, s)
		left[s.kind] -= s.cores
		e = s.b
	}
	slices.Reverse(stages)
	return stages
}
