package cutbound

import "xopt/internal/unionfind"

// Inseparable returns the group of each unit. Every cut between units of one group loads some links above a target.
// Therefore, every mapping with a maximum load at or below the target places a group on one resource.
//
// Inseparable visits the units in maximum adjacency order. In this order, the total weight of the edges between a unit
// and all visited units is a lower bound on the minimum cut between the unit and the last visited unit (Nagamochi and
// Ibaraki 1992, "Computing edge-connectivity in multigraphs and capacitated graphs", SIAM J. Discrete Math. 5).
func (p *Problem) Inseparable(target int64) []int {
	group := unionfind.New(p.Units)
	for again := true; again; {
		again = false
		for i := range p.Sets {
			for p.contract(&p.Sets[i], group, target) {
				again = true
			}
		}
	}
	return group
}

// contract merges groups that no cut with loads up to the target on a set of links separates. It reports whether it
// merged any.
func (p *Problem) contract(set *Set, group []int, target int64) (merged bool) {
	limit := float64(set.Links) * float64(target) // sums of integers up to 2^53 are exact
	near := make([]map[int]float64, p.Units)
	for e, edge := range p.Edges {
		a, b := group[edge.A], group[edge.B]
		if a == b || set.Any[e] == 0 {
			continue
		}
		for _, pair := range [][2]int{{a, b}, {b, a}} {
			if near[pair[0]] == nil {
				near[pair[0]] = make(map[int]float64)
			}
			near[pair[0]][pair[1]] += float64(set.Any[e])
		}
	}
	sets := unionfind.New(p.Units)
	weight, visited := make([]float64, p.Units), make([]bool, p.Units)
	for range p.Units {
		u := -1
		for v, g := range group {
			if v == g && !visited[v] && (u < 0 || weight[v] > weight[u]) {
				u = v
			}
		}
		if u < 0 {
			break
		}
		visited[u] = true
		for v, w := range near[u] {
			if visited[v] {
				continue
			}
			if weight[v] += w; weight[v] > limit && sets.Find(u) != sets.Find(v) {
				sets.Union(u, v)
				merged = true
			}
		}
	}
	for u, g := range group {
		group[u] = sets.Find(g)
	}
	return merged
}
