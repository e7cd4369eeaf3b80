package cutbound

import (
	"cmp"
	"math"
	"slices"
)

// separator finds trees whose rows the solution of the linear program violates.
type separator struct {
	p             *Problem
	separateUnits [][]bool
	near          [][]endpoint // edges of each unit
	distance      []float64
	branch        []Branch // by unit: branch that leads to it
	number        []int    // by unit: position in the tree
	order         []int
	behind        []int64 // by edge: the weight of the units behind it
	broken        []found
}

type endpoint struct{ edge, unit int }

// found is a violated row, with its violation divided by the excess b.
type found struct {
	row Row
	by  float64
}

// The minimum violation of a row, and the minimum length of an edge for shortest paths.
const (
	minBroken  = 2e-3
	edgeLength = 1e-6
)

func newSeparator(p *Problem) *separator {
	s := &separator{p: p, separateUnits: p.separatePairs(), near: make([][]endpoint, p.Units),
		distance: make([]float64, p.Units),
		branch:   make([]Branch, p.Units), number: make([]int, p.Units), behind: make([]int64, len(p.Edges))}
	for e, edge := range p.Edges {
		s.near[edge.A] = append(s.near[edge.A], endpoint{e, edge.B})
		s.near[edge.B] = append(s.near[edge.B], endpoint{e, edge.A})
	}
	return s
}

// separate returns the most violated row of each root and limit, in descending order of violation. in returns z of a
// unit and a kind. cut contains x of each edge.
func (s *separator) separate(target int64, in func(unit, kind int) float64, cut []float64) []found {
	s.broken = s.broken[:0]
	for root := range s.p.Units {
		s.paths(root, cut)
		for c := range s.p.Kinds {
			part := in(root, c)
			if part < 1e-6 || !s.p.allowed(root, c, target) {
				continue
			}
			for l := range s.p.Kinds[c].Limits {
				of := branching{c, &s.p.Kinds[c].Limits[l], target, s.separateUnits[root]}
				if tree, by := s.tree(root, of, part, cut); len(tree.Branches) > 0 {
					s.broken = append(s.broken, found{Row{Rule: Spread, Kind: c, Limit: l, Tree: tree}, by})
				}
			}
		}
	}
	slices.SortStableFunc(s.broken, func(a, b found) int { return cmp.Compare(b.by, a.by) })
	return s.broken
}

// paths computes the shortest paths from a root by Dijkstra's algorithm, without a heap because graphs are small.
func (s *separator) paths(root int, cut []float64) {
	done := make([]bool, s.p.Units)
	for u := range s.distance {
		s.distance[u] = math.Inf(1)
	}
	s.distance[root] = 0
	s.order = s.order[:0]
	for {
		at := -1
		for u, d := range s.distance {
			if !done[u] && !math.IsInf(d, 1) && (at < 0 || d < s.distance[at]) {
				at = u
			}
		}
		if at < 0 {
			return
		}
		done[at] = true
		if at != root {
			s.order = append(s.order, at)
		}
		for _, n := range s.near[at] {
			if d := s.distance[at] + math.Max(0, cut[n.edge]) + edgeLength; d < s.distance[n.unit] {
				s.distance[n.unit], s.branch[n.unit] = d, Branch{Edge: n.edge, Unit: n.unit, From: at}
			}
		}
	}
}

// tree returns the part of the shortest-path tree with the most violated row, and the violation. If no row is violated,
// it returns no branches.
func (s *separator) tree(root int, of branching, part float64, cut []float64) (t Tree, by float64) {
	excess := of.limit.Need[root] - of.limit.maxAt(of.target)
	clear(s.behind)
	best, length := minBroken, 0
	for i, u := range s.order {
		if s.distance[u] > part+0.5 {
			break
		}
		weight := s.p.weight(u, of)
		if weight == 0 {
			continue
		}
		excess += weight
		for at := u; at != root; at = s.branch[at].From {
			s.behind[s.branch[at].Edge] += weight
		}
		if excess <= 0 {
			continue
		}
		sum := 0.0
		for _, v := range s.order[:i+1] {
			e := s.branch[v].Edge
			sum += float64(min(s.behind[e], excess)) * math.Max(0, cut[e])
		}
		if by := part - sum/float64(excess); by > best+1e-9 {
			best, length = by, i+1
		}
	}
	if length == 0 {
		return t, 0
	}
	return s.shortestTree(root, length), best
}

// shortestTree returns the first length branches of the shortest-path tree.
func (s *separator) shortestTree(root, length int) Tree {
	t := Tree{Root: root, Branches: make([]Branch, 0, length)}
	for i, u := range s.order[:length] {
		b := s.branch[u]
		if s.number[u] = i; b.From == root {
			b.From = -1
		} else {
			b.From = s.number[b.From]
		}
		t.Branches = append(t.Branches, b)
	}
	return t
}
