package mapper

import (
	"fmt"
	"math/big"
	"slices"

	"xopt/flow"
	"xopt/mapper/cutbound"
)

// A checker of certificates that shares no code with the solver, and computes in integers and fractions only.

// checkedSum is Σ coefficient × column ≥ least. Columns are "in u c", "cut e" and "across e".
type checkedSum struct {
	of  map[string]*big.Int
	min *big.Int
}

func (s *checkedSum) add(column string, value, times int64) {
	if s.of[column] == nil {
		s.of[column] = new(big.Int)
	}
	s.of[column].Add(s.of[column], new(big.Int).Mul(big.NewInt(value), big.NewInt(times)))
}

// checkCertificate returns an error text for a certificate; "" if it is valid.
func checkCertificate(p *cutbound.Problem, c *cutbound.Certificate) string {
	if !checkedCover(c.Leaves, 0) {
		return "the leaves are not all mappings"
	}
	for _, leaf := range c.Leaves {
		if why := checkedLeaf(p, leaf, c.Target); why != "" {
			return why
		}
	}
	return ""
}

// checkedCover reports whether leaves with the same first decisions cover all that these allow.
func checkedCover(leaves []cutbound.Leaf, depth int) bool {
	if len(leaves) == 1 && len(leaves[0].Fixes) == depth {
		return true
	}
	var sides [2][]cutbound.Leaf
	for _, leaf := range leaves {
		if len(leaf.Fixes) <= depth {
			return false
		}
		f, first := leaf.Fixes[depth], leaves[0].Fixes[depth]
		if f.On = first.On; f != first {
			return false
		}
		side := 0
		if leaf.Fixes[depth].On {
			side = 1
		}
		sides[side] = append(sides[side], leaf)
	}
	return len(sides[0]) > 0 && len(sides[1]) > 0 && checkedCover(sides[0], depth+1) && checkedCover(sides[1], depth+1)
}

// checkedLeaf returns an error text for a leaf, whose rows must add up to a contradiction; "" if it is valid.
func checkedLeaf(p *cutbound.Problem, leaf cutbound.Leaf, target int64) string {
	may := func(u, k int) bool { l := p.Kinds[k].Load[u]; return l >= 0 && l <= target }
	if leaf.Prices != nil {
		return checkPrices(p, leaf, target)
	}
	sum := &checkedSum{make(map[string]*big.Int), new(big.Int)}
	for _, t := range leaf.Terms {
		if t.Multiplier <= 0 {
			return "a multiplier is not above 0"
		}
		minimum, why := checkedRow(p, t, target, may, sum)
		if why != "" {
			return why
		}
		sum.min.Add(sum.min, new(big.Int).Mul(big.NewInt(minimum), big.NewInt(t.Multiplier)))
	}
	maximum := new(big.Int)
	for u := range p.Units {
		var best *big.Int
		for k := range p.Kinds {
			v := sum.of[fmt.Sprint("in ", u, " ", k)]
			if v == nil {
				v = new(big.Int)
			}
			here := may(u, k)
			for _, f := range leaf.Fixes {
				if f.Edge < 0 && f.Unit == u {
					here = here && f.On == (f.Kind == k)
				}
			}
			if here && (best == nil || v.Cmp(best) > 0) {
				best = v
			}
		}
		if best == nil {
			return "" // the unit may be nowhere
		}
		maximum.Add(maximum, best)
	}
	for column, v := range sum.of {
		if column[0] == 'i' {
			continue
		}
		low, high := false, true // x is from 0 to 1
		for _, f := range leaf.Fixes {
			if f.Edge >= 0 && column == fmt.Sprint("cut ", f.Edge) {
				low, high = f.On, f.On
			}
		}
		if v.Sign() > 0 && high || v.Sign() < 0 && low {
			maximum.Add(maximum, v)
		}
	}
	if maximum.Cmp(sum.min) >= 0 {
		return fmt.Sprintf("the sum can be %v, and has to be %v", maximum, sum.min)
	}
	return ""
}

