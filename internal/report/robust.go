package report

import "xopt/mapper"

// SetRobust takes in how candidates were ranked, in the order of the candidates. The first is
// no longer that of greatest throughput then, and not called optimal where it is not.
func (r *Result) SetRobust(of *mapper.RobustReport, found []mapper.Robustness) {
	r.Search.Robust = &Robust{Samples: of.Samples, Quantile: Number(of.Quantile), Doubt: Number(of.Doubt),
		Uncertain: of.Uncertain, Exact: of.Exact, Assumed: of.Assumed, Unusable: of.Unusable}
	if len(r.Candidates) > 0 && float64(r.Candidates[0].Throughput) < float64(r.Search.Bound)*(1-tieTolerance) {
		r.Search.Optimal = false
	}
	for i := range r.Candidates {
		x := &Robustness{Low: Number(found[i].Low), Behind: Number(found[i].Behind), Same: Number(found[i].Same)}
		if d := found[i].Decide; d != nil {
			x.Decide = &Doubt{d.Block, d.Platform, d.Link, Number(d.Part)}
		}
		r.Candidates[i].Robustness = x
	}
}
