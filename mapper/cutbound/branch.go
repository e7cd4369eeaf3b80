package cutbound

// If prices do not exclude a target, branch and bound divides the set of mappings into parts by decisions. A decision
// fixes whether an edge is cut, whether a unit is on a kind of resource, or whether two units share a resource.

// Fix is a decision of branch and bound.
type Fix struct {
	// Edge is the edge to which the decision applies; onKind for a unit and a kind; onPair for two units without an
	// edge.
	Edge  int  `json:"edge"`
	Unit  int  `json:"unit"`
	Kind  int  `json:"kind"`
	Other int  `json:"other,omitempty"` // second unit of onPair
	On    bool `json:"on"`              // the edge is cut, the unit is on the kind, or the units are separate
}

// Values of Fix.Edge for decisions that do not concern an edge.
const (
	onKind = -1
	onPair = -2
)

// pair returns the two units that a decision places together or separates.
func (f Fix) pair(p *Problem) (a, b int) {
	if f.Edge >= 0 {
		return p.Edges[f.Edge].A, p.Edges[f.Edge].B
	}
	return f.Unit, f.Other
}

// other returns the negated decision.
func (f Fix) other() Fix {
	f.On = !f.On
	return f
}

// Leaf is a part of the set of all mappings, with a proof that no mapping in this part has a maximum load at or below
// the target.
type Leaf struct {
	Fixes  []Fix   `json:"fixes,omitempty"`
	Terms  []Term  `json:"terms,omitempty"`
	Prices *Prices `json:"prices,omitempty"` // proof by prices, without Terms
}

// Branching is the resumable state of branch and price, as plain data.
type Branching struct {
	Begun  bool  `json:"begun"`
	Target int64 `json:"target"` // the current target; 0 for none
	// Open contains the parts that are not yet excluded for the target. Each part is the set of all mappings that
	// satisfy its decisions.
	Open   [][]Fix `json:"open,omitempty"`
	Spent  uint64  `json:"spent"`  // work spent on the target
	Budget uint64  `json:"budget"` // work limit for the target
	Part   int     `json:"part"`   // number of halvings from Low to the next target; 0 for the last target
}

// maxHalvings is the maximum number of halvings of the distance from Low to a target. After that, the work limit of
// each target grows by the factor moreBudget.
const (
	maxHalvings = 5
	moreBudget  = 4
)

// Strong branching evaluates the given number of most promising candidates, and selects the one that raises the bounds
// of both parts most. Values that differ from 0 or 1 by less than fractional count as decided.
const (
	candidates = 5
	fractional = 1e-4
)

// candidate is a possible decision. A higher score is more promising.
type candidate struct {
	fix   Fix
	score float64
}

// outcome is the result of bounding a part.
type outcome uint8

const (
	excluded outcome = iota
	divided
	hopeless // the target cannot be excluded
	unclear  // no proof because of rounding or the work limit
	stopped  // ctx ended it
)
