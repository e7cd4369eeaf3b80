package predict

import (
	"context"

	"xopt/flow"
	"xopt/internal/design"
	"xopt/internal/result"
)

// intervals tells between which throughputs each candidate lies when every measured service
// rate is at the lower, or at the upper, end of its 95 % confidence interval: all errors
// working together, so the truth is likely well inside.
func intervals(ctx context.Context, r *result.Result, d *design.Design, mappings []*flow.Mapping) error {
	for i, m := range mappings[:min(len(mappings), len(r.Candidates))] {
		if err := ctx.Err(); err != nil {
			return err
		}
		var known []int // stations
		v, err := newVaried(d.Problem, m)
		if err != nil {
			return err
		}
		for at := range v.network.Stations {
			if f := figuresOf(v.network, at); f != nil && f.Low > 0 && f.High >= f.Low {
				known = append(known, at)
			}
		}
		if len(known) == 0 {
			continue
		}
		for _, at := range known {
			if figuresOf(v.network, at).Unusable {
				r.Candidates[i].IntervalAssumed++
			}
		}
		var ends [2]result.Number
		for j, end := range []func(*flow.Figures) float64{
			func(f *flow.Figures) float64 { return f.Low }, func(f *flow.Figures) float64 { return f.High },
		} {
			throughput, err := v.variations.Throughput(known, func(at int) float64 {
				f := figuresOf(v.network, at)
				return end(f) / f.ServiceRate
			})
			if err != nil {
				return err
			}
			ends[j] = result.Number(throughput)
		}
		r.Candidates[i].Interval = &ends
	}
	return nil
}

// figuresOf are those of the kernel of a station; nil for a link.
func figuresOf(n *flow.Network, station int) *flow.Figures {
	st := &n.Stations[station]
	if st.Kind != flow.KernelStation {
		return nil
	}
	return &n.Problem.Figures[st.Kernel][st.Resource]
}
