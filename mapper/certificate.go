package mapper

import (
	"context"

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
	if p.main == nil || p.at.Cut.Closed || p.many {
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
