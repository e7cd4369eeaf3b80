package cutbound

// A target that prices do not exclude is divided into parts, by decisions: an edge is cut or not, a unit is on a kind
// of resource or not, two units are together or not.

// Fix is a decision of a branch.
type Fix struct {
	// Edge is the edge that it is on; -1 for one on a unit and a kind, -2 for one on two units that no edge joins.
	Edge  int  `json:"edge"`
	Unit  int  `json:"unit"`
	Kind  int  `json:"kind"`
	Other int  `json:"other,omitempty"` // unit
	On    bool `json:"on"`              // the edge is cut, the unit is on the kind, the units are apart
}

// What Fix.Edge is where a decision is not on an edge.
const (
	onKind = -1
	onPair = -2
)

// pair are the two units that a decision has together or apart.
func (f Fix) pair(p *Problem) (a, b int) {
	if f.Edge >= 0 {
		return p.Edges[f.Edge].A, p.Edges[f.Edge].B
	}
	return f.Unit, f.Other
}

// other is the decision against.
func (f Fix) other() Fix {
	f.On = !f.On
	return f
}

// Leaf is a part of all mappings and why none in it has its greatest load at or below the target.
type Leaf struct {
	Fixes  []Fix   `json:"fixes,omitempty"`
	Terms  []Term  `json:"terms,omitempty"`
	Prices *Prices `json:"prices,omitempty"` // in place of terms
}

// Branching is where branch and price is, as plain data.
type Branching struct {
	Begun  bool  `json:"begun"`
	Target int64 `json:"target"` // that is being looked at; 0 for none
	// Open are the parts of the target that are still to be looked at: each is all mappings that keep its decisions.
	// Workers can share them (Search.Look).
	Open   [][]Fix `json:"open,omitempty"`
	Spent  uint64  `json:"spent"`  // on the target
	Budget uint64  `json:"budget"` // for it
	Part   int     `json:"part"`   // the next target is this many halvings from Low; 0 for the last
}

// mostHalvings is how often a target is halved before more is spent on each, moreBudget times as much.
const (
	mostHalvings = 5
	moreBudget   = 4
)

// How decisions are chosen: of so many edges, units and pairs that look best, that which raises the bounds of both
// parts most. What is nearer than fractional to 0 or 1 counts as decided.
const (
	candidates = 5
	fractional = 1e-4
)

// candidate is a decision that may be made.
type candidate struct {
	fix   Fix
	score float64
}

// outcome is what became of a part.
type outcome uint8

const (
	excluded outcome = iota
	divided
	hopeless // the target cannot be excluded
	unclear  // rounding left nothing proven, or it took long
	stopped  // ctx ended it
)
