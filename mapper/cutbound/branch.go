package cutbound

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
)

// Where the linear program alone cannot exclude a target, branch and cut does: an edge is cut or not, a unit
// is on a kind of resource or not, and so on, until the program excludes each part.

// Fix is a decision of a branch.
type Fix struct {
	Edge int  `json:"edge"` // -1 for one on a unit and a kind
	Unit int  `json:"unit"`
	Kind int  `json:"kind"`
	On   bool `json:"on"` // the edge is cut; the unit is on the kind
}

// other is the decision against.
func (f Fix) other() Fix {
	f.On = !f.On
	return f
}

// Leaf is a part of all mappings and why none in it has its greatest load at or below the target.
type Leaf struct {
	Fixes []Fix
	Terms []Term
}

// Branching is where branch and cut is, as plain data.
type Branching struct {
	Begun  bool    `json:"begun"`
	Target int64   `json:"target"` // that is being looked at; 0 for none
	Open   [][]Fix `json:"open,omitempty"`
	Spent  uint64  `json:"spent"`  // on the target
	Budget uint64  `json:"budget"` // for it
	Part   int     `json:"part"`   // the next target is this many halvings from Low
	Roots  int     `json:"roots"`  // cuts that were there from the start
}

// How branch and cut shares its work: numbers worked out in one step, for a first target, and how often a
// target is halved before more is spent.
const (
	branchStep   = 200_000_000
	firstBudget  = 2_000_000_000
	mostHalvings = 5
	moreBudget   = 4
	nodeRounds   = 3
	nodeRise     = 2e-3
	branchCuts   = 600
	candidates   = 5 // of edges, and of units, that are tried before one is chosen
	fractional   = 1e-4
	unreachable  = 1e3 // the rise of a part that is excluded at once, in units of what is missing
)

// node is a part that is open, with its linear program where it is known.
type node struct {
	fixes []Fix
	try   *try
}

// outcome is what became of a node.
type outcome uint8

const (
	excluded outcome = iota
	divided
	hopeless // the target cannot be excluded
	unclear  // rounding left nothing proven
	stopped  // ctx ended it
)

// branch goes on with branch and cut.
func (s *Search) branch(ctx context.Context) bool {
	b := s.at.Branch
	if !b.Begun {
		b = Branching{Begun: true, Part: 1, Budget: firstBudget, Roots: len(s.at.Cuts)}
	}
	if b.Target == 0 {
		b.Target, b.Spent, b.Open = s.at.Low+max(1, (s.at.Top-s.at.Low)>>b.Part), 0, [][]Fix{nil}
		s.leaves = nil
	}
	var open []node
	for _, fixes := range b.Open {
		open = append(open, node{fixes: fixes})
	}
	begun, cuts, leaves := s.Work, s.at.Cuts, slices.Clip(s.leaves)
	s.extra = nil
	for dull := false; len(open) > 0 && !dull && s.Work-begun < branchStep; {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		end, parts, terms := s.visit(ctx, b.Target, n)
		if end == unclear && n.try != nil { // pivots add up errors: once more from the start
			n.try = nil
			end, parts, terms = s.visit(ctx, b.Target, n)
		}
		switch end {
		case stopped:
			return false
		case hopeless:
			b.Target, s.at.Top = 0, b.Target
			s.at.Branch = b
			return true
		case unclear:
			b.Spent, open, dull = max(b.Spent, b.Budget), append(open, n), true // no more of this target
		case divided:
			open = append(open, parts...)
		case excluded:
			if s.Record {
				leaves = append(leaves, Leaf{n.fixes, terms})
			}
		}
	}
	b.Spent += s.Work - begun
	b.Open = nil
	for _, n := range open {
		b.Open = append(b.Open, n.fixes)
	}
	cuts = append(slices.Clip(cuts), s.extra...)
	if over := len(cuts) - max(branchCuts, b.Roots); over > 0 {
		cuts = slices.Delete(slices.Clone(cuts), b.Roots, b.Roots+over)
	}
	s.at.Cuts, s.leaves = cuts, leaves
	switch {
	case len(open) == 0:
		if s.at.Low, s.Certificate = b.Target, nil; s.Record {
			s.Certificate = &Certificate{Target: b.Target, Leaves: leaves}
		}
		b.Target, b.Part = 0, max(1, b.Part-1)
	case b.Spent >= b.Budget:
		b.Target = 0
		if b.Part++; b.Part > mostHalvings {
			b.Part, b.Budget = 1, b.Budget*moreBudget
		}
	}
	s.at.Branch = b
	return true
}

// visit bounds a part, and divides it where it is not excluded.
func (s *Search) visit(ctx context.Context, target int64, n node) (outcome, []node, []Term) {
	if s.empty(target, n.fixes) {
		return excluded, nil, nil
	}
	t := n.try
	if t == nil {
		t = s.newTry(target)
		for _, f := range n.fixes {
			t.fix(f)
		}
	}
	before := t.lp.work
	if n.try == nil {
		before = 0
	}
	defer func() { s.Work += t.lp.work - before }()
	last := -1.0
	for round := 0; ; round++ {
		switch t.solve(ctx) {
		case unfinished:
			if ctx.Err() != nil {
				return stopped, nil, nil
			}
			return unclear, nil, nil
		case above, infeasible:
			if terms := s.p.certify(target, t.prices, n.fixes); terms != nil {
				return excluded, nil, terms
			}
			return unclear, nil, nil
		}
		rise := t.lp.objective - last
		last = t.lp.objective
		if round >= nodeRounds || rise < nodeRise*t.scale {
			if f, ok := s.choose(t); ok {
				return divided, s.divide(t, n, f), nil
			}
		}
		if t.separate(s) == 0 {
			if f, ok := s.choose(t); ok {
				return divided, s.divide(t, n, f), nil
			}
			return hopeless, nil, nil
		}
	}
}