// checkedRow adds a row times its multiplier, derived from the row's name.
func checkedRow(p *cutbound.Problem, t cutbound.Term, target int64, may func(u, k int) bool,
	sum *checkedSum) (minimum int64,
	why string) {
	r, times := t.Row, t.Multiplier
	in := func(u, k int) string { return fmt.Sprint("in ", u, " ", k) }
	cut, across := fmt.Sprint("cut ", r.Edge), fmt.Sprint("across ", r.Edge)
	switch r.Rule {
	case cutbound.Loads:
		s := p.Sets[r.Set]
		for e := range p.Edges {
			sum.add(fmt.Sprint("cut ", e), -s.Any[e], times)
			sum.add(fmt.Sprint("across ", e), s.Any[e]-s.Across[e], times)
		}
		return -s.Links * target, ""
	case cutbound.Total:
		k := p.Kinds[r.Kind]
		for u := range p.Units {
			if may(u, r.Kind) {
				sum.add(in(u, r.Kind), -k.Limits[r.Limit].Need[u], times)
			}
		}
		if k.Limits[r.Limit].Max == 0 {
			return -k.Many * target, ""
		}
		return -k.Many * k.Limits[r.Limit].Max, ""
	case cutbound.DifferentKinds, cutbound.Kinds:
		a, b := p.Edges[r.Edge].A, p.Edges[r.Edge].B
		if r.Swapped {
			a, b = b, a
		}
		sum.add(in(a, r.Kind), -cutbound.One, times)
		sum.add(in(b, r.Kind), cutbound.One, times)
		if r.Rule == cutbound.DifferentKinds {
			sum.add(cut, cutbound.One, times)
		} else {
			sum.add(across, cutbound.One, times)
		}
		return 0, ""
	case cutbound.Crosses:
		sum.add(cut, cutbound.One, times)
		sum.add(across, -cutbound.One, times)
		return 0, ""
	case cutbound.Parted:
		e := p.Edges[r.Edge]
		if !slices.Contains(p.Separate, [2]int{e.A, e.B}) && !slices.Contains(p.Separate, [2]int{e.B, e.A}) {
			return 0, "an edge is said to be parted, and is not"
		}
		sum.add(cut, cutbound.One, times)
		return cutbound.One, ""
	case cutbound.Spread:
		return 0, checkedTree(p, t, target, may, sum)
	}
	return 0, "an unknown rule"
}

// checkedTree computes the row of a tree, path by path.
func checkedTree(p *cutbound.Problem, t cutbound.Term, target int64, may func(u, k int) bool, sum *checkedSum) string {
	r, root := t.Row, t.Row.Tree.Root
	limit := p.Kinds[r.Kind].Limits[r.Limit]
	maximum := limit.Max
	if maximum == 0 {
		maximum = target
	}
	excess, behind := limit.Need[root]-maximum, make(map[int]int64)
	seen := map[int]bool{root: true}
	for i, b := range r.Tree.Branches {
		if seen[b.Unit] {
			return "a tree comes to a unit twice"
		}
		seen[b.Unit] = true
		need := limit.Need[b.Unit]
		if slices.Contains(p.Separate, [2]int{root, b.Unit}) || slices.Contains(p.Separate, [2]int{b.Unit, root}) ||
			!may(b.Unit, r.Kind) {
			need = 2 * maximum // never together: as good as any weight
		}
		excess += need
		for at := i; at >= 0; at = r.Tree.Branches[at].From {
			here := r.Tree.Branches[at]
			from := root
			if here.From >= at {
				return "a tree is out of order"
			} else if here.From >= 0 {
				from = r.Tree.Branches[here.From].Unit
			}
			if e := p.Edges[here.Edge]; !(e.A == from && e.B == here.Unit || e.B == from && e.A == here.Unit) {
				return "a tree has an edge that does not join its units"
			}
			behind[here.Edge] += need
		}
	}
	if excess <= 0 {
		return "a tree has no excess"
	}
	for e, w := range behind {
		sum.add(fmt.Sprint("cut ", e), min(w, excess), t.Multiplier)
	}
	sum.add(fmt.Sprint("in ", root, " ", r.Kind), -excess, t.Multiplier)
	return ""
}

