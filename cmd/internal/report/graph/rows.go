package graph

import (
	"cmp"
	"slices"
)

// lane is an item of the vertical order: a group, the nodes without a group, or a link.
type lane struct {
	group, link int // both -1 for nodes without a group
	frame       int // frame of the group, from 1; 0 for none
	lo, hi      int // columns
	row         int
}

// lanes returns the lanes that have nodes or edges, with their columns, and the lane of each node and link.
func lanes(g *Graph, l *layering) (list []lane, ofNode, ofLink []int) {
	ofNode, ofLink = make([]int, len(g.Nodes)), make([]int, len(g.Links))
	ofGroup := make([]int, len(g.Groups)+1) // the last is for nodes without a group
	for i := range ofGroup {
		ofGroup[i] = -1
	}
	for n := range g.Nodes {
		key := g.Nodes[n].Group
		if key < 0 {
			key = len(g.Groups)
		}
		if ofGroup[key] < 0 {
			ofGroup[key] = len(list)
			x := lane{group: g.Nodes[n].Group, link: -1, lo: l.layer[n], hi: l.layer[n]}
			if x.group >= 0 {
				x.frame = g.Groups[x.group].Frame
			}
			list = append(list, x)
		}
		at := &list[ofGroup[key]]
		at.lo, at.hi = min(at.lo, l.layer[n]), max(at.hi, l.layer[n])
		ofNode[n] = ofGroup[key]
	}
	for i := range ofLink {
		ofLink[i] = -1
	}
	for e := range g.Edges {
		for _, k := range g.Edges[e].Via {
			if ofLink[k] < 0 {
				ofLink[k] = len(list)
				list = append(list, lane{group: -1, link: k, hi: l.count - 1})
			}
		}
	}
	return list, ofNode, ofLink
}

// joint is a pair of lanes that edges connect.
type joint struct{ a, b int }

// joints lists the connected pairs of lanes, once for each edge and hop.
func joints(g *Graph, ofNode, ofLink []int) []joint {
	var list []joint
	for e := range g.Edges {
		at := ofNode[g.Edges[e].From]
		hop := func(to int) {
			if to != at {
				list = append(list, joint{at, to})
			}
			at = to
		}
		for _, k := range g.Edges[e].Via {
			hop(ofLink[k])
		}
		hop(ofNode[g.Edges[e].To])
	}
	return list
}

// Work limits of the ordering of lanes.
const (
	barycentreRounds = 12
	swappedLanes     = 60 // maximum number of lanes for which neighbors are also swapped
)

// orderLanes returns the lanes from top to bottom, with connected lanes close to each other. It orders them by
// barycenters, and then swaps neighbors.
func orderLanes(list []lane, joined []joint) []int {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[a].lo, list[b].lo) })
	at := make([]float64, len(list))
	length := func(order []int) float64 {
		for i, n := range order {
			at[n] = float64(i)
		}
		sum := 0.0
		for _, j := range joined {
			sum += max(at[j.a]-at[j.b], at[j.b]-at[j.a])
		}
		return sum
	}
	best, minimum := slices.Clone(order), length(order)
	keep := func() {
		if n := length(order); n < minimum {
			best, minimum = slices.Clone(order), n
		}
	}
	sum, n := make([]float64, len(list)), make([]float64, len(list))
	for range barycentreRounds {
		length(order) // sets at to the positions in order
		for i := range list {
			sum[i], n[i] = at[i], 1
		}
		for _, j := range joined {
			sum[j.a], sum[j.b] = sum[j.a]+at[j.b], sum[j.b]+at[j.a]
			n[j.a]++
			n[j.b]++
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sum[a]/n[a], sum[b]/n[b]) })
		keep()
	}
	if len(list) > swappedLanes || len(joined) > 50*swappedLanes {
		return best
	}
	order = slices.Clone(best)
	for improved := true; improved; {
		improved = false
		for i := range len(order) - 1 {
			order[i], order[i+1] = order[i+1], order[i]
			before := minimum
			if keep(); minimum < before {
				improved = true
				continue
			}
			order[i], order[i+1] = order[i+1], order[i]
		}
	}
	return best
}

// framed returns an order in which the lanes of a frame are adjacent, at their mean position.
func framed(list []lane, order []int) []int {
	sum, n := make(map[int]float64), make(map[int]float64)
	for at, i := range order {
		if f := list[i].frame; f > 0 {
			sum[f], n[f] = sum[f]+float64(at), n[f]+1
		}
	}
	place := make([]float64, len(list))
	for at, i := range order {
		place[i] = float64(at)
		if f := list[i].frame; f > 0 {
			place[i] = sum[f] / n[f]
		}
	}
	order = slices.Clone(order)
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(place[a], place[b]), cmp.Compare(list[a].frame, list[b].frame))
	})
	return order
}

// assignRows assigns lanes to rows and returns the number of rows. A lane shares the row of the lane above it if their
// columns do not overlap and their frames are equal.
func assignRows(list []lane, order []int) int {
	row, last := -1, []int(nil)
	for _, i := range order {
		x := &list[i]
		beside := row >= 0 && x.link < 0 && !slices.ContainsFunc(last, func(j int) bool {
			return list[j].link >= 0 || list[j].frame != x.frame || list[j].lo <= x.hi && x.lo <= list[j].hi
		})
		if !beside {
			row, last = row+1, nil
		}
		x.row, last = row, append(last, i)
	}
	return row + 1
}
