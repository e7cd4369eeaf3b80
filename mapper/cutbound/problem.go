package cutbound

// Whole is the load, and the area, that numbers are parts of: a load of Whole is that of the best
// mapping known. Loads and needs are rounded down to such parts.
const Whole = 1 << 32

// Never is the load of a unit where it may not be.
const Never = -1

// Problem is what the bound knows of a mapping problem.
type Problem struct {
	Units int      `json:"units"`
	Kinds []Kind   `json:"kinds"`
	Edges []Edge   `json:"edges"` // at most one between two units
	Sets  []Set    `json:"sets"`
	Apart [][2]int `json:"apart,omitempty"` // units that must not share a resource
}

// Kind is a kind of resources.
type Kind struct {
	Many   int64   `json:"many"` // how many there are
	Load   []int64 `json:"load"` // of one that holds this unit alone, at least; Never where it may not be
	Limits []Limit `json:"limits"`
}

// Limit is that what the units on one resource need is at most so much.
type Limit struct {
	Need []int64 `json:"need"`
	Most int64   `json:"most,omitempty"` // 0 for the target
}

// most is the limit at a target.
func (l *Limit) most(target int64) int64 {
	if l.Most == 0 {
		return target
	}
	return l.Most
}

// Edge joins two units.
type Edge struct {
	A int `json:"a"`
	B int `json:"b"`
}

// Set is some links that every route between different resources loads, in their sum, by at
// least so much.
type Set struct {
	Links  int64   `json:"links"`
	Any    []int64 `json:"any"`    // of each edge, where its ends are on different resources
	Across []int64 `json:"across"` // likewise, on resources of different kinds; at least Any
}

// allowed reports whether a unit may be on a kind of resource at a target.
func (p *Problem) allowed(unit, kind int, target int64) bool {
	load := p.Kinds[kind].Load[unit]
	return load != Never && load <= target
}

// main is the set of links with the greatest load for a link, were all edges to cross; -1 for none.
func (p *Problem) main() int {
	best, most := -1, 0.0
	for s := range p.Sets {
		sum := 0.0
		for e := range p.Edges {
			sum += float64(p.Sets[s].Across[e] + p.Sets[s].Any[e])
		}
		if sum /= float64(p.Sets[s].Links); sum > most {
			best, most = s, sum
		}
	}
	return best
}

// apart lists for each unit which others it must not share a resource with.
func (p *Problem) apart() [][]bool {
	list := make([][]bool, p.Units)
	for u := range list {
		list[u] = make([]bool, p.Units)
	}
	for _, pair := range p.Apart {
		list[pair[0]][pair[1]], list[pair[1]][pair[0]] = true, true
	}
	return list
}
