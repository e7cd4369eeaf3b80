package cutbound

import "xopt/internal/unionfind"

// part is a part of the set of all mappings, defined by decisions. Units that share a resource form a group.
type part struct {
	p      *Problem
	group  []int   // group of each unit
	units  [][]int // units of each group
	edges  [][2]int
	of     []int   // by edge of the problem: the part's edge; -1 for none
	cut    []int   // edges of the problem that every mapping of the part cuts
	clash  [][]int // groups that must not share a resource with each group
	may    [][]bool
	closed bool // decisions contradict each other
}

// newPart returns the part that the decisions define.
func newPart(p *Problem, fixes []Fix) *part {
	x := &part{p: p, of: make([]int, len(p.Edges))}
	sets := unionfind.New(p.Units)
	for _, f := range fixes {
		if f.Edge != onKind && !f.On {
			sets.Union(f.pair(p))
		}
	}
	x.units, x.group = sets.Groups()
	x.separate(fixes)
	x.join()
	x.may = make([][]bool, len(x.units))
	for g, units := range x.units {
		x.may[g] = make([]bool, len(p.Kinds))
		for c := range p.Kinds {
			x.may[g][c] = true
			for _, u := range units {
				for _, f := range fixes {
					if f.Edge == onKind && f.Unit == u && (f.Kind == c) != f.On {
						x.may[g][c] = false
					}
				}
			}
		}
	}
	return x
}

func (x *part) separate(fixes []Fix) {
	x.clash = make([][]int, len(x.units))
	seen := make(map[[2]int]bool)
	add := func(u, v int) {
		a, b := x.group[u], x.group[v]
		if a == b {
			x.closed = true
		} else if pair := [2]int{min(a, b), max(a, b)}; !seen[pair] {
			seen[pair] = true
			x.clash[a], x.clash[b] = append(x.clash[a], b), append(x.clash[b], a)
		}
	}
	for _, pair := range x.p.Separate {
		add(pair[0], pair[1])
	}
	for _, f := range fixes {
		if f.Edge != onKind && f.On {
			add(f.pair(x.p))
		}
	}
}

// join combines the edges between units into edges between groups.
func (x *part) join() {
	number := make(map[[2]int]int)
	for e, edge := range x.p.Edges {
		a, b := x.group[edge.A], x.group[edge.B]
		x.of[e] = -1
		if a == b {
			continue
		}
		if x.areSeparate(a, b) {
			x.cut = append(x.cut, e)
			continue
		}
		pair := [2]int{min(a, b), max(a, b)}
		n, ok := number[pair]
		if !ok {
			n = len(x.edges)
			number[pair] = n
			x.edges = append(x.edges, pair)
		}
		x.of[e] = n
	}
}

func (x *part) areSeparate(a, b int) bool {
	for _, g := range x.clash[a] {
		if g == b {
			return true
		}
	}
	return false
}
