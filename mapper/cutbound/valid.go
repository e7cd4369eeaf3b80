package cutbound

// valid reports whether a state fits the problem: all its indices exist.
func (p *Problem) valid(at *State) bool {
	for i := range at.Cuts {
		if !p.validCut(&at.Cuts[i]) {
			return false
		}
	}
	for _, fixes := range at.Branch.Open {
		for _, f := range fixes {
			if f.Edge >= len(p.Edges) || f.Edge < onPair || !isIndex(f.Unit, p.Units) || !isIndex(f.Kind,
				len(p.Kinds)) ||
				!isIndex(f.Other, p.Units) || f.Edge == onPair && f.Unit == f.Other {
				return false
			}
		}
	}
	for i := range at.Clusters {
		if !p.validCluster(&at.Clusters[i]) {
			return false
		}
	}
	return at.Low <= maxLoad && at.High <= maxLoad && at.High >= 0 && at.Top <= maxLoad && at.Low >= 0 &&
		at.Target >= 0 && at.Target <= maxLoad && at.Branch.Target >= 0 && at.Branch.Target <= maxLoad &&
		isIndex(at.Branch.Part, maxHalvings+1)
}

// validCluster reports whether a cluster contains units of the problem in ascending order.
func (p *Problem) validCluster(c *Cluster) bool {
	if !isIndex(c.Kind, len(p.Kinds)) || len(c.Units) == 0 {
		return false
	}
	last := -1
	for _, u := range c.Units {
		if u <= last || u >= p.Units {
			return false
		}
		last = u
	}
	return true
}

// maxLoad exceeds any valid load, because loads are limited to four times One.
const maxLoad = 64 * One

func isIndex(i, n int) bool { return i >= 0 && i < n }

// validCut reports whether a row is a tree row of the problem.
func (p *Problem) validCut(r *Row) bool {
	if r.Rule != Spread || !isIndex(r.Kind, len(p.Kinds)) || !isIndex(r.Limit, len(p.Kinds[r.Kind].Limits)) ||
		!isIndex(r.Tree.Root, p.Units) {
		return false
	}
	seen := make([]bool, p.Units)
	seen[r.Tree.Root] = true
	for i, b := range r.Tree.Branches {
		if !isIndex(b.Edge, len(p.Edges)) || !isIndex(b.Unit, p.Units) || seen[b.Unit] || b.From < -1 || b.From >= i {
			return false
		}
		seen[b.Unit] = true
		from := r.Tree.Root
		if b.From >= 0 {
			from = r.Tree.Branches[b.From].Unit
		}
		if e := p.Edges[b.Edge]; !(e.A == from && e.B == b.Unit || e.B == from && e.A == b.Unit) {
			return false
		}
	}
	return true
}
