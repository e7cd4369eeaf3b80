package mapper

import (
	"context"
	"slices"

	"xopt/flow"
	"xopt/mapper/cutbound"
)

// Certificate shows, by itself, that no mapping exceeds a throughput: the problem in whole numbers, and why none of
// its mappings has its greatest load at or below the target (package cutbound).
type Certificate struct {
	// Throughput is what no mapping exceeds, in bytes/s.
	Throughput float64 `json:"throughput"`
	// Whole is the throughput, in bytes/s, of a mapping whose greatest load is one: cutbound.Whole parts.
	Whole float64 `json:"whole"`
	// Units are the kernels of each unit, and Kinds the resources of each kind.
	Units   [][]string        `json:"units"`
	Kinds   [][]string        `json:"kinds"`
	Problem *cutbound.Problem `json:"problem"`
	// Proof is by parts that together are all mappings.
	Proof *cutbound.Certificate `json:"proof"`
}

// certifyWork is how much the cut bound may work for a certificate of what branch and bound has proven.
const certifyWork = 300_000_000

// certify looks for a certificate of what branch and bound has proven: there is none where the model has parts that the
// cut bound leaves out, or it takes long.
func (p *proof) certify(ctx context.Context) {
	if p.main == nil || p.at.Cut.Closed {
		return
	}
	p.uncounted = true
	low := p.at.Low
	for until := p.at.Cut.Work + certifyWork; !p.at.Cut.Done && p.at.Cut.Work < until; {
		p.at.Low = 0
		if !p.cutStep(ctx) {
			break
		}
	}
	p.at.Low = max(low, p.at.Low)
}

// certificate is that of the cut bound; nil where it has excluded nothing.
func (p *proof) certificate() *Certificate {
	if p.cut == nil || p.cut.Certificate == nil {
		return nil
	}
	c := p.cut.Certificate
	unit := float64(p.at.Cut.Unit)
	x := &Certificate{Problem: p.problem, Proof: c, Whole: p.works.Throughput(unit),
		Throughput: p.works.Throughput(float64(c.Target) / cutbound.Whole * unit * (1 - sameLoad))}
	for _, kernels := range p.space.units {
		var names []string
		for _, k := range kernels {
			names = append(names, p.space.problem.Application.Kernels[k].Name)
		}
		x.Units = append(x.Units, names)
	}
	x.Kinds = make([][]string, len(p.problem.Kinds))
	for q := range p.space.class {
		k := p.kinds[p.main.relax.of[q]]
		x.Kinds[k] = append(x.Kinds[k], p.space.problem.Architecture.Resources[q].Name)
	}
	return x
}

// weak says what the bound leaves out.
func (p *proof) weak() []string {
	if p.at.Optimal {
		return nil
	}
	var list []string
	add := func(is bool, text string) {
		if is {
			list = append(list, text)
		}
	}
	arch, figures := &p.space.problem.Architecture, p.space.problem.Figures
	equal := func(r flow.Resource) bool { return r.Sharing.Rule == flow.Equal }
	shares := func(l flow.Link) bool { return l.Sharing.Rule == flow.Equal }
	some := func(is func(f *flow.Figures) bool) bool {
		for k := range figures {
			for r := range figures[k] {
				if f := &figures[k][r]; f.Available && is(f) {
					return true
				}
			}
		}
		return false
	}
	add(p.many, "several sources: until branch and bound has tried all mappings, kernels may be cut in "+
		"pieces, and links cost nothing")
	add(slices.ContainsFunc(arch.Resources, equal), "equal sharing of resources: they count as if sharers took turns "+
		"as they need")
	add(slices.ContainsFunc(arch.Links, shares), "equal sharing of links: likewise")
	add(some(func(f *flow.Figures) bool { return f.ReceiveCost > 0 || f.SendCost > 0 }),
		"what kernels spend on sending to and receiving from other resources")
	add(slices.ContainsFunc(arch.Links, func(l flow.Link) bool { return l.HasWork() }),
		"what cores do beside their kernels for data that go over networks")
	add(some(func(f *flow.Figures) bool { return f.CoLocationCost > 0 || f.SwitchCost > 0 }) ||
		slices.ContainsFunc(arch.Resources, func(r flow.Resource) bool { return r.Sharing.SwitchCost > 0 }),
		"what kernels cost each other that share a resource")
	add(some(func(f *flow.Figures) bool { return !flow.SameContention(f, &flow.Figures{}) }),
		"how kernels slow each other down through caches and memory")
	if p.main != nil {
		add(len(p.main.relax.many) > cutKinds, "differences between resources: of more than 6 kinds, those that share "+
			"time count as the fastest")
	}
	add(p.severalWays(), "which links an edge takes where it has a choice: the cheapest counts")
	add(len(p.space.units) > cutbound.MostUnits, "how units divide among resources: of more than 160, "+
		"only what has to be cut off one resource counts")
	return list
}

// severalWays reports whether edges may go several ways between two resources.
func (p *proof) severalWays() bool {
	n := len(p.space.class)
	if n > 64 {
		return false // not looked at
	}
	for a := range n {
		for b := range n {
			if a != b && len(p.space.routes.Between(a, b)) > 1 {
				return true
			}
		}
	}
	return false
}
