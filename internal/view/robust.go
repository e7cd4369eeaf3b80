package view

import (
	"fmt"

	"xopt/calibrate/profile"
	"xopt/internal/result"
	"xopt/internal/units"
	"xopt/mapper"
)

// maxDoubts is how many rivals of the first candidate a terminal tells of.
const maxDoubts = 3

// robust tells which candidates cannot be told from the first.
func (p *script) robust(r *result.Result) {
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
	p.say("Ranked by the %.3g %% quantile over %d draws of %s within their 95 %% intervals%s%s.",
		100*float64(s.Quantile), s.Samples, count(s.Uncertain, "figure"), doubt, exact)
	told := 0
	for i := 1; i < len(r.Candidates); i++ {
		x := r.Candidates[i].Robustness
		if x == nil || told == maxDoubts || x.Decide == nil && x.Same <= 0.5 {
			continue
		}
		told++
		if x.Decide == nil {
			p.say("1 and %s tie in %s of the draws.", r.Candidates[i].Name,
				units.Percent(float64(x.Same)))
			continue
		}
		what := "the bandwidth of " + x.Decide.Link
		if x.Decide.Link == "" {
			what = x.Decide.Block + " on " + x.Decide.Platform
		}
		p.say("1 and %s cannot be told apart: 1 has more throughput in %s of the draws. Measuring %s better would "+
			"decide most: it is behind %s of the doubt.",
			r.Candidates[i].Name, units.Percent(float64(x.Behind)), what, units.Percent(float64(x.Decide.Part)))
	}
	if told == 0 && len(r.Candidates) > 1 {
		p.say("No other candidate is better than 1 in more than 5 %% of the draws.")
	}
}
