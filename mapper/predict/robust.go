package predict

import (
	"xopt/mapper"
	"xopt/mapper/result"
)

// Robust adds a robust ranking to a result, in the order of the candidates. If the first candidate then does not have
// the highest throughput, it is no longer called optimal. Quantiles assume unlimited buffers, as does the ranking.
func Robust(r *result.Result, of *mapper.RobustReport, found []mapper.Robustness) {
	r.Search.Robust = &result.Robust{Samples: of.Samples, Quantile: result.Number(of.Quantile),
		Doubt:     result.Number(of.Doubt),
		Uncertain: of.Uncertain, Exact: of.Exact, Assumed: of.Assumed, Unusable: of.Unusable}
	if len(r.Candidates) > 0 && float64(r.Candidates[0].Unlimited()) < float64(r.Search.Bound)*(1-result.TieTolerance) {
		r.Search.Optimal = false
	}
	for i := range r.Candidates {
		c := &r.Candidates[i]
		x := &result.Robustness{Low: result.Number(found[i].Low), Behind: result.Number(found[i].Behind),
			Same: result.Number(found[i].Same)}
		if d := found[i].Decide; d != nil {
			x.Decide = &result.Doubt{Block: d.Block, Platform: d.Platform, Link: d.Link, Cost: d.Cost,
				Part: result.Number(d.Part)}
		}
		c.Robustness = x
	}
}
