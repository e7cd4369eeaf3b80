package mapper

import (
	"cmp"
	"context"
	"math"
	"slices"

	"xopt/flow"
)

// lister is a list scheduler. It places units in order of decreasing priority. For each unit, it chooses the resource
// that minimizes the largest affected load: the load of the resource or of a link to a placed unit.
type lister struct {
	*walker
	work  [][]float64 // unit × resource: λ/μ if all free sources have equal rates; +Inf if not permitted
	flow  []float64   // flow of each edge, if all free sources have equal rates
	edges [][]int     // edges of each unit
	order []int
	load  []float64
	link  []float64
	units []int // number of units on each resource
}

func newLister(w *walker, flows *flow.Flows) *lister {
	s := w.space
	l := &lister{walker: w, order: make([]int, len(s.units)),
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

// cross adds the traffic between unit u on resource r and the placed units, multiplied by factor, to the loads of the
// links on the default routes. It returns the largest load of these links.
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

// sizes returns the smallest load of each unit. List scheduling with these priorities balances the loads of resources.
func (l *lister) sizes() []float64 {
	var loads []float64
	for _, row := range l.work {
		loads = append(loads, slices.Min(row))
	}
	return loads
}

// ranks returns the upward rank of each unit (Topcuoglu, Hariri and Wu 2002, "HEFT"). This rank is the longest path of
// mean loads to a sink, including the mean loads of links. List scheduling with these priorities tends to place
// neighbors on one resource. Ranks ignore edges that close a cycle.
func (l *lister) ranks() []float64 {
	transfer := 0.0 // mean load of a link per byte/s
	for i := range l.problem.Architecture.Links {
		transfer += 1 / l.problem.Architecture.Links[i].Bandwidth / float64(len(l.problem.Architecture.Links))
	}
	open, done := make([]bool, len(l.work)), make([]bool, len(l.work))
	rank := make([]float64, len(l.work))
	var visit func(u int) float64
	visit = func(u int) float64 {
		if done[u] {
			return rank[u]
		}
		open[u] = true
		tail := 0.0
		for _, e := range l.edges[u] {
			edge := &l.problem.Application.Edges[e]
			if to := l.unitOf[edge.To]; to != u && !open[to] {
				tail = max(tail, transfer*l.flow[e]+visit(to))
			}
		}
		open[u], done[u] = false, true
		sum := 0.0
		for _, r := range l.allowed[u] {
			sum += l.work[u][r]
		}
		rank[u] = tail + sum/float64(len(l.allowed[u]))
		return rank[u]
	}
	for u := range rank {
		visit(u)
	}
	return rank
}

// draw computes the mapping for the given priorities of units. It returns false if a unit does not fit.
func (l *lister) draw(priority []float64) bool {
	l.clear()
	clear(l.load)
	clear(l.link)
	clear(l.units)
	for u := range l.work {
		l.order[u] = u // a stable sort, so that ties are in the same order in every call
	}
	slices.SortStableFunc(l.order, func(a, b int) int { return cmp.Compare(priority[b], priority[a]) })
	for _, u := range l.order {
		best, minimum, own := -1, 0.0, 0.0
		for _, r := range l.allowed[u] {
			if l.units[r] == 0 && r != l.firstEmpty(l.units, r) || !l.fits(u, r) {
				continue
			}
			load := l.work[u][r]
			if l.problem.Architecture.Resources[r].Sharing.Rule != flow.AreaOnly {
				load += l.load[r]
			}
			largest := max(load, l.cross(u, r, 1))
			l.cross(u, r, -1)
			if best < 0 || largest < minimum || largest == minimum && load < own {
				best, minimum, own = r, largest, load
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

// climb repeats local search from mappings of random walks until climbPatience consecutive tries bring no improvement.
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

// climbPatience is the number of consecutive local searches without improvement after which climb has converged.
const climbPatience = 100

// list sets the chain's first mapping: the best simple mapping, because a list schedule may load links much more. If no
// simple mapping meets the constraints, it uses list scheduling, or a random walk if a unit does not fit.
func (c *chain) list() error {
	if err := c.simple(math.MaxInt); err != nil {
		return err
	}
	if len(c.pool.best) > 0 {
		return c.set(c.pool.best[0].Mapping)
	}
	if l := newLister(c.walker, c.pool.flows); l.draw(l.sizes()) {
		return c.set(l.mapping())
	}
	return c.start()
}
