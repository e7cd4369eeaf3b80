package report

import (
	"context"
	"slices"

	"xopt/flow"
	"xopt/internal/design"
)

// intervals tells between which throughputs each candidate lies when every measured service
// rate is at the lower, or at the upper, end of its 95 % confidence interval: all errors
// working together, so the truth is likely well inside.
func (r *Result) intervals(ctx context.Context, d *design.Design, mappings []*flow.Mapping) error {
	low, high := *d.Problem, *d.Problem
	low.Figures, high.Figures = slices.Clone(d.Problem.Figures), slices.Clone(d.Problem.Figures)
	known := false
	for k := range d.Problem.Figures {
		low.Figures[k], high.Figures[k] = slices.Clone(d.Problem.Figures[k]), slices.Clone(d.Problem.Figures[k])
		for at := range d.Problem.Figures[k] {
			if f := &d.Problem.Figures[k][at]; f.Available && f.Low > 0 && f.High >= f.Low {
				known = true
				low.Figures[k][at].ServiceRate, high.Figures[k][at].ServiceRate = f.Low, f.High
			}
		}
	}
	if !known {
		return nil
	}
	for i, m := range mappings {
		if i >= len(r.Candidates) {
			break
		}
		var ends [2]Number
		for j, p := range []*flow.Problem{&low, &high} {
			var err error
			if ends[j], err = throughputOf(ctx, p, m); err != nil {
				return err
			}
		}
		r.Candidates[i].Interval = &ends
	}
	return nil
}
