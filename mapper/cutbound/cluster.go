package cutbound

import (
	"math"
	"slices"
)

// A mapping divides the units into clusters: what each resource holds. Where units are few, clusters bound loads more
// tightly than rows of trees do (Johnson, Mehrotra and Nemhauser 1993, "Min-cut clustering"). With weights y_s of sets
// of links, an edge costs a_e where it is cut, and d_e more where its ends are on different kinds of resources; with
// prices π_u of units, F_ec of edges between kinds, and M_c of the resources of a kind, so that every cluster S that a
// resource of kind c can hold has
//
//	Σ_{u in S} 2π_u - 2φ_uc - Σ_{e leaves S} a_e ≤ M_c,  φ_uc = Σ_{e from u} F_ec - Σ_{e to u} F_ec
//
// every mapping with its greatest load at or below T has
//
//	Σ_u 2π_u - Σ_c m_c M_c ≤ 2T Σ_s y_s × links of s
//
// because each edge that is cut leaves two clusters. Prices that break this exclude T. A linear program proposes
// prices (master.go), and a search for the cluster that is worth most (pricer.go), in whole numbers, shows M_c.

// Cluster is units that one resource of a kind may hold.
type Cluster struct {
	Kind  int   `json:"kind"`
	Units []int `json:"units"` // ascending
}

// Prices show that no mapping of a part has its greatest load at or below a target. A load of Whole is
// 1<<priceBits of them.
type Prices struct {
	// Sets are weights y of the sets of links, in parts of 1<<weightBits.
	Sets []int64 `json:"sets"`
	// Units are π.
	Units []int64 `json:"units"`
	// Cross are F, by edge and kind; nil where no edge costs more between kinds.
	Cross [][]int64 `json:"cross,omitempty"`
	// Most is M of each kind: no cluster is worth more.
	Most []int64 `json:"most"`
}

// How fine prices and weights are. A weight times what an edge brings is in parts of 1<<shiftBits of a price.
const (
	wholeBits  = 32
	priceBits  = 34
	weightBits = 24
	shiftBits  = wholeBits + weightBits - priceBits
	pricedMost = 4 << priceBits // no edge or unit costs more
)

// MostUnits is for how many units clusters are looked at: with more, the search for the one that is worth
// most takes long.
const MostUnits = 160

// costs are what edges cost at some weights, rounded down.
type costs struct {
	cut    []int64 // a
	across []int64 // d
	right  int64   // 2T Σ y × links, rounded down
}

// costs works out what edges cost.
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
		c.cut[e] = min(any>>shiftBits, pricedMost)
		c.across[e] = min(more>>shiftBits, pricedMost)
	}
	return c
}

// crosses reports whether any edge costs more between kinds.
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

// clusters reports whether clusters can be looked at: units are few, and numbers do not overflow.
func (p *Problem) clusters() bool {
	if p.Units > MostUnits || len(p.Sets) == 0 {
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

// holds reports whether a resource of the cluster's kind may hold it at a target.
func (p *Problem) holds(c *Cluster, target int64) bool {
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
		if sum > limit.most(target) {
			return false
		}
	}
	return !p.clash(c.Units)
}

// clash reports whether two of some units must be apart.
func (p *Problem) clash(units []int) bool {
	for _, pair := range p.Apart {
		if slices.Contains(units, pair[0]) && slices.Contains(units, pair[1]) {
			return true
		}
	}
	return false
}

// leaving is what the edges that leave a cluster bring to a set of links, where they are cut.
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

// keeps reports whether a cluster may be one of a part.
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

// toPrice rounds a price in loads to a whole number.
func toPrice(x float64) int64 {
	const most = 2 * pricedMost
	return int64(math.Round(math.Max(-most, math.Min(most, x*(1<<priceBits)))))
}

// reaches is the greatest load of a division of all units, as far as the problem knows.
func (p *Problem) reaches(division []Cluster) int64 {
	at, most := make([]int, p.Units), int64(0)
	for n := range division {
		c := &division[n]
		kind := &p.Kinds[c.Kind]
		for _, u := range c.Units {
			at[u] = n
			most = max(most, kind.Load[u])
		}
		for l := range kind.Limits {
			if kind.Limits[l].Most > 0 {
				continue
			}
			sum := int64(0)
			for _, u := range c.Units {
				sum += kind.Limits[l].Need[u]
			}
			most = max(most, sum)
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
		most = max(most, (sum+p.Sets[s].Links-1)/p.Sets[s].Links)
	}
	return most
}
