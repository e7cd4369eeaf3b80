package cutbound

import (
	"math"
	"slices"
)

// A mapping divides the units into clusters, one per resource. For up to MaxUnits units, clusters yield tighter bounds
// than rows of trees (Johnson, Mehrotra and Nemhauser 1993, "Min-cut clustering"). Let y_s be weights of the sets of
// links. A cut edge then costs a_e, and an additional d_e if its ends are on different kinds of resources. Let π_u be
// the prices of units, F_ec the prices of edges between kinds, and M_c the prices of the resources of a kind. The
// prices must satisfy, for every cluster S that fits a resource of kind c:
//
// Σ_{u in S} 2π_u - 2φ_uc - Σ_{e leaves S} a_e ≤ M_c, φ_uc = Σ_{e from u} F_ec - Σ_{e to u} F_ec
//
// Then every mapping with a maximum load of at most T satisfies
//
// Σ_u 2π_u - Σ_c m_c M_c ≤ 2T Σ_s y_s × links of s
//
// because each cut edge leaves two clusters. Prices that violate this inequality exclude T. A linear program proposes
// prices (master.go). An exact integer search for the most valuable cluster (pricer.go) proves that the M_c satisfy the
// condition.

// Cluster is a set of units that fits on one resource of a kind.
type Cluster struct {
	Kind  int   `json:"kind"`
	Units []int `json:"units"` // ascending
}

// Prices prove that no mapping of a part has a maximum load at or below a target. A price of 1<<priceBits corresponds
// to a load of One.
type Prices struct {
	// Sets contains the weights y of the sets of links, in units of 1/(1<<weightBits).
	Sets []int64 `json:"sets"`
	// Units contains the prices π.
	Units []int64 `json:"units"`
	// Cross contains the prices F, by edge and kind; nil if no edge has an additional cost between kinds.
	Cross [][]int64 `json:"cross,omitempty"`
	// Max contains M of each kind: an upper bound on the value of its clusters.
	Max []int64 `json:"most"`
}

// The numbers of fraction bits of loads, prices and weights. The product of a weight and a load has shiftBits more
// fraction bits than a price.
const (
	integerBits = 32
	priceBits   = 34
	weightBits  = 24
	shiftBits   = integerBits + weightBits - priceBits
	maxPriced   = 4 << priceBits // upper bound on the price of an edge or unit
)

// MaxUnits is the maximum number of units for the cluster bound. For more units, the search for the most valuable
// cluster needs too much time.
const MaxUnits = 160

// costs contains the costs of edges at some weights of the sets of links, rounded down.
type costs struct {
	cut    []int64 // a
	across []int64 // d
	right  int64   // 2T Σ y × links, rounded down
}

// costs computes the costs of edges at given weights of the sets of links.
func (p *Problem) costs(weights []int64, target int64) *costs {
	c := &costs{cut: make([]int64, len(p.Edges)), across: make([]int64, len(p.Edges))}
	links := int64(0)
	for s := range p.Sets {
		links += weights[s] * p.Sets[s].Links
	}
	c.right = 2 * target * links >> shiftBits
	for e := range p.Edges {
		any, more := int64(0), int64(0)
		for s := range p.Sets {
			any += weights[s] * p.Sets[s].Any[e]
			more += weights[s] * (p.Sets[s].Across[e] - p.Sets[s].Any[e])
		}
		c.cut[e] = min(any>>shiftBits, maxPriced)
		c.across[e] = min(more>>shiftBits, maxPriced)
	}
	return c
}

// crosses reports whether any edge has an additional cost between kinds.
func (p *Problem) crosses() bool {
	if len(p.Kinds) < 2 {
		return false
	}
	for e := range p.Edges {
		if p.needsAcross(e) {
			return true
		}
	}
	return false
}

// clusters reports whether the cluster bound is applicable: there are at most MaxUnits units, and numbers cannot
// overflow.
func (p *Problem) clusters() bool {
	if p.Units > MaxUnits || len(p.Sets) == 0 {
		return false
	}
	for s := range p.Sets {
		if p.Sets[s].Links >= 1<<10 {
			return false
		}
		for e := range p.Edges {
			if p.Sets[s].Across[e] >= 1<<(62-weightBits) {
				return false
			}
		}
	}
	return true
}

// fits reports whether a cluster fits on one resource of its kind at a target load.
func (p *Problem) fits(c *Cluster, target int64) bool {
	for _, u := range c.Units {
		if !p.allowed(u, c.Kind, target) {
			return false
		}
	}
	for l := range p.Kinds[c.Kind].Limits {
		limit := &p.Kinds[c.Kind].Limits[l]
		sum := int64(0)
		for _, u := range c.Units {
			sum += limit.Need[u]
		}
		if sum > limit.maxAt(target) {
			return false
		}
	}
	return !p.clash(c.Units)
}

// clash reports whether constraints separate any two of the units.
func (p *Problem) clash(units []int) bool {
	for _, pair := range p.Separate {
		if slices.Contains(units, pair[0]) && slices.Contains(units, pair[1]) {
			return true
		}
	}
	return false
}

// leaving returns the load of a cluster's cut edges on a set of links.
func (p *Problem) leaving(c *Cluster, in []bool, set int) int64 {
	for _, u := range c.Units {
		in[u] = true
	}
	sum := int64(0)
	for e, edge := range p.Edges {
		if in[edge.A] != in[edge.B] {
			sum += p.Sets[set].Any[e]
		}
	}
	for _, u := range c.Units {
		in[u] = false
	}
	return sum
}

// keeps reports whether a cluster satisfies the decisions of a part.
func (c *Cluster) keeps(p *Problem, fixes []Fix) bool {
	for _, f := range fixes {
		if f.Edge == onKind {
			if slices.Contains(c.Units, f.Unit) && (c.Kind == f.Kind) != f.On {
				return false
			}
			continue
		}
		a, b := f.pair(p)
		if x, y := slices.Contains(c.Units, a), slices.Contains(c.Units, b); f.On && x && y || !f.On && x != y {
			return false
		}
	}
	return true
}

// toPrice converts a price from a load to fixed point.
func toPrice(x float64) int64 {
	const maximum = 2 * maxPriced
	return int64(math.Round(math.Max(-maximum, math.Min(maximum, x*(1<<priceBits)))))
}

// reaches returns the maximum load of a division of all units into clusters, including only the loads that the problem
// models.
func (p *Problem) reaches(division []Cluster) int64 {
	at, maximum := make([]int, p.Units), int64(0)
	for n := range division {
		c := &division[n]
		kind := &p.Kinds[c.Kind]
		for _, u := range c.Units {
			at[u] = n
			maximum = max(maximum, kind.Load[u])
		}
		for l := range kind.Limits {
			if kind.Limits[l].Max > 0 {
				continue
			}
			sum := int64(0)
			for _, u := range c.Units {
				sum += kind.Limits[l].Need[u]
			}
			maximum = max(maximum, sum)
		}
	}
	for s := range p.Sets {
		sum := int64(0)
		for e, edge := range p.Edges {
			switch a, b := at[edge.A], at[edge.B]; {
			case division[a].Kind != division[b].Kind:
				sum += p.Sets[s].Across[e]
			case a != b:
				sum += p.Sets[s].Any[e]
			}
		}
		maximum = max(maximum, (sum+p.Sets[s].Links-1)/p.Sets[s].Links)
	}
	return maximum
}
