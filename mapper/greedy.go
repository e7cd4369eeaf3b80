package mapper

import (
	"cmp"
	"context"
	"math"
	"slices"

	"xopt/flow"
)

// lister is a list scheduler. It places units in order of decreasing size. It places each unit on the resource that
// minimizes the largest affected load: of the resource, or of the links to placed units.
type lister struct {
	*walker
	work     [][]float64 // unit × resource: λ/μ if all free sources are equal; +Inf if not permitted
	flow     []float64   // flow of each edge, if all free sources are equal
	edges    [][]int     // of each unit
	order    []int
	minLoads []float64
	load     []float64
	link     []float64
	units    []int // on each resource
}

func newLister(w *walker, flows *flow.Flows) *lister {
	s := w.space
	l := &lister{walker: w, order: make([]int, len(s.units)), minLoads: make([]float64, len(s.units)),
		load: make([]float64, len(s.class)), units: make([]int, len(s.class))}
	for u, kernels := range s.units {
		row := make([]float64, len(s.class))
		for r := range row {
			row[r] = math.Inf(1)
			if !s.isIn[u][r] {
				continue
			}
			row[r] = 0
			for _, k := range kernels {
				for _, a := range flows.Arrival(k) {
					row[r] += math.Abs(a) * s.problem.Figures[k][r].TimePerByte()
				}
			}
		}
		l.order[u] = u
		l.work = append(l.work, row)
	}
	l.edges, l.link = make([][]int, len(s.units)), make([]float64, len(s.problem.Architecture.Links))
	for e, edge := range s.problem.Application.Edges {
		sum := 0.0
		for _, f := range flows.Edge(e) {
			sum += math.Abs(f)
		}
		l.flow = append(l.flow, sum)
		if a, b := s.unitOf[edge.From], s.unitOf[edge.To]; a != b {
			l.edges[a], l.edges[b] = append(l.edges[a], e), append(l.edges[b], e)
		}
	}
	return l
}

// cross adds factor times the traffic between a unit on a resource and the placed units to the links of the default
// routes. It returns the largest load of these links.
func (l *lister) cross(u, r int, factor float64) float64 {
	maximum := 0.0
	for _, e := range l.edges[u] {
		edge := &l.problem.Application.Edges[e]
		from, to := l.unitOf[edge.From], l.unitOf[edge.To]
		q := l.at[from]
		if from == u {
			q = l.at[to]
		}
		if q < 0 || q == r {
			continue
		}
		a, b := q, r
		if from == u {
			a, b = r, q
		}
		if ways := l.routes.Between(a, b); len(ways) > 0 {
			for _, link := range ways[0] {
				l.link[link] += factor * l.flow[e] / l.problem.Architecture.Links[link].Bandwidth
				maximum = max(maximum, l.link[link])
			}
		}
	}
	return maximum
}

// draw computes the mapping. It returns false if a unit does not fit.
func (l *lister) draw() bool {
	l.clear()
	clear(l.load)
	clear(l.link)
	clear(l.units)
	for u, row := range l.work {
		l.order[u] = u // a stable sort, so that ties are in the same order in every call
		l.minLoads[u] = slices.Min(row)
	}
	slices.SortStableFunc(l.order, func(a, b int) int { return cmp.Compare(l.minLoads[b], l.minLoads[a]) })
	for _, u := range l.order {
		best, minimum := -1, 0.0
		for _, r := range l.allowed[u] {
			if l.units[r] == 0 && r != l.firstEmpty(l.units, r) || !l.fits(u, r) {
				continue
			}
			load := l.work[u][r]
			if l.problem.Architecture.Resources[r].Sharing.Rule != flow.AreaOnly {
				load += l.load[r]
			}
			load = max(load, l.cross(u, r, 1))
			l.cross(u, r, -1)
			if best < 0 || load < minimum {
				best, minimum = r, load
			}
		}
		if best < 0 {
			return false
		}
		l.cross(u, best, 1)
		l.put(u, best)
		l.units[best]++
		l.load[best] += l.work[u][best]
	}
	return true
}

// climb repeats local search from random walks until climbPatience consecutive tries bring no improvement.
func (c *chain) climb(ctx context.Context) (bool, error) {
	p := &c.course
	for {
		if !p.Polishing {
			if c.mark(ctx) {
				return false, nil
			}
			if p.Idle >= climbPatience {
				return true, nil
			}
			p.Best, p.Value = exact(c.tally.best), exact(c.tally.value)
			c.scalar.draw(c.rng)
			if err := c.start(); err != nil {
				return false, err
			}
		}
		if !c.polish(ctx) {
			return false, nil
		}
		if p.Idle++; c.tally.best > float64(p.Best)*(1+progressTolerance) || c.tally.value < float64(p.Value) {
			p.Idle = 0
		}
	}
}

// climbPatience is the number of consecutive climbs without improvement after which the search has converged.
const climbPatience = 100

// list starts from the best simple mapping: the traffic of a list schedule may be many times the traffic of one core.
// If no simple mapping meets the constraints, it starts from list scheduling, or from a random walk if a unit does not
// fit.
func (c *chain) list() error {
	if err := c.simple(math.MaxInt); err != nil {
		return err
	}
	if len(c.pool.best) > 0 {
		return c.set(c.pool.best[0].Mapping)
	}
	if l := newLister(c.walker, c.pool.flows); l.draw() {
		return c.set(l.mapping())
	}
	return c.start()
}
