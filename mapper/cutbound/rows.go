package cutbound

// Rule is the kind of a row: the reason why every mapping that meets the target satisfies the row.
type Rule uint8

// The values of Rule.
const (
	Loads          Rule = iota // the load of the links of a set is at most the target
	Total                      // the resources of a kind stay within their limits
	DifferentKinds             // an edge with ends on different kinds of resources is cut
	Kinds                      // an edge with ends on different kinds of resources crosses between kinds
	Crosses                    // an edge that crosses between kinds is cut
	Parted                     // an edge between units that constraints separate is cut
	Spread                     // work that exceeds one resource is cut off
)

// Row identifies a row of the linear program: Σ coefficients × columns ≥ a number.
type Row struct {
	Rule    Rule `json:"rule"`
	Set     int  `json:"set,omitempty"`   // Loads
	Kind    int  `json:"kind,omitempty"`  // Total, Spread, DifferentKinds, Kinds
	Limit   int  `json:"limit,omitempty"` // Total, Spread
	Edge    int  `json:"edge,omitempty"`  // DifferentKinds, Kinds, Crosses, Parted
	Swapped bool `json:"swapped,omitempty"`
	Tree    Tree `json:"tree,omitzero"` // Spread
}

// Tree is a tree of edges from a root.
type Tree struct {
	Root     int      `json:"root"`
	Branches []Branch `json:"branches"` // From of each is the index of an earlier branch, or -1
}

// Branch is an edge of a tree, and the unit to which it leads.
type Branch struct {
	Edge int `json:"edge"`
	Unit int `json:"unit"`
	From int `json:"from"` // index of the branch that leads to the edge; -1 at the root
}

// row is a Row with its coefficients. The columns are z of each unit and kind, x of each edge, and, for each edge,
// whether it connects different kinds. A coefficient of 1 is One, so that multipliers have similar sizes.
type row struct {
	Row
	column []int
	value  []int64
	min    int64
}

func (r *row) add(column int, value int64) {
	if value != 0 {
		r.column, r.value = append(r.column, column), append(r.value, value)
	}
}

func (p *Problem) in(unit, kind int) int { return unit*len(p.Kinds) + kind }
func (p *Problem) cut(edge int) int      { return p.Units*len(p.Kinds) + edge }
func (p *Problem) across(edge int) int   { return p.Units*len(p.Kinds) + len(p.Edges) + edge }
func (p *Problem) columns() int          { return p.Units*len(p.Kinds) + 2*len(p.Edges) }

// needsAcross reports whether an edge loads any set of links more between different kinds than between resources of one
// kind.
func (p *Problem) needsAcross(edge int) bool {
	for s := range p.Sets {
		if p.Sets[s].Across[edge] > p.Sets[s].Any[edge] {
			return true
		}
	}
	return false
}

// numbers returns a row's coefficients at a target. ok is false if the row is empty.
func (p *Problem) numbers(name Row, target int64, separate [][]bool) (r row, ok bool) {
	r.Row = name
	switch name.Rule {
	case Loads:
		set := &p.Sets[name.Set]
		for e := range p.Edges {
			r.add(p.cut(e), -set.Any[e])
			r.add(p.across(e), set.Any[e]-set.Across[e])
		}
		r.min = -set.Links * target
	case Total:
		kind := &p.Kinds[name.Kind]
		limit := &kind.Limits[name.Limit]
		for u := range p.Units {
			if p.allowed(u, name.Kind, target) {
				r.add(p.in(u, name.Kind), -limit.Need[u])
			}
		}
		r.min = -kind.Many * limit.maxAt(target)
	case DifferentKinds, Kinds:
		a, b := p.Edges[name.Edge].A, p.Edges[name.Edge].B
		if name.Swapped {
			a, b = b, a
		}
		if !p.allowed(a, name.Kind, target) {
			return r, false
		}
		if r.add(p.cut(name.Edge), One); name.Rule == Kinds {
			r.column[0] = p.across(name.Edge)
		}
		r.add(p.in(a, name.Kind), -One)
		r.add(p.in(b, name.Kind), One)
	case Crosses:
		r.add(p.cut(name.Edge), One)
		r.add(p.across(name.Edge), -One)
	case Parted:
		r.add(p.cut(name.Edge), One)
		r.min = One
	case Spread:
		return p.spread(name, target, separate)
	}
	return r, len(r.column) > 0
}

// weight returns the need of a unit on the root's resource. If the unit and the root cannot share a resource, the
// result exceeds the limit.
func (p *Problem) weight(unit int, of branching) int64 {
	if of.separate[unit] || !p.allowed(unit, of.kind, of.target) {
		return 2 * of.limit.maxAt(of.target)
	}
	return of.limit.Need[unit]
}

// branching is a limit of a kind, with the units that constraints separate from a tree's root.
type branching struct {
	kind     int
	limit    *Limit
	target   int64
	separate []bool
}

// spread returns the row of a tree at a target. ok is false if the row is empty.
func (p *Problem) spread(name Row, target int64, separate [][]bool) (r row, ok bool) {
	r.Row = name
	root, limit := name.Tree.Root, &p.Kinds[name.Kind].Limits[name.Limit]
	if !p.allowed(root, name.Kind, target) {
		return r, false
	}
	branches := name.Tree.Branches
	behind := make([]int64, len(branches))
	excess := limit.Need[root] - limit.maxAt(target)
	for i, b := range branches {
		behind[i] = p.weight(b.Unit, branching{name.Kind, limit, target, separate[root]})
		excess += behind[i]
	}
	if excess <= 0 {
		return r, false
	}
	for i := len(branches) - 1; i >= 0; i-- {
		if from := branches[i].From; from >= 0 {
			behind[from] += behind[i]
		}
		r.add(p.cut(branches[i].Edge), min(behind[i], excess))
	}
	r.add(p.in(root, name.Kind), -excess)
	return r, true
}

func (p *Problem) always(main int) []Row {
	var list []Row
	for s := range p.Sets {
		if s != main {
			list = append(list, Row{Rule: Loads, Set: s})
		}
	}
	for c := range p.Kinds {
		for l := range p.Kinds[c].Limits {
			list = append(list, Row{Rule: Total, Kind: c, Limit: l})
		}
	}
	kinds := len(p.Kinds)
	if kinds == 2 {
		kinds = 1 // the row of the second kind is equivalent
	}
	if len(p.Kinds) > 1 {
		for e := range p.Edges {
			rule := DifferentKinds
			if p.needsAcross(e) {
				rule = Kinds
				list = append(list, Row{Rule: Crosses, Edge: e})
			}
			for c := range kinds {
				list = append(list, Row{Rule: rule, Kind: c, Edge: e}, Row{Rule: rule, Kind: c, Edge: e, Swapped: true})
			}
		}
	}
	separate := p.separatePairs()
	for e, edge := range p.Edges {
		if separate[edge.A][edge.B] {
			list = append(list, Row{Rule: Parted, Edge: e})
		}
	}
	return list
}
