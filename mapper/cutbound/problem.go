package cutbound

// One is the fixed-point representation of 1, for loads and areas. A load of One is the maximum load of the best known
// mapping. Loads and needs are rounded down.
const One = 1 << 32

// Never is the load of a unit on a kind of resource that must not run the unit.
const Never = -1

// Problem is the integer input of the cut bound.
type Problem struct {
	Units    int      `json:"units"`
	Kinds    []Kind   `json:"kinds"`
	Edges    []Edge   `json:"edges"` // at most one per pair of units
	Sets     []Set    `json:"sets"`
	Separate [][2]int `json:"apart,omitempty"` // units that must not share a resource
}

// Kind is a set of resources that the bound treats as equal.
type Kind struct {
	Many   int64   `json:"many"` // number of resources
	Load   []int64 `json:"load"` // by unit: minimum load of a resource that runs only this unit; Never if not allowed
	Limits []Limit `json:"limits"`
}

// Limit is the maximum total need of the units on one resource, such as of time or area.
type Limit struct {
	Need []int64 `json:"need"`
	Max  int64   `json:"most,omitempty"` // 0 means the target
}

// maxAt returns the maximum total need at a target.
func (l *Limit) maxAt(target int64) int64 {
	if l.Max == 0 {
		return target
	}
	return l.Max
}

// Edge is an edge between units A and B.
type Edge struct {
	A int `json:"a"`
	B int `json:"b"`
}

// Set is a set of links with the load of each edge: the minimum, over all routes, of the edge's total load on these
// links.
type Set struct {
	Links  int64   `json:"links"`
	Any    []int64 `json:"any"`    // by edge: load if its ends are on different resources
	Across []int64 `json:"across"` // by edge: load if its ends are on different kinds of resources; at least Any
}

// allowed reports whether a unit may be on a kind of resource at a target.
func (p *Problem) allowed(unit, kind int, target int64) bool {
	load := p.Kinds[kind].Load[unit]
	return load != Never && load <= target
}

// excludesUnit reports whether some unit is not allowed on any kind of resource at a target.
func (p *Problem) excludesUnit(target int64) bool {
	for u := range p.Units {
		isAllowed := false
		for c := range p.Kinds {
			isAllowed = isAllowed || p.allowed(u, c, target)
		}
		if !isAllowed {
			return true
		}
	}
	return false
}

// main returns the index of the set of links with the largest load per link if all edges are cut; -1 if no edge loads a
// link.
func (p *Problem) main() int {
	best, maximum := -1, 0.0
	for s := range p.Sets {
		sum := 0.0
		for e := range p.Edges {
			sum += float64(p.Sets[s].Across[e] + p.Sets[s].Any[e])
		}
		if sum /= float64(p.Sets[s].Links); sum > maximum {
			best, maximum = s, sum
		}
	}
	return best
}

// MainSet returns the set of links with the largest load per link if all edges are cut; nil if no edge loads a link.
func (p *Problem) MainSet() *Set {
	if s := p.main(); s >= 0 {
		return &p.Sets[s]
	}
	return nil
}

// separatePairs reports, for each pair of units, whether they must not share a resource.
func (p *Problem) separatePairs() [][]bool {
	list := make([][]bool, p.Units)
	for u := range list {
		list[u] = make([]bool, p.Units)
	}
	for _, pair := range p.Separate {
		list[pair[0]][pair[1]], list[pair[1]][pair[0]] = true, true
	}
	return list
}