// checkNumbers compares a problem with the figures, in fractions: the loads of units and edges are never
// overestimated, and capacities never underestimated.
func checkNumbers(p *flow.Problem, c *flow.Constraints, x *cutbound.Problem, best float64) string {
	flows, err := flow.NewFlows(&p.Application, p.JoinTolerance)
	if err != nil {
		return err.Error()
	}
	s, err := newSpace(p, c)
	if err != nil {
		return err.Error()
	}
	rat := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	// The best throughput is a load of 1, so each byte/s of the source adds this load.
	scale := new(big.Rat).Quo(rat(best), rat(flows.Objective()[0]))
	scale.Mul(scale, big.NewRat(cutbound.One, 1))
	phi := rat(flow.DefaultMaxUtilization) // these problems have that
	scale.Quo(scale, phi)
	margin := new(big.Rat).Add(big.NewRat(1, 1), big.NewRat(1, 1_000_000_000_000))
	above := func(part int64, load *big.Rat) bool {
		return rat(float64(part)).Cmp(new(big.Rat).Mul(new(big.Rat).Mul(load, scale), margin)) > 0
	}
	for u, kernels := range s.units {
		for _, q := range s.allowed[u] {
			sum, maximum, ok := new(big.Rat), new(big.Rat), false
			for _, k := range kernels {
				load := new(big.Rat).Quo(rat(flows.Arrival(k)[0]), rat(p.Figures[k][q].ServiceRate))
				if sum.Add(sum, load); load.Cmp(maximum) > 0 {
					maximum = load
				}
			}
			for _, kind := range x.Kinds {
				timed := len(kind.Limits) > 0 && kind.Limits[0].Max == 0
				if area := p.Architecture.Resources[q].Sharing.Rule == flow.AreaOnly; area {
					sum = maximum
				} else if !timed {
					continue
				}
				ok = ok || kind.Load[u] >= 0 && !above(kind.Load[u], sum)
			}
			if !ok {
				return fmt.Sprintf("unit %d has a greater load on every kind of resource than on resource %d", u, q)
			}
		}
	}
	return checkLinks(p, flows, s, x, above)
}

// checkLinks tries every route of every edge between all resources.
func checkLinks(p *flow.Problem, flows *flow.Flows, s *space, x *cutbound.Problem,
	above func(int64, *big.Rat) bool) string {
	for n, edge := range x.Edges {
		for _, set := range x.Sets {
			if set.Links != int64(len(p.Architecture.Links)) {
				continue // only the set of all links identifies its links
			}
			minimum := (*big.Rat)(nil)
			for _, a := range s.allowed[edge.A] {
				for _, b := range s.allowed[edge.B] {
					if a == b {
						continue
					}
					if load := s.slowLoad(flows, edge, a, b); load != nil && (minimum == nil || load.Cmp(minimum) < 0) {
						minimum = load
					}
				}
			}
			if minimum != nil && above(set.Any[n], minimum) {
				return fmt.Sprintf("edge %d brings %d parts of a load at least, and should bring less", n, set.Any[n])
			}
		}
	}
	return ""
}

// slowLoad returns the total load on all links of the edges between two units on two given resources; nil if there is
// no route.
func (s *space) slowLoad(flows *flow.Flows, pair cutbound.Edge, a, b int) *big.Rat {
	total := new(big.Rat)
	for e, edge := range s.problem.Application.Edges {
		from, to := a, b
		switch u, v := s.unitOf[edge.From], s.unitOf[edge.To]; {
		case u == pair.B && v == pair.A:
			from, to = b, a
		case u != pair.A || v != pair.B:
			continue
		}
		var minimum *big.Rat
		for _, way := range s.routes.Between(from, to) {
			sum := new(big.Rat)
			for _, l := range way {
				link := &s.problem.Architecture.Links[l]
				cost := 1/link.Bandwidth + link.TransferCost(edge.ElementBytes)
				sum.Add(sum, new(big.Rat).Mul(new(big.Rat).SetFloat64(flows.Edge(e)[0]), new(big.Rat).SetFloat64(cost)))
			}
			if minimum == nil || sum.Cmp(minimum) < 0 {
				minimum = sum
			}
		}
		if minimum == nil {
			return nil
		}
		total.Add(total, minimum)
	}
	return total
}
