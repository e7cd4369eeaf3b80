package mapper

import "context"

// polish improves the mapping by moving single units, swapping pairs of units, and changing routes, until no change is
// an improvement. It returns false if the search must end.
func (c *chain) polish(ctx context.Context) bool {
	p := &c.course
	if !p.Polishing {
		p.Energy, p.Polishing, p.Unit, p.Improved = exact(c.energy()), true, 0, false
	}
	for {
		for p.Unit < len(c.units) {
			if c.mark(ctx) || !c.polishUnit(ctx, p.Unit) {
				return false
			}
			p.Unit++
		}
		if c.mark(ctx) || !c.polishRoutes(ctx) {
			return false
		}
		if !p.Improved {
			p.Polishing = false
			return true
		}
		p.Unit, p.Improved = 0, false
	}
}

// improve keeps the last change if it lowers the energy, and reverts it otherwise. hash is the hash before the change.
// clash reports that the change violates a constraint.
func (c *chain) improve(hash uint64, clash bool) {
	p := &c.course
	if !clash {
		if next := exact(c.energy()); c.scorer.Violations() == 0 && next < p.Energy-1e-12 {
			p.Energy, p.Improved = next, true
			c.scorer.Commit()
			return
		}
	}
	c.scorer.Undo()
	c.hash = hash
}

// polishUnit tries every other resource for a unit, and swaps it with each earlier unit. It returns false if the search
// must end.
func (c *chain) polishUnit(ctx context.Context, u int) bool {
	for _, r := range c.allowed[u] {
		if r == c.unitAt(u) {
			continue
		}
		hash := c.hash
		c.moveUnit(u, r)
		c.improve(hash, c.clashes(u))
		if c.stop(ctx) {
			return false
		}
	}
	for v := range u {
		a, b := c.unitAt(u), c.unitAt(v)
		if a == b || !c.isIn[u][b] || !c.isIn[v][a] {
			continue
		}
		hash := c.hash
		c.moveUnit(u, b)
		c.moveUnit(v, a)
		c.improve(hash, c.clashes(u) || c.clashes(v))
		if c.stop(ctx) {
			return false
		}
	}
	return true
}

// polishRoutes tries every alternative route of each edge. It returns false if the search must end.
func (c *chain) polishRoutes(ctx context.Context) bool {
	for _, e := range c.routed {
		for a := range c.scorer.Alternatives(e) {
			c.scorer.Reroute(e, a)
			c.improve(c.hash, false)
			if c.stop(ctx) {
				return false
			}
		}
	}
	return true
}
