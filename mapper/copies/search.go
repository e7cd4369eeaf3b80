// Package copies searches for the number of copies of each task and their cores.
//
// Its input is the load of each task on each core, which package flow computes from figures, and the set of tasks that
// may run in copies. It proposes plans; the complete model then scores them. The package does not depend on kernels and
// does not simulate.
//
// Tasks are in the order of the data. A [Plan] divides them into units. A unit has a copy on each of several cores,
// which process batches of the stream in turn. Dynamic programming over intervals of tasks and numbers of cores finds
// the best plan in which each interval has its own cores (Orhan et al. 2025, arXiv 2502.10000, "HeRAD", for cores of
// one or two classes). Local search starts from this plan and from the best mapping without copies. Its moves add, move
// and remove copies, divide and join units, and change turns. The search may share cores between units, so a plan can
// be better than any plan with intervals.
package copies

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// smallest is the relative improvement below which a gain counts as rounding.
const smallest = 1e-9

// Options control a search.
type Options struct {
	// Place is the core of each task in a mapping without copies, used as a starting point; nil for none.
	Place []int
	// Restarts is the number of consecutive descents from a disturbed plan without improvement after which the
	// search ends. It also ends when no plan can be better.
	Restarts int
	Seed     uint64 // of the disturbances
}

// kicks is the maximum number of random moves that disturb a plan before a descent. It is small enough to preserve
// most of a plan of ten units.
const kicks = 4

// Search returns plans, best first. It starts from the best plans of intervals, with and without crossing costs, from
// Options.Place, and from the best plan at each restart. It ends early if the context ends.
func Search(ctx context.Context, p *Problem, o Options) ([]Plan, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	var plans []Plan
	for _, units := range p.starts(ctx, o.Place) {
		plans = append(plans, p.descent(ctx, units))
	}
	sortPlans(plans)
	best, bound := plans[0], p.Bound()*(1+smallest)
	random := rand.New(rand.NewPCG(o.Seed, uint64(len(p.Work))))
	for failed := 0; failed < o.Restarts && best.Load > bound && ctx.Err() == nil; failed++ {
		s := p.state(best.Units)
		for range 1 + random.IntN(kicks) {
			s.kick(ctx, random)
		}
		if plan := p.descent(ctx, s.units); plan.Load < best.Load*(1-smallest) {
			best, failed = plan, -1
			plans = append(plans, plan)
		}
	}
	sortPlans(plans)
	return plans, ctx.Err()
}

// starts returns the plans from which the search descends first.
func (p *Problem) starts(ctx context.Context, place []int) [][]Unit {
	var starts [][]Unit
	if place != nil {
		units := make([]Unit, len(place))
		for t, core := range place {
			units[t] = Unit{Tasks: []int{t}, Copies: []Copy{{core, 1}}}
		}
		starts = append(starts, units)
	}
	for _, crossing := range []bool{true, false} {
		if units := p.intervals(ctx, crossing); units != nil {
			starts = append(starts, units)
		}
	}
	if len(starts) == 0 {
		starts = append(starts, p.greedy())
	}
	return starts
}

// state returns the state of a copy of a plan.
func (p *Problem) state(units []Unit) *state {
	s := newState(p, clone(units))
	s.probe = newState(p, nil)
	return s
}

// descent returns the local optimum below a plan.
func (p *Problem) descent(ctx context.Context, units []Unit) Plan {
	s := p.state(units)
	s.descend(ctx)
	load, _ := s.greatest()
	return Plan{Units: s.units, Load: load}
}

// kick makes one random move; all kinds are equally likely.
func (s *state) kick(ctx context.Context, random *rand.Rand) {
	var chosen []Unit
	seen := 0
	s.moves(ctx, func(units []Unit) {
		if seen++; random.IntN(seen) == 0 {
			chosen = clone(units)
		}
	})
	if chosen != nil {
		s.set(chosen)
	}
}

// sortPlans sorts plans by load, then by number of copies.
func sortPlans(plans []Plan) {
	slices.SortStableFunc(plans, func(a, b Plan) int {
		switch {
		case a.Load < b.Load*(1-smallest):
			return -1
		case b.Load < a.Load*(1-smallest):
			return 1
		}
		return copiesOf(a.Units) - copiesOf(b.Units)
	})
}

// copiesOf returns the total number of copies, a tie-breaker between plans.
func copiesOf(units []Unit) int {
	n := 0
	for _, u := range units {
		n += len(u.Copies) * len(u.Tasks)
	}
	return n
}

// greedy places each task on the core with the lowest resulting load.
func (p *Problem) greedy() []Unit {
	load := make([]float64, p.cores())
	var units []Unit
	for t, work := range p.Work {
		at := -1
		for c, w := range work {
			if !math.IsInf(w, 1) && (at < 0 || load[c]+w < load[at]+work[at]) {
				at = c
			}
		}
		load[at] += work[at]
		units = append(units, Unit{Tasks: []int{t}, Copies: []Copy{{at, 1}}})
	}
	return units
}

