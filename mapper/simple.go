package mapper

import (
	"slices"

	"xopt/flow"
)

// lateUnits limits the number of units that the simple mappings place after the time limit of a search, to about one
// second of work. The first mapping is always completed.
const lateUnits = 200_000

// simple scores some mappings that need no search. It stops when these mappings have placed the given number of units
// in total. The mappings are:
//   - all units on one core
//   - sequences of units of equal length on the cores
//   - the units on the cores in rotation (round robin)
//   - list schedules with two priorities
//   - all units on one resource of each other kind
//
// If a unit is not permitted on a resource, it runs on another resource.
func (c *chain) simple(placed int) error {
	cores, others := c.cores()
	in := func(preferred func(u int) int) func() bool {
		return func() bool { return c.walker.inOrder(preferred) }
	}
	methods := []func() bool{
		in(func(int) int { return cores[0] }),
		in(func(u int) int { return cores[u*len(cores)/len(c.units)] }),
		in(func(u int) int { return cores[u%len(cores)] }),
		func() bool { l := newLister(c.walker, c.pool.flows); return l.draw(l.sizes()) },
		func() bool { l := newLister(c.walker, c.pool.flows); return l.draw(l.ranks()) },
	}
	for _, r := range others {
		methods = append(methods, in(func(int) int { return r }))
	}
	scored := c.tally.evals
	for i, method := range methods {
		if i > 0 && ((i+1)*len(c.units) > placed || c.spent()) {
			break
		}
		if !method() {
			continue
		}
		if err := c.set(c.walker.mapping()); err != nil {
			return err
		}
		c.score()
	}
	if c.tally.evals == scored {
		c.score() // the chain's first mapping
	}
	return nil
}

// cores returns the time-shared resources, or all resources if there are none. It also returns one resource of each
// other kind.
func (s *space) cores() (cores, others []int) {
	for r := range s.class {
		if s.problem.Architecture.Resources[r].Sharing.Rule != flow.AreaOnly {
			cores = append(cores, r)
		} else if s.byClass[s.class[r]][0] == r {
			others = append(others, r)
		}
	}
	if len(cores) == 0 {
		for r := range s.class {
			cores = append(cores, r)
		}
	}
	return cores, others
}

// inOrder places the units in order, each on its preferred resource, or on the first other resource on which it fits.
// It returns false if a unit does not fit.
func (w *walker) inOrder(preferred func(u int) int) bool {
	w.clear()
	for u := range w.at {
		r := preferred(u)
		if !w.fits(u, r) {
			i := slices.IndexFunc(w.allowed[u], func(r int) bool { return w.fits(u, r) })
			if i < 0 {
				return false
			}
			r = w.allowed[u][i]
		}
		w.put(u, r)
	}
	return true
}
