package opponents

import (
	"fmt"
	"math"
	"slices"

	"xopt/bench/arena"
)

// chain is a problem whose tasks form a chain on at most two kinds of cores, as the methods of Orhan et al. require.
// These methods ignore the bus. The unit of time is the finest decimal digit of the problem's times, so that times are
// integers as in the paper.
type chain struct {
	p     *arena.Problem
	order []int        // tasks in the order of the chain
	kinds [2]int       // kinds of p: big, little
	cores [2]int       // number of cores of each kind
	unit  float64      // s
	sums  [2][]float64 // by kind and position: time of the earlier tasks, in units
	never [2][]int     // by kind and position: number of earlier tasks that the kind cannot run
	state []int        // by position: number of earlier tasks with state
}

// big and little are the indices of the kinds of cores in a chain. Little cores are slower than big cores.
const (
	big = iota
	little
)

// stage is an interval of the chain, the tasks from b to e - 1, on a number of cores of a kind.
type stage struct{ b, e, kind, cores int }

// newChain converts a problem. The error wraps [arena.ErrNotApplicable] if the graph is not a chain, or if the
// machine has more than two kinds of cores.
func newChain(p *arena.Problem) (*chain, error) {
	order := chainOrder(p)
	if order == nil {
		return nil, fmt.Errorf("problem %s is not a chain: %w", p.Name, arena.ErrNotApplicable)
	}
	if _, err := allowed(p); err != nil {
		return nil, err
	}
	used := slices.Compact(slices.Sorted(slices.Values(p.Cores)))
	if len(used) > 2 {
		return nil, fmt.Errorf("problem %s has %d kinds of cores, expected at most 2: %w", p.Name, len(used),
			arena.ErrNotApplicable)
	}
	c := &chain{p: p, order: order, unit: resolution(p)}
	c.kinds = [2]int{used[0], used[len(used)-1]}
	total := [2]float64{}
	for _, t := range p.Tasks {
		total[big] += t.Work[c.kinds[big]]
		total[little] += t.Work[c.kinds[little]]
	}
	if total[big] > total[little] {
		slices.Reverse(c.kinds[:])
	}
	for _, k := range p.Cores {
		if k == c.kinds[big] {
			c.cores[big]++
		} else {
			c.cores[little]++
		}
	}
	c.sum()
	return c, nil
}

// sum computes the prefix sums in sums, never and state.
func (c *chain) sum() {
	n := len(c.order)
	c.state = make([]int, n+1)
	for k := range c.kinds {
		c.sums[k], c.never[k] = make([]float64, n+1), make([]int, n+1)
	}
	for i, t := range c.order {
		task := &c.p.Tasks[t]
		c.state[i+1] = c.state[i]
		if !task.Replicable {
			c.state[i+1]++
		}
		for k, kind := range c.kinds {
			c.sums[k][i+1], c.never[k][i+1] = c.sums[k][i], c.never[k][i]
			if math.IsInf(task.Work[kind], 1) {
				c.never[k][i+1]++
			} else {
				c.sums[k][i+1] += math.Round(task.Work[kind] / c.unit)
			}
		}
	}
}

// chainOrder returns the tasks in the order of the chain; nil if the graph is not a chain.
func chainOrder(p *arena.Problem) []int {
	n := len(p.Tasks)
	next, before := make([]int, n), make([]int, n)
	for t := range n {
		next[t], before[t] = -1, -1
	}
	for _, e := range p.Edges {
		if e.From == e.To || next[e.From] >= 0 && next[e.From] != e.To || before[e.To] >= 0 && before[e.To] != e.From {
			return nil
		}
		next[e.From], before[e.To] = e.To, e.From
	}
	at := slices.Index(before, -1)
	var order []int
	for at >= 0 {
		order, at = append(order, at), next[at]
	}
	if len(order) != n || n == 0 {
		return nil
	}
	return order
}

// resolution returns the largest power of ten, in seconds, of which all times are multiples. If there is none down to
// 1 ps, it returns a unit so small that rounding errors are negligible.
func resolution(p *arena.Problem) float64 {
	const exact = 1e-13 // relative error of a time and of a division
	longest := 0.0
	var times []float64
	for _, t := range p.Tasks {
		for _, w := range t.Work {
			if !math.IsInf(w, 1) {
				times, longest = append(times, w), max(longest, w)
			}
		}
	}
	for digits := range 13 {
		scale := math.Pow10(digits)
		if !slices.ContainsFunc(times, func(w float64) bool {
			return math.Abs(w*scale-math.Round(w*scale)) > exact*w*scale
		}) {
			return 1 / scale
		}
	}
	return longest / (1 << 40)
}

// load returns the load of each core of a stage, in units; +Inf if the cores cannot run the stage.
func (c *chain) load(s stage) float64 {
	if s.cores < 1 || c.never[s.kind][s.e] > c.never[s.kind][s.b] {
		return math.Inf(1)
	}
	sum := c.sums[s.kind][s.e] - c.sums[s.kind][s.b]
	if c.stateless(s.b, s.e) {
		return sum / float64(s.cores)
	}
	return sum
}

// stateless reports whether no task from b to e - 1 has state.
func (c *chain) stateless(b, e int) bool { return c.state[e] == c.state[b] }

// placement returns the placement of stages. All cores of a stage share its tasks equally.
func (c *chain) placement(stages []stage) arena.Placement {
	free := [2][]int{}
	for core, k := range c.p.Cores {
		if k == c.kinds[big] {
			free[big] = append(free[big], core)
		} else {
			free[little] = append(free[little], core)
		}
	}
	placement := make(arena.Placement, len(c.order))
	for _, s := range stages {
		used := free[s.kind][:s.cores]
		free[s.kind] = free[s.kind][s.cores:]
		for _, t := range c.order[s.b:s.e] {
			for _, core := range used {
				placement[t] = append(placement[t], arena.Share{Core: core, Part: 1 / float64(s.cores)})
			}
		}
	}
	return placement
}
