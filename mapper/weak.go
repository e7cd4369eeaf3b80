package mapper

import (
	"fmt"
	"slices"

	"xopt/flow"
	"xopt/mapper/cutbound"
)

// weak lists the parts of the model that the bound ignores, with the kernels, resources and links concerned.
func (p *proof) weak() []string {
	if p.at.Optimal {
		return nil
	}
	var list []string
	add := func(is bool, format string, args ...any) {
		if is {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	some := func(format string, names []string) {
		add(len(names) > 0, format, listed(names, " and "))
	}
	problem := p.space.problem
	if p.many {
		some("the shares of the independent sources %s ("+p.rangesLookedAt()+")", p.sources())
	}
	some("equal sharing of %s (the bound assumes conserving sharing)", append(
		p.resources(func(r *flow.Resource) bool { return r.Sharing.Rule == flow.Equal }),
		p.links(func(l *flow.Link) bool { return l.Sharing.Rule == flow.Equal })...))
	some("the costs of sending and receiving of %s",
		p.kernels(func(f *flow.Figures) bool { return f.ReceiveCost > 0 || f.SendCost > 0 }))
	some("the processor time of cores for data over %s",
		p.links(func(l *flow.Link) bool { return l.HasWork() }))
	some("the co-location and switching costs of %s",
		p.kernels(func(f *flow.Figures) bool { return f.CoLocationCost > 0 || f.SwitchCost > 0 }))
	some("the switching cost of %s",
		p.resources(func(r *flow.Resource) bool { return r.Sharing.SwitchCost > 0 }))
	some("memory contention of %s",
		p.kernels(func(f *flow.Figures) bool { return !flow.SameContention(f, &flow.Figures{}) }))
	if p.main != nil {
		add(len(p.main.relax.many) > cutKinds, "differences between resources (with more than %d kinds, the bound "+
			"treats each resource shared in time as the fastest one)", cutKinds)
	}
	if a, b, ok := p.severalWays(); ok {
		add(true, "the choice of links for an edge, such as from %s to %s (the cheapest route counts)",
			problem.Architecture.Resources[a].Name, problem.Architecture.Resources[b].Name)
	}
	add(len(p.space.units) > cutbound.MaxUnits, "the division of units among resources (with more than %d units, "+
		"only traffic that must leave a resource counts)", cutbound.MaxUnits)
	return list
}

// rangesLookedAt returns a text about the bound's treatment of several sources.
func (p *proof) rangesLookedAt() string {
	n := len(p.at.Cut.Ranges)
	if n == 0 {
		return "until branch and bound ends, the bound may split kernels, and links are free"
	}
	return fmt.Sprintf("in each of %d ranges of these shares, a resource counts with its smallest load", n)
}

// sources returns the names of the source kernels.
func (p *proof) sources() (names []string) {
	for _, k := range p.pool.flows.Sources {
		names = append(names, p.space.problem.Application.Kernels[k].Name)
	}
	return names
}

// kernels returns the names of kernels that satisfy the predicate on some resource.
func (p *proof) kernels(is func(f *flow.Figures) bool) (names []string) {
	figures := p.space.problem.Figures
	for k := range figures {
		for r := range figures[k] {
			if f := &figures[k][r]; f.Available && is(f) {
				names = append(names, p.space.problem.Application.Kernels[k].Name)
				break
			}
		}
	}
	return names
}

// resources returns the names of resources that satisfy the predicate.
func (p *proof) resources(is func(r *flow.Resource) bool) (names []string) {
	list := p.space.problem.Architecture.Resources
	for i := range list {
		if is(&list[i]) {
			names = append(names, list[i].Name)
		}
	}
	return names
}

// links returns the declared names of links that satisfy the predicate.
func (p *proof) links(is func(l *flow.Link) bool) (names []string) {
	list := p.space.problem.Architecture.Links
	for i := range list {
		if name := list[i].DeclaredName(); is(&list[i]) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// severalWays returns two resources that several routes connect; ok is false if there are none.
func (p *proof) severalWays() (from, to int, ok bool) {
	n := len(p.space.class)
	if n > 64 {
		return 0, 0, false // not checked
	}
	for a := range n {
		for b := range n {
			if a != b && len(p.space.routes.Between(a, b)) > 1 {
				return a, b, true
			}
		}
	}
	return 0, 0, false
}
