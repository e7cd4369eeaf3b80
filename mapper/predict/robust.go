package predict

import (
	"context"

	"xopt/flow"
	"xopt/mapper"
	"xopt/mapper/result"
)

// Robust adds a robust ranking to a result. found is in the order of the candidates. If the first candidate does not
// reach the bound, it is no longer marked as optimal. Quantiles and the ranking assume unlimited buffers.
func Robust(r *result.Result, of *mapper.RobustReport, found []mapper.Robustness) {
	r.Search.Robust = of
	if len(r.Candidates) > 0 && float64(r.Candidates[0].Unlimited()) < float64(r.Search.Bound)*(1-result.TieTolerance) {
		r.Search.Optimal = false
	}
	for i := range r.Candidates {
		r.Candidates[i].Robustness = &found[i]
	}
}

// distinguishKernels is the maximum number of kernels of an application for [Distinguish], so that it needs much less
// than a second.
const distinguishKernels = 500

// Distinguish compares the candidates of a result with the first candidate, under random draws of the figures of p.
// candidates contains their mappings, in the same order. Distinguish adds nothing if no figure has an interval, if the
// application is large, or if ctx is done.
func Distinguish(ctx context.Context, r *result.Result, p *flow.Problem, candidates []mapper.Candidate) error {
	if len(candidates) < 2 || len(p.Application.Kernels) > distinguishKernels {
		return nil
	}
	kept := make([]float64, len(candidates))
	for i := range candidates {
		kept[i] = 1
		if c := &r.Candidates[i]; c.Unlimited() > 0 && c.Throughput > 0 {
			kept[i] = float64(c.Throughput / c.Unlimited())
		}
	}
	found, err := mapper.Distinguish(ctx, p, candidates, kept, mapper.RobustOptions{})
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	for i := range found {
		r.Candidates[i].Robustness = &found[i]
	}
	return nil
}
