package design

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"xopt/flow"
	"xopt/flow/faults"
	"xopt/flow/xlang"
)

// classes assigns one class to resources that are interchangeable except for their links: resources of the same
// platform with equal configs, figures and constraints.
func (b *builder) classes() {
	count := make(map[string]int) // platform -> classes
	var first []int               // first resource of each class
	for r := range b.p.Architecture.Resources {
		res := &b.p.Architecture.Resources[r]
		if at := slices.IndexFunc(first, func(of int) bool { return b.alike(of, r) }); at >= 0 {
			res.Class = b.p.Architecture.Resources[first[at]].Class
			continue
		}
		first = append(first, r)
		count[res.Platform]++
		res.Class = fmt.Sprintf("%s#%d", res.Platform, count[res.Platform])
	}
}

// alike reports whether two resources have equal properties and equal figures of all kernels.
func (b *builder) alike(r, q int) bool {
	x, y := &b.p.Architecture.Resources[r], &b.p.Architecture.Resources[q]
	if x.Platform != y.Platform || x.Sharing.Rule != y.Sharing.Rule || x.Sharing.SwitchCost != y.Sharing.SwitchCost ||
		x.Area != y.Area || len(b.prog.Resources[r].Config) != len(b.prog.Resources[q].Config) ||
		!maps.Equal(b.properties(r), b.properties(q)) {
		return false
	}
	for k := range b.p.Figures {
		f, g := &b.p.Figures[k][r], &b.p.Figures[k][q]
		if (f.Available && b.allowed[k][r]) != (g.Available && b.allowed[k][q]) || f.ServiceRate != g.ServiceRate ||
			f.ServiceSCV != g.ServiceSCV || f.CoLocationCost != g.CoLocationCost || f.SwitchKnown != g.SwitchKnown ||
			f.SwitchCost != g.SwitchCost || f.ReceiveCost != g.ReceiveCost || f.SendCost != g.SendCost ||
			f.Area != g.Area || (f.Contention != nil || g.Contention != nil) &&
			(x.Memory != y.Memory || !flow.SameContention(f, g)) {
			return false
		}
	}
	return true
}

// property is the value of a resource's config.
type property struct {
	text   string
	number float64
}

// properties returns the configs of a resource, except cpu, which is only its location.
func (b *builder) properties(r int) map[string]property {
	of := make(map[string]property)
	for name, v := range b.prog.Resources[r].Config {
		if name != "cpu" {
			of[name] = property{v.Text, v.Number}
		}
	}
	return of
}

// validate reports contradictions in the complete design, cycles in which no data flow, and joins whose inputs cannot
// arrive in the required ratio. If figures are missing, validate reports only cycles.
func (b *builder) validate() {
	incomplete := len(b.d.Missing) > 0 || len(b.prog.Resources) == 0
	if !incomplete {
		if err := b.p.Validate(); err != nil {
			b.diag.errorf(faults.ImpossibleFlow, xlang.Pos{}, "%v", err)
			return
		}
	}
	flows, err := flow.NewFlows(&b.p.Application, b.p.JoinTolerance)
	var cycle *flow.CycleError
	var few *flow.InitialError
	edge := func(name string) *xlang.Edge {
		return &b.prog.Edges[slices.IndexFunc(b.prog.Edges, func(e xlang.Edge) bool { return e.Name == name })]
	}
	switch {
	case errors.As(err, &cycle):
		b.diag.errorf(faults.ImpossibleFlow, edge(cycle.Edge).Pos, "%v", err)
	case errors.As(err, &few) && !incomplete:
		at := edge(few.Edge).InitialPos
		if at == (xlang.Pos{}) { // the initial elements have no position in the files
			at = edge(few.Edge).Pos
		}
		b.diag.errorf(faults.ImpossibleFlow, at, "%v", err)
	case err != nil && !incomplete:
		b.diag.errorf(faults.ImpossibleFlow, b.prog.UsePos, "%v", err)
	case err != nil: // figures may be missing, but static counts need none
		if !slices.ContainsFunc(b.prog.Kernels, func(k xlang.Kernel) bool { return k.Once }) {
			b.stuck(nil)
		}
	default:
		existing := flows
		if incomplete {
			existing = nil // gains are unknown
		}
		if b.small(existing, true); b.diag.err() == nil {
			b.stuck(flows)
		}
	}
}
