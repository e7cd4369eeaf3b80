package opponents

import (
	"context"
	"math"
	"slices"

	"xopt/bench/arena"
)

// OTAC finds the smallest period of a chain on cores of one kind by bisection, with greedy stages (Orhan et al., OTAC:
// Optimal Scheduling for Pipelined and Replicated Task Chains for Software-Defined Radio, 2023). The result is optimal
// on one kind of core. With two kinds, OTAC returns the better of the solutions for each kind.
func OTAC(ctx context.Context, p *arena.Problem, _ uint64) (arena.Placement, error) {
	return onChain(ctx, p, func(c *chain) [][]stage {
		return [][]stage{c.otac(ctx, big), c.otac(ctx, little)}
	})
}

// otac returns the stages on one kind of core; nil if this kind cannot run all tasks.
func (c *chain) otac(ctx context.Context, kind int) []stage {
	if c.never[kind][len(c.order)] > 0 {
		return nil
	}
	one := *c
	one.cores[1-kind] = 0
	return one.bisect(ctx, func(period float64) []stage { return one.greedy(period, kind) })
}

// FERTAC extends OTAC to two kinds of cores (Orhan et al., Scheduling Strategies for Partially-Replicable Task Chains
// on Two Types of Resources, 2025). Each stage uses little cores if they suffice, otherwise big cores.
func FERTAC(ctx context.Context, p *arena.Problem, _ uint64) (arena.Placement, error) {
	return onChain(ctx, p, func(c *chain) [][]stage {
		return [][]stage{c.bisect(ctx, func(period float64) []stage { return c.greedy(period, little, big) })}
	})
}

// TwoCATAC extends OTAC to two kinds of cores (Orhan et al., Scheduling Strategies for Partially-Replicable Task Chains
// on Two Types of Resources, 2025). It tries both kinds for each stage. It prefers solutions with little cores instead
// of big cores, and then solutions with fewer cores. Unlike the paper, it solves equal subproblems only once, which
// does not change the result.
func TwoCATAC(ctx context.Context, p *arena.Problem, _ uint64) (arena.Placement, error) {
	return onChain(ctx, p, func(c *chain) [][]stage {
		return [][]stage{c.bisect(ctx, func(period float64) []stage {
			t := &twoCATAC{c, period, make(map[[4]int]*choice)}
			return better(t.solve(0, c.cores, big), t.solve(0, c.cores, little)).stages()
		})}
	})
}

// onChain returns the best of the solutions that solve returns, which may be nil. The error wraps
// [arena.ErrNotApplicable] if the problem is not a chain on at most two kinds of cores.
func onChain(ctx context.Context, p *arena.Problem, solve func(*chain) [][]stage) (arena.Placement, error) {
	c, err := newChain(p)
	if err != nil {
		return nil, err
	}
	b := newBest(p)
	for _, stages := range solve(c) {
		if stages != nil {
			b.offer(c.placement(stages))
		}
	}
	return b.result(ctx)
}

// bisect returns the stages with the smallest period for which solve finds stages; nil for none. The resolution is 1
// unit divided by the number of cores. bisect starts with the paper's bounds, of which the lower assumes big cores. If
// solve finds no stages at the upper bound, bisect raises the upper bound.
func (c *chain) bisect(ctx context.Context, solve func(period float64) []stage) []stage {
	number := float64(c.cores[big] + c.cores[little])
	low, sum, longest, total := 0.0, 0.0, 0.0, 0.0
	for i := range c.order {
		first := true
		for k := range c.kinds {
			if w := c.load(stage{i, i + 1, k, min(c.cores[k], 1)}); !math.IsInf(w, 1) {
				if first && !c.stateless(i, i+1) {
					low = max(low, w)
				}
				if first {
					sum += w
				}
				longest, total, first = max(longest, w), total+w, false
			}
		}
	}
	low = max(low, sum/number)
	var found []stage
	for high := low + longest; found == nil && ctx.Err() == nil && high <= 2*total+1; high = 2*high + 1 {
		for from, to := low, high; to-from >= 1/number && ctx.Err() == nil; {
			middle := (from + to) / 2
			if stages := solve(middle); stages != nil {
				found, to = stages, c.period(stages)
			} else {
				from = middle
			}
		}
	}
	return found
}

