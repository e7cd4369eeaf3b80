package design

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"xopt/flow"
	"xopt/flow/faults"
	"xopt/flow/xlang"
)

// classes gives resources that are interchangeable but for their links the same
// class: those of one platform whose configs, figures and constraints are equal.
func (b *builder) classes() {
	number := make(map[string]int) // key -> number within its platform
	count := make(map[string]int)  // platform -> classes
	for r := range b.p.Architecture.Resources {
		res := &b.p.Architecture.Resources[r]
		key := b.classKey(r)
		if number[key] == 0 {
			count[res.Platform]++
			number[key] = count[res.Platform]
		}
		res.Class = fmt.Sprintf("%s#%d", res.Platform, number[key])
	}
}

func (b *builder) classKey(r int) string {
	var key strings.Builder
	res := &b.p.Architecture.Resources[r]
	config := b.prog.Resources[r].Config
	fmt.Fprintf(&key, "%s|%v|%v|%v|%v", res.Platform, res.Sharing.Rule, res.Sharing.SwitchCost, res.Area, len(config))
	for _, name := range slices.Sorted(maps.Keys(config)) {
		if name == "cpu" { // where it is, not what it is
			continue
		}
		fmt.Fprintf(&key, "|%s=%q,%v", name, config[name].Text, config[name].Number)
	}
	for k := range b.p.Figures {
		f := &b.p.Figures[k][r]
		fmt.Fprintf(&key, "|%v,%v,%v,%v,%v,%v,%v,%v,%v", f.Available && b.allowed[k][r], f.ServiceRate, f.ServiceSCV,
			f.CoLocationCost, f.SwitchKnown, f.SwitchCost, f.ReceiveCost, f.SendCost, f.Area)
		if f.Contention != nil {
			fmt.Fprintf(&key, ",%v,%v", res.Memory, *f.Contention)
		}
	}
	return key.String()
}

// validate looks for what only shows in the whole: contradictions that the model
// finds, directed cycles, joins that cannot be fed. While figures are missing only
// cycles can be told.
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
		if at == (xlang.Pos{}) { // nothing is given there
			at = edge(few.Edge).Pos
		}
		b.diag.errorf(faults.ImpossibleFlow, at, "%v", err)
	case err != nil && !incomplete:
		b.diag.errorf(faults.ImpossibleFlow, b.prog.UsePos, "%v", err)
	case err != nil: // perhaps for want of figures, but static counts need none
		if !slices.ContainsFunc(b.prog.Kernels, func(k xlang.Kernel) bool { return k.Once }) {
			b.stuck(nil)
		}
	default:
		known := flows
		if incomplete {
			known = nil // gains are not
		}
		if b.small(known, true); b.diag.err() == nil {
			b.stuck(flows)
		}
	}
}
