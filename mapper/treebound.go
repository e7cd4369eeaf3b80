package mapper

import (
	"context"
	"math"
	"slices"

	"xopt/flow"
)

// Lower bounds on the maximum load of partial mappings. With one free source, the bound is a maximum over resources and
// links. With several free sources, the bound is the maximum load at the best mixture of their rates (flow.Mixture),
// for a common throughput.

// ascend optimizes the relaxation's multipliers and returns its bound.
func (t *tree) ascend(ctx context.Context, target float64) float64 {
	if t.mixture == nil {
		return t.relax.ascend(ctx, target)
	}
	all := make([]*relaxation, len(t.sources))
	for f, p := range t.sources {
		all[f] = p.relax
	}
	return ascendMixed(ctx, all, target)
}

// bound returns a lower bound on the maximum load of all completions after a unit was placed on r. below reports
// whether a completion may have a maximum load below the target.
func (t *tree) bound(r, next int) (load float64, below bool) {
	maximum := t.target * (1 - sameLoad)
	if t.mixture == nil {
		p := t.sources[0]
		load = p.load(r)
		return load, load < maximum && p.linksBelow(maximum) && p.dual(next) < maximum
	}
	minimum := math.Inf(1)
	for _, p := range t.sources {
		minimum = math.Min(minimum, p.dual(next))
	}
	if minimum >= maximum {
		return minimum, false
	}
	load = t.mixed()
	return load, load < maximum
}

// load returns a lower bound on the maximum load of the placed units: the load of resource r or, for several free
// sources, the maximum load of all resources and links.
func (t *tree) load(r int) float64 {
	if t.mixture == nil {
		return t.sources[0].load(r)
	}
	return t.mixed()
}

// maxLoad returns the largest load of the placed units on any resource or link.
func (t *tree) maxLoad() float64 {
	if t.mixture != nil {
		return t.mixed()
	}
	p, maximum := t.sources[0], 0.0
	for r := range p.sum {
		maximum = math.Max(maximum, p.load(r))
	}
	for l := range p.link {
		maximum = math.Max(maximum, p.linkLoad(l))
	}
	return maximum
}

// mixed returns the maximum load of the placed units with several free sources.
func (t *tree) mixed() float64 {
	t.mixture.Reset(len(t.sources))
	add := func(of func(p *partial) float64) {
		for f, p := range t.sources {
			t.row[f] = of(p)
		}
		t.mixture.Add(t.row...)
	}
	arch := &t.problem.Architecture
	for r := range arch.Resources {
		if t.units[r] > 0 && arch.Resources[r].Sharing.Rule == flow.Conserving {
			add(func(p *partial) float64 { return p.inTime(r) })
		}
	}
	for u, r := range t.at {
		if r < 0 || arch.Resources[r].Sharing.Rule == flow.Conserving {
			continue
		}
		for _, k := range t.space.units[u] {
			add(func(p *partial) float64 { return p.alone(k, r) })
		}
	}
	shares := false
	for l := range arch.Links {
		if arch.Links[l].Sharing.Rule == flow.Equal {
			shares = true
		} else if t.sources[0].crossed[l] > 0 {
			add(func(p *partial) float64 { return p.link[l] })
		}
	}
	if shares {
		t.eachCrossing(add)
	}
	return t.mixture.Minimum()
}

// eachCrossing adds the loads of links with equal sharing.
func (t *tree) eachCrossing(add func(of func(p *partial) float64)) {
	for e, edge := range t.problem.Application.Edges {
		a, b := t.at[t.unitOf[edge.From]], t.at[t.unitOf[edge.To]]
		if a < 0 || b < 0 || a == b {
			continue
		}
		if ways := t.routes.Between(a, b); len(ways) == 1 {
			for _, l := range ways[0] {
				if t.problem.Architecture.Links[l].Sharing.Rule == flow.Equal {
					add(func(p *partial) float64 { return p.works.Link(e, l) * p.scale * p.crossed[l] })
				}
			}
		}
	}
}

func (t *tree) clashes(u, r int) bool {
	return slices.ContainsFunc(t.separateUnits[u], func(v int) bool { return t.at[v] == r })
}

// put places a unit on a resource, and reports whether area and routes permit it. removeUnit reverts put.
func (t *tree) put(u, r int) bool {
	t.at[u] = r
	t.units[r]++
	fits := true
	for _, p := range t.sources {
		fits = p.put(u, r) && fits
	}
	return fits
}

// mark returns the current position in the journals, for removeUnit.
func (t *tree) mark() int { return len(t.sources[0].journal) }

// removeUnit removes a unit, and reverts all load changes since the mark.
func (t *tree) removeUnit(u, r, mark int) {
	for _, p := range t.sources {
		p.revert(mark)
	}
	t.units[r]--
	t.at[u] = -1
}