// period returns the largest load of a core, in units.
func (c *chain) period(stages []stage) float64 {
	period := 0.0
	for _, s := range stages {
		period = max(period, c.load(s))
	}
	return period
}

// greedy forms stages one by one from the first task on; nil if the cores do not suffice. Each stage uses the first of
// kinds that can run it within the period.
func (c *chain) greedy(period float64, kinds ...int) []stage {
	var stages []stage
	cores := c.cores
	for b := 0; b < len(c.order); {
		at := slices.IndexFunc(kinds, func(k int) bool { return c.load(c.fill(period, b, cores, k)) <= period })
		if at < 0 {
			return nil
		}
		s := c.fill(period, b, cores, kinds[at])
		stages = append(stages, s)
		cores[s.kind] -= s.cores
		b = s.e
	}
	return stages
}

// pack returns the end of the longest stage from task b whose load per core is at most period; b if there is none.
func (c *chain) pack(period float64, b, kind, cores int) int {
	e := b
	for e < len(c.order) && c.load(stage{b, e + 1, kind, cores}) <= period {
		e++
	}
	return e
}

// fill returns the next stage from task b on (ComputeStage in the paper). If the free cores do not suffice, the load of
// the returned stage exceeds the period.
func (c *chain) fill(period float64, b int, cores [2]int, kind int) stage {
	need := func(e int) int { return int(min(math.Ceil(c.load(stage{b, e, kind, 1})/period), 1<<30)) }
	e := max(c.pack(period, b, kind, 1), b+1)
	s := stage{b, e, kind, 1}
	if !c.stateless(b, e) || e == len(c.order) && need(e) <= 1 {
		if cores[kind] < 1 {
			s.cores = 0
		}
		return s
	}
	for s.e < len(c.order) && c.stateless(b, s.e+1) {
		s.e++
	}
	if s.cores = need(s.e); s.cores > cores[kind] {
		if s.e = c.pack(period, b, kind, cores[kind]); s.e == b {
			return stage{b, b + 1, kind, 0}
		}
		s.cores = need(s.e)
		return s
	}
	if s.e < len(c.order) { // leave stateless tasks to the next stage if that saves a core
		f := c.pack(period, b, kind, s.cores-1)
		if f > b && c.load(stage{f, s.e + 1, kind, 1}) <= period {
			s.e, s.cores = f, s.cores-1
		}
	}
	return s
}

// twoCATAC is the recursion of [TwoCATAC] for one period.
type twoCATAC struct {
	*chain
	period float64
	solved map[[4]int]*choice // by first task, numbers of cores and kind
}

// choice is a solution for the tasks from the start of its stage on: a linked list of stages.
type choice struct {
	stage stage
	next  *choice
	used  [2]int // cores of each kind, including the cores of the next stages
}

// stages returns the stages of a solution; nil for none.
func (c *choice) stages() []stage {
	var stages []stage
	for ; c != nil; c = c.next {
		stages = append(stages, c.stage)
	}
	return stages
}

// solve returns the best solution for the tasks from b on with the first stage on the given kind; nil for none. cores
// contains the number of free cores of each kind.
func (t *twoCATAC) solve(b int, cores [2]int, kind int) *choice {
	key := [4]int{b, cores[big], cores[little], kind}
	if found, ok := t.solved[key]; ok {
		return found
	}
	var found *choice
	if s := t.fill(t.period, b, cores, kind); t.load(s) <= t.period {
		left := cores
		left[kind] -= s.cores
		found = &choice{stage: s}
		if s.e < len(t.order) {
			found.next = better(t.solve(s.e, left, kind), t.solve(s.e, left, 1-kind))
			if found.next == nil {
				found = nil
			} else {
				found.used = found.next.used
			}
		}
		if found != nil {
			found.used[kind] += s.cores
		}
	}
	t.solved[key] = found
	return found
}

// better returns the preferred solution, or b if the solutions are equal.
func better(a, b *choice) *choice {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.used[little] > b.used[little] && a.used[big] < b.used[big]:
		return a
	case a.used[little] < b.used[little] && a.used[big] > b.used[big]:
		return b
	case a.used[big]+a.used[little] < b.used[big]+b.used[little]:
		return a
	}
	return b
}