// divide makes the two parts of a node.
func (s *Search) divide(t *try, n node, f Fix) []node {
	var parts []node
	for _, f := range []Fix{f.other(), f} {
		child := t
		if len(parts) == 0 {
			child = t.clone()
		}
		parts = append(parts, node{append(slices.Clip(n.fixes), f), child})
	}
	for i := range parts {
		parts[i].try.fix(parts[i].fixes[len(n.fixes)])
	}
	return parts
}

// empty reports whether decisions leave a unit nowhere.
func (s *Search) empty(target int64, fixes []Fix) bool {
	for u := range s.p.Units {
		some := false
		for c := range s.p.Kinds {
			some = some || s.p.may(u, c, target, fixes)
		}
		if !some {
			return true
		}
	}
	return false
}

// may reports whether a unit may be on a kind of resource where decisions were made.
func (p *Problem) may(unit, kind int, target int64, fixes []Fix) bool {
	for _, f := range fixes {
		if f.Edge < 0 && f.Unit == unit && (f.Kind == kind) != f.On {
			return false
		}
	}
	return p.allowed(unit, kind, target)
}

// fix has the linear program keep a decision.
func (t *try) fix(f Fix) {
	if f.Edge >= 0 {
		if k := t.column[t.p.cut(f.Edge)]; f.On {
			t.lp.add([]int{k}, []float64{1}, 1)
		} else {
			t.lp.shut(k)
		}
		return
	}
	on := t.base[f.Unit] == f.Kind
	if k := t.column[t.p.in(f.Unit, f.Kind)]; k >= 0 {
		if f.On {
			t.lp.add([]int{k}, []float64{1}, 1)
		} else {
			t.lp.shut(k)
		}
		return
	} else if !on {
		return // it may not be there at all
	}
	var others []int
	var ones []float64
	for c := range t.p.Kinds {
		if k := t.column[t.p.in(f.Unit, c)]; k >= 0 {
			if f.On {
				t.lp.shut(k)
			}
			others, ones = append(others, k), append(ones, 1)
		}
	}
	if !f.On {
		t.lp.add(others, ones, 1)
	}
}

// clone shares nothing that changes.
func (t *try) clone() *try {
	c := *t
	c.lp = t.lp.clone()
	c.rows, c.cuts = maps.Clone(t.rows), slices.Clone(t.cuts)
	c.prices, c.values = nil, nil
	c.in, c.cut = slices.Clone(t.in), slices.Clone(t.cut)
	return &c
}

// candidate is a decision that may be made.
type candidate struct {
	fix   Fix
	score float64
}

// choose finds the decision that raises the bound of both parts most, of those that look best; false where nothing is
// left to be decided.
func (s *Search) choose(t *try) (Fix, bool) {
	t.point()
	var edges, units []candidate
	for e, x := range t.cut {
		if f := math.Min(x, 1-x); f > fractional {
			weight := 1e-6
			if s.main >= 0 {
				weight += float64(s.p.Sets[s.main].Any[e]) / Whole
			}
			edges = append(edges, candidate{Fix{Edge: e, On: true}, f * weight})
		}
	}
	for u := range s.p.Units {
		for c := range s.p.Kinds {
			x := t.in[s.p.in(u, c)]
			if f := math.Min(x, 1-x); f > fractional {
				units = append(units, candidate{Fix{Edge: -1, Unit: u, Kind: c, On: true}, f})
				break
			}
		}
	}
	var list []candidate
	for _, of := range [][]candidate{edges, units} {
		slices.SortStableFunc(of, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
		list = append(list, of[:min(len(of), candidates)]...)
	}
	if len(list) == 0 {
		return Fix{}, false
	}
	best, most := 0, -1.0
	for i, c := range list {
		if score := t.rise(c.fix) * t.rise(c.fix.other()); score > most {
			best, most = i, score
		}
	}
	return list[best].fix, true
}

// rise is by how much a decision raises the bound at least, of what is missing.
func (t *try) rise(f Fix) float64 {
	const pivots = 40
	c := *t
	c.lp = t.lp.clone()
	c.fix(f)
	end, _ := c.lp.solve(t.scale*(1+margin), c.lp.work+pivots*uint64(len(c.lp.rows)*len(c.lp.column)))
	t.lp.work = c.lp.work
	missing := math.Max(1e-9, t.scale*(1+margin)-t.lp.objective)
	if end == above || end == infeasible {
		return unreachable
	}
	return math.Max(1e-4, (c.lp.objective-t.lp.objective)/missing)
}

// clone shares nothing that changes.
func (x *simplex) clone() *simplex {
	c := *x
	c.upper, c.column, c.high = slices.Clone(x.upper), slices.Clone(x.column), slices.Clone(x.high)
	c.cost, c.place, c.steps = slices.Clone(x.cost), slices.Clone(x.place), nil
	c.rows = slices.Clone(x.rows)
	n := len(x.column)
	all := make([]float64, n*len(x.rows))
	for i := range c.rows {
		own := all[i*n : (i+1)*n : (i+1)*n]
		copy(own, x.rows[i].factor)
		c.rows[i].factor = own
	}
	c.work += uint64(len(all)) / 8
	return &c
}

// shut has a structural variable be 0.
func (x *simplex) shut(j int) {
	if at := x.place[j]; at >= 0 && x.high[at] {
		x.flip(at)
	}
	x.upper[j] = 0
}