// descend repeats the best move until none improves the plan.
func (s *state) descend(ctx context.Context) {
	for ctx.Err() == nil {
		load, squares := s.greatest()
		var best []Unit
		bestLoad, bestSquares := load*(1-smallest), squares
		improves := false
		s.moves(ctx, func(units []Unit) {
			s.probe.set(units)
			l, sq := s.probe.greatest()
			// With an equal greatest load, a lower sum of squares may still lead to a better plan.
			if l < bestLoad || l <= load*(1+smallest) && !improves && sq < bestSquares*(1-1e-6) {
				improves = improves || l < load*(1-smallest)
				best, bestLoad, bestSquares = clone(units), math.Min(bestLoad, l), sq
			}
		})
		if best == nil {
			return
		}
		s.set(best)
	}
}

// moves tries every neighbouring plan until the context ends.
func (s *state) moves(ctx context.Context, try func(units []Unit)) {
	units := s.units
	for u := range units {
		if ctx.Err() != nil {
			return
		}
		if len(units[u].Copies) == 1 || s.copyable(u) {
			s.copyMoves(u, try)
		}
		for at := 1; at < len(units[u].Tasks); at++ { // divide it
			next := clone(units)
			next[u].Tasks = slices.Clone(units[u].Tasks[:at])
			next = append(next, Unit{slices.Clone(units[u].Tasks[at:]), slices.Clone(units[u].Copies)})
			s.eachPlace(next, u, try)
			s.eachPlace(next, len(next)-1, try)
		}
		for v := range units { // join it with a unit that receives from it
			if u != v && (len(units[u].Copies) == 1 && len(units[v].Copies) == 1 || s.copyable(u) && s.copyable(v)) &&
				s.adjacent(u, v) {
				s.join(u, v, try)
			}
		}
	}
	s.swaps(ctx, try)
}

// copyMoves adds, moves and removes copies of a unit, and changes their turns.
func (s *state) copyMoves(u int, try func(units []Unit)) {
	unit := &s.units[u]
	s.eachPlace(s.units, u, try)
	if !s.copyable(u) {
		return
	}
	for c := range s.p.cores() {
		if s.runs(u, c) && !slices.ContainsFunc(unit.Copies, func(x Copy) bool { return x.Core == c }) {
			next := clone(s.units)
			next[u].Copies = append(next[u].Copies, Copy{c, 1})
			try(next)
			s.tuned(next, u, try)
		}
	}
	for i := range unit.Copies {
		if len(unit.Copies) > 1 {
			next := clone(s.units)
			next[u].Copies = slices.Delete(next[u].Copies, i, i+1)
			try(next)
			s.tuned(next, u, try)
		}
	}
	s.tuned(s.units, u, try)
}

// eachPlace moves each copy of a unit to each other core.
func (s *state) eachPlace(units []Unit, u int, try func(units []Unit)) {
	for i := range units[u].Copies {
		for c := range s.p.cores() {
			if slices.ContainsFunc(units[u].Copies, func(x Copy) bool { return x.Core == c }) ||
				!s.allowed(units[u].Tasks, c) {
				continue
			}
			next := clone(units)
			next[u].Copies[i].Core = c
			try(next)
		}
	}
}

// join merges two units, with the copies of either.
func (s *state) join(u, v int, try func(units []Unit)) {
	tasks := slices.Concat(s.units[u].Tasks, s.units[v].Tasks)
	slices.Sort(tasks)
	for _, from := range []int{u, v} {
		copies := s.units[from].Copies
		if slices.ContainsFunc(copies, func(c Copy) bool { return !s.allowed(tasks, c.Core) }) {
			continue
		}
		next := clone(s.units)
		next[u] = Unit{tasks, slices.Clone(copies)}
		try(slices.Delete(next, v, v+1))
	}
}

// swaps exchanges the cores of two units without copies.
func (s *state) swaps(ctx context.Context, try func(units []Unit)) {
	for u := range s.units {
		for v := range u {
			a, b := &s.units[u], &s.units[v]
			if len(a.Copies) > 1 || len(b.Copies) > 1 || a.Copies[0].Core == b.Copies[0].Core ||
				!s.runs(u, b.Copies[0].Core) || !s.runs(v, a.Copies[0].Core) {
				continue
			}
			if ctx.Err() != nil {
				return
			}
			next := clone(s.units)
			next[u].Copies[0].Core, next[v].Copies[0].Core = b.Copies[0].Core, a.Copies[0].Core
			try(next)
		}
	}
}

// adjacent reports whether tasks of one unit send to tasks of the other.
func (s *state) adjacent(u, v int) bool {
	for i := range s.p.Edges {
		e := &s.p.Edges[i]
		if s.unit[e.From] == u && s.unit[e.To] == v {
			return true
		}
	}
	return false
}

func (s *state) copyable(u int) bool {
	return !slices.ContainsFunc(s.units[u].Tasks, func(t int) bool { return !s.p.Copyable[t] })
}

func (s *state) runs(u, core int) bool { return s.allowed(s.units[u].Tasks, core) }

func (s *state) allowed(tasks []int, core int) bool {
	return !slices.ContainsFunc(tasks, func(t int) bool { return math.IsInf(s.p.Work[t][core], 1) })
}
