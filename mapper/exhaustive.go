package mapper

import (
	"context"
	"slices"

	"xopt/flow"
)

// enumeration visits all mappings. It visits mappings that differ only in the names of interchangeable resources once:
// in each class, a unit may use the resources in use and the first free resource.
type enumeration struct {
	*space
	at      []int
	members []int // number of units on each resource
	from    []int // first placement; nil for all placements
	visit   func() bool
	pause   func() bool // is called every pauseEvery steps; if it returns false, the enumeration stops
	steps   int
}

// pauseEvery is the number of partial placements between two calls of pause.
const pauseEvery = 4096

func newEnumeration(s *space, visit func() bool) *enumeration {
	return &enumeration{space: s, at: make([]int, len(s.units)), members: make([]int, len(s.class)), visit: visit}
}

// run visits all placements of unit u and all later units. It returns false if the enumeration was stopped.
func (e *enumeration) run(u int) bool {
	if e.steps++; e.steps%pauseEvery == 0 && e.pause != nil && !e.pause() {
		return false
	}
	if u == len(e.units) {
		e.from = nil
		return e.visit()
	}
	for _, r := range e.allowed[u] {
		if e.from != nil && r < e.from[u] {
			continue // already visited
		}
		if e.from != nil && r > e.from[u] {
			e.from = nil
		}
		if e.members[r] == 0 && r != e.firstEmpty(e.members, r) {
			continue
		}
		if slices.ContainsFunc(e.separateUnits[u], func(v int) bool { return v < u && e.at[v] == r }) {
			continue
		}
		e.at[u] = r
		e.members[r]++
		ok := e.run(u + 1)
		e.members[r]--
		if !ok {
			return false
		}
	}
	return true
}

// count returns the number of mappings. Mappings with equal placements but different routes count separately. count
// returns limit if there are more mappings, or if counting takes too long.
func (s *space) count(limit uint64) uint64 {
	n, work := uint64(0), 0
	choice := s.routesDiffer()
	var e *enumeration
	e = newEnumeration(s, func() bool {
		ways := uint64(1)
		if work += len(s.problem.Application.Edges); work > maxCounting {
			n = limit
			return false
		}
		if !choice {
			n++
			return n < limit
		}
		for _, edge := range s.problem.Application.Edges {
			if a := len(s.routes.Between(e.at[s.unitOf[edge.From]], e.at[s.unitOf[edge.To]])); a > 1 {
				if ways *= uint64(a); ways >= limit {
					break
				}
			}
		}
		n += ways
		return n < limit
	})
	e.pause = func() bool {
		if e.steps > maxCounting {
			n = limit
		}
		return n < limit
	}
	e.run(0)
	return min(n, limit)
}

// routesDiffer reports whether edges between any two resources have a choice of routes.
func (s *space) routesDiffer() bool {
	n := len(s.problem.Architecture.Resources)
	for a := range n {
		for b := range n {
			if len(s.routes.Between(a, b)) > 1 {
				return true
			}
		}
	}
	return false
}

// maxCounting limits the number of edges and partial placements that count visits. Beyond this limit, count returns its
// own limit.
const maxCounting = 50_000_000

// exhaust scores every mapping. It returns false if it was stopped.
func (c *chain) exhaust(ctx context.Context) bool {
	s, scorer := c.space, c.scorer
	score := func() bool {
		c.score()
		return !c.stop(ctx)
	}
	e := newEnumeration(s, nil)
	if len(c.course.Placement) > 0 {
		e.from = slices.Clone(c.course.Placement)
	}
	e.pause = func() bool { return ctx.Err() == nil }
	e.visit = func() bool {
		c.course.Placement = append(c.course.Placement[:0], e.at...)
		if c.mark(ctx) {
			return false
		}
		for u, r := range e.at {
			for _, k := range s.units[u] {
				scorer.Move(k, r)
			}
		}
		scorer.Commit()
		ok := eachRoute(scorer, len(s.problem.Application.Edges), score)
		scorer.Commit()
		return ok
	}
	return e.run(0)
}

// eachRoute visits every choice of routes for the first edges of the scorer's placement. It returns false if visit
// returned false.
func eachRoute(scorer *flow.Scorer, edges int, visit func() bool) bool {
	for edges > 0 && scorer.Alternatives(edges-1) < 2 {
		edges--
	}
	if edges == 0 {
		return visit()
	}
	for a := range scorer.Alternatives(edges - 1) {
		scorer.Reroute(edges-1, a)
		if !eachRoute(scorer, edges-1, visit) {
			return false
		}
	}
	scorer.Reroute(edges-1, 0)
	return true
}
