package mapper

import (
	"cmp"
	"slices"
)

// maxWays limits the number of partial route choices that ways visits for one placement.
const maxWays = 1 << 14

// ways searches for the best routes of the edges of a complete placement, by branch and bound on link loads.
type ways struct {
	t     *tree
	edges []int // edges with a choice, heaviest first
	max   float64
	left  int
	// reroute selects a route of an edge. score returns the maximum load of the current choice. more reports whether
	// try may score another choice after the first.
	reroute func(edge, way int)
	score   func() float64
	more    func() bool
}

// try searches for routes with a maximum load below the target, and lowers the target. It scores at least one choice.
// It returns the lowest maximum load of the scored choices, and whether the search was complete.
func (w *ways) try(target float64) (minimum float64, complete bool) {
	t := w.t
	app := &t.problem.Application
	weight := make(map[int]float64)
	for e, edge := range app.Edges {
		list := t.routes.Between(t.at[t.unitOf[edge.From]], t.at[t.unitOf[edge.To]])
		if len(list) < 2 {
			continue
		}
		w.edges = append(w.edges, e)
		for _, l := range list[0] {
			weight[e] += t.sources[0].works.Link(e, l)
		}
	}
	for _, e := range w.edges {
		w.reroute(e, 0)
	}
	minimum = w.score()
	if len(w.edges) == 0 {
		return minimum, true
	}
	slices.SortStableFunc(w.edges, func(a, b int) int { return cmp.Compare(weight[b], weight[a]) })
	w.max, w.left = min(minimum, target), maxWays
	complete = w.next(0)
	for _, e := range w.edges {
		w.reroute(e, 0)
	}
	return min(minimum, w.max), complete
}

// next tries all routes of the edges from index i on. It returns false if it reaches a limit.
func (w *ways) next(i int) bool {
	if w.left--; w.left < 0 {
		return false
	}
	if w.t.maxLoad() >= w.max*(1-sameLoad) {
		return true
	}
	if i == len(w.edges) {
		if !w.more() {
			return false
		}
		w.max = min(w.max, w.score())
		return true
	}
	t := w.t
	edge := t.problem.Application.Edges[w.edges[i]]
	for way, links := range t.routes.Between(t.at[t.unitOf[edge.From]], t.at[t.unitOf[edge.To]]) {
		mark := t.mark()
		w.reroute(w.edges[i], way)
		for _, p := range t.sources {
			p.cross(w.edges[i], links)
		}
		done := w.next(i + 1)
		for _, p := range t.sources {
			p.revert(mark)
		}
		if !done {
			return false
		}
	}
	return true
}
