package report

import (
	"fmt"

	"xopt/calibrate/profile"
	"xopt/internal/units"
	"xopt/mapper"
)

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

// mostDoubts is how many rivals of the first candidate a terminal tells of.
const mostDoubts = 3

// robust tells which candidates cannot be told from the first.
func (t *textWriter) robust(r *Result) {
	s := r.Search.Robust
	exact := ""
	if s.Exact > 0 {
		exact = fmt.Sprintf("; %s taken as exact", count(s.Exact, "figure"))
	}
	doubt := ""
	if s.Doubt > 0 {
		doubt = fmt.Sprintf(", of those without one by %.3g %% (assumed)", 100*float64(s.Doubt))
	}
	if s.Assumed > 0 {
		doubt += fmt.Sprintf(", of which %s measured in too few windows for one are within %.3g %% (assumed)",
			count(s.Assumed, "figure"), 100*mapper.MeasuredDoubt)
	}
	if s.Unusable > 0 {
		doubt += fmt.Sprintf(", of which %s measured with an interval too wide to use are within a factor of 2 to "+
			"%d (assumed)", count(s.Unusable, "figure"), profile.WidestFactor)
	}
	t.remark("Ranked by the %.3g %% quantile over %d draws of %s within their 95 %% intervals%s%s.",
		100*float64(s.Quantile), s.Samples, count(s.Uncertain, "figure"), doubt, exact)
	told := 0
	for i := 1; i < len(r.Candidates); i++ {
		x := r.Candidates[i].Robustness
		if x == nil || told == mostDoubts || x.Decide == nil && x.Same <= 0.5 {
			continue
		}
		told++
		if x.Decide == nil {
			t.remark("1 and %s let the same through in %s of the draws.", r.Candidates[i].Name,
				units.Percent(float64(x.Same)))
			continue
		}
		what := "the bandwidth of " + x.Decide.Link
		if x.Decide.Link == "" {
			what = x.Decide.Block + " on " + x.Decide.Platform
		}
		t.remark("1 and %s cannot be told apart: 1 lets more through in %s of the draws. Measuring %s better would "+
			"decide most: it is behind %s of the doubt.",
			r.Candidates[i].Name, units.Percent(float64(x.Behind)), what, units.Percent(float64(x.Decide.Part)))
	}
	if told == 0 && len(r.Candidates) > 1 {
		t.remark("No other candidate is better than 1 in more than 5 %% of the draws.")
	}
}
