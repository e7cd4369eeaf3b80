package mapper

import (
	"context"

	"xopt/mapper/cutbound"
)

// Certificate is a self-contained proof that no mapping exceeds a throughput. It contains the problem in integers, and
// the proof that the maximum load of every mapping is above the target (package cutbound).
type Certificate struct {
	// Throughput is the proven upper bound, in bytes/s.
	Throughput Number `json:"throughput"`
	// Scale is the throughput, in bytes/s, that corresponds to a maximum load of cutbound.One.
	Scale Number `json:"whole"`
	// Units lists the kernels of each unit, and Kinds the resources of each kind.
	Units   [][]string        `json:"units"`
	Kinds   [][]string        `json:"kinds"`
	Problem *cutbound.Problem `json:"problem"`
	// Proof divides the set of all mappings into parts, with a proof for each part.
	Proof *cutbound.Certificate `json:"proof"`
}

// certifyWork limits the cut bound's work on a certificate for a proof by branch and bound.
const certifyWork = 300_000_000

// certify tries to certify that the best mapping is optimal, or as close to the bound as requested. It fails if the cut
// bound does not cover the entire model, or exceeds certifyWork.
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

// certificate returns the cut bound's certificate; nil if it excluded nothing.
func (p *proof) certificate() *Certificate {
	if p.cut == nil || p.cut.Certificate == nil {
		return nil
	}
	c := p.cut.Certificate
	unit := float64(p.at.Cut.Unit)
	x := &Certificate{Problem: p.problem, Proof: c, Scale: Number(p.works.Throughput(unit)),
		Throughput: Number(p.works.Throughput(float64(c.Target) / cutbound.One * unit * (1 - sameLoad)))}
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
