package validate

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"xopt/deploy/faults"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/xlang"
)

// Refinement contains the figures learned from runs, and the errors of prediction before and after.
type Refinement struct {
	Learned []Learned
	Ran     int // number of mappings that ran
	// Before, LeftOut and Fitted are the prediction errors of each mapping. Before uses the original profile. LeftOut
	// uses a profile refined by the other mappings. Fitted uses a profile refined by all mappings.
	Before, LeftOut, Fitted []float64
}

// fewestRan is the minimum number of mappings that refine a figure. Fewer mappings determine no interval.
const fewestRan = 3

// Refined learns figures from the mappings that ran. It estimates the factor of each kernel's own time, the cost of
// co-location, and the costs per received and sent byte. It also estimates the cost of a firing on the cores of each
// platform. It uses an estimate only if its interval does not contain the old value, and if it improves the predictions
// of omitted mappings. Refined returns an error if fewer than four different mappings ran.
func Refined(ctx context.Context, d *design.Design, ran []Ran) (*Refinement, error) {
	ran = merged(ran)
	if len(ran) <= fewestRan {
		return nil, faults.TooFewRuns.Errorf("%d mappings ran, but a refinement needs %d mappings: %d to estimate "+
			"each figure, and one for validation", len(ran), fewestRan+1, fewestRan)
	}
	all, err := learnAll(ctx, d, ran)
	if err != nil {
		return nil, err
	}
	r := &Refinement{Learned: all, Ran: len(ran)}
	fitted := with(d, all)
	for i := range ran {
		others, err := learnAll(ctx, d, slices.Delete(slices.Clone(ran), i, i+1))
		if err != nil {
			return nil, err
		}
		for _, x := range []struct {
			problem *flow.Problem
			errs    *[]float64
		}{{d.Problem, &r.Before}, {with(d, others), &r.LeftOut}, {fitted, &r.Fitted}} {
			_, s, err := solvedWith(ctx, x.problem, ran[i].Mapping)
			if err != nil {
				return nil, err
			}
			*x.errs = append(*x.errs, (s.Throughput-ran[i].Measured)/ran[i].Measured)
		}
	}
	return r, nil
}

// scaleSwitching scales the kernels' own switching costs in proportion to the core's cost per firing.
func scaleSwitching(p *flow.Problem, r int, l *Learned) {
	for k := range p.Figures {
		if f := p.Figures[k][r]; f.SwitchCost > 0 && l.Was > 0 {
			p.Figures[k] = slices.Clone(p.Figures[k])
			p.Figures[k][r].SwitchCost = f.SwitchCost * l.Is / l.Was
		}
	}
}

// with returns the problem of a design with the learned figures.
func with(d *design.Design, learned []Learned) *flow.Problem {
	p := *d.Problem
	p.Figures, p.Architecture.Resources = slices.Clone(p.Figures), slices.Clone(p.Architecture.Resources)
	for i := range learned {
		l := &learned[i]
		if l.Part == flow.Switching {
			for r := range p.Architecture.Resources {
				if d.Program.Resources[r].Platform == l.Platform {
					p.Architecture.Resources[r].Sharing.SwitchCost = l.Is
					scaleSwitching(&p, r, l)
				}
			}
			continue
		}
		k := slices.IndexFunc(d.Program.Kernels, func(x xlang.Kernel) bool { return x.Name == l.Kernel })
		p.Figures[k] = slices.Clone(p.Figures[k])
		for at := range p.Figures[k] {
			if d.Program.Resources[at].Platform != l.Platform {
				continue
			}
			switch f := &p.Figures[k][at]; l.Part {
			case flow.Compute:
				f.ServiceRate /= l.Factor()
			case flow.CoLocation:
				f.CoLocationCost = l.Is
			case flow.Receiving:
				f.ReceiveCost = l.Is
			case flow.Sending:
				f.SendCost = l.Is
			}
		}
	}
	return &p
}

// Better reports whether refinement by the other mappings improves the predictions on average.
func (r *Refinement) Better() bool { return meanOf(r.LeftOut) < meanOf(r.Before) }

// meanOf returns the mean magnitude of errors.
func meanOf(errs []float64) float64 {
	var list []float64
	for _, e := range errs {
		list = append(list, math.Abs(e))
	}
	return stat.Mean(list, nil)
}
