package report

import (
	"context"
	"math"
	"slices"

	"xopt/calibrate"
	"xopt/flow"
	"xopt/internal/design"
)

// sameFigure is how close, relatively, a figure of the design is to the profile's that it
// comes from.
const sameFigure = 1e-9

// intervals tells between which throughputs each candidate lies when every measured service
// rate is at the lower, or at the upper, end of its 95 % confidence interval: all errors
// working together, so the truth is likely well inside.
func (r *Result) intervals(ctx context.Context, d *design.Design, mappings []*flow.Mapping) error {
	if r.Profile == nil {
		return nil
	}
	low, high := *d.Problem, *d.Problem
	low.Figures, high.Figures = slices.Clone(d.Problem.Figures), slices.Clone(d.Problem.Figures)
	known := false
	for k := range d.Problem.Figures {
		low.Figures[k], high.Figures[k] = slices.Clone(d.Problem.Figures[k]), slices.Clone(d.Problem.Figures[k])
		for at := range d.Problem.Figures[k] {
			f := r.measured(&d.Problem.Figures[k][at], d.Program.Kernels[k].Name, d.Program.Kernels[k].Block)
			if f == nil {
				continue
			}
			known = true
			low.Figures[k][at].ServiceRate *= f.CI95[0] / f.Value
			high.Figures[k][at].ServiceRate *= f.CI95[1] / f.Value
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

// measured is the profile's figure that a service rate comes from; nil for none, or none with
// an interval.
func (r *Result) measured(f *flow.Figures, kernel, block string) *calibrate.Figure {
	if !f.Available || !(f.ServiceRate > 0) {
		return nil
	}
	for i := range r.Profile.Kernels {
		k := &r.Profile.Kernels[i]
		if m := k.ServiceRate; m != nil && k.Block == block && (k.Instance == "" || k.Instance == kernel) && m.CI95[0] > 0 && m.CI95[1] >= m.CI95[0] &&
			math.Abs(m.Value-f.ServiceRate) <= sameFigure*f.ServiceRate {
			return m
		}
	}
	return nil
}
