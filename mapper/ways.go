package mapper

import (
	"cmp"
	"slices"
)

// maxWays is how many partial choices of routes are looked at for one placement.
const maxWays = 1 << 14

// ways chooses routes for the edges of a whole placement that have several, by branch and bound on the loads of links.
type ways struct {
	t     *tree
	edges []int // those with a choice, the heaviest first
	most  float64
	left  int
	// reroute has an edge take one of its routes, and score returns the greatest load with those chosen; more is
	// whether another may be scored after the first.
	reroute func(edge, way int)
	score   func() float64
	more    func() bool
}

// try looks for routes with which the greatest load of a placement is below a target, and lowers it to that. It returns
// whether that was done to the end, and the least greatest load that was scored: of one choice at least.
func (w *ways) try(target float64) (least float64, whole bool) {
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
	least = w.score()
	if len(w.edges) == 0 {
		return least, true
	}
	slices.SortStableFunc(w.edges, func(a, b int) int { return cmp.Compare(weight[b], weight[a]) })
	w.most, w.left = min(least, target), maxWays
	whole = w.next(0)
	for _, e := range w.edges {
		w.reroute(e, 0)
	}
	return min(least, w.most), whole
}

// next chooses for the edges from a number on; false where it gives up.
func (w *ways) next(i int) bool {
	if w.left--; w.left < 0 {
		return false
	}
	if w.t.whole() >= w.most*(1-sameLoad) {
		return true
	}
	if i == len(w.edges) {
		if !w.more() {
			return false
		}
		w.most = min(w.most, w.score())
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
			p.takeBack(mark)
		}
		if !done {
			return false
		}
	}
	return true
}
