package report

import (
	"fmt"

	"xopt/flow/profile"
	"xopt/mapper"
	"xopt/mapper/result"
)

// maxDoubts is how many rivals of the first candidate a terminal tells of.
const maxDoubts = 3

// robust tells which candidates cannot be told from the first.
func (p *script) robust(r *result.Result) {
	s := r.Search.Robust
	exact := ""
	if s.Exact > 0 {
		exact = fmt.Sprintf("; %s fixed", count(s.Exact, "figure"))
	}
	doubt := ""
	if s.Doubt > 0 {
		doubt = fmt.Sprintf(", those without one off by up to %.3g %% (assumed)", 100*float64(s.Doubt))
	}
	if s.Assumed > 0 {
		doubt += fmt.Sprintf(", %s measured in too few windows for one within %.3g %% (assumed)",
			count(s.Assumed, "figure"), 100*mapper.MeasuredDoubt)
	}
	if s.Unusable > 0 {
		doubt += fmt.Sprintf(", %s measured with an interval too wide to use within a factor of 2 to "+
			"%d (assumed)", count(s.Unusable, "figure"), profile.WidestFactor)
	}
	p.say("Ranked by the %s of the throughput over %d random draws of %s within their 95 %% intervals%s%s.",
		quantileName(float64(s.Quantile)), s.Samples, count(s.Uncertain, "figure"), doubt, exact)
	for _, rival := range rivals(r) {
		p.say("%s", rival)
	}
}
