package report

import (
	"fmt"
	"slices"

	"xopt/deploy/validate"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// leastRegret is from which part on a mapping that ran better than the first choice is told of.
const leastRegret = 0.01

// regretMeaning says what regret is.
const regretMeaning = "by how much the first choice is slower than the best that ran"

// overlapping says that the best may not be better.
const overlapping = "; their runs overlap: it may be chance"

// better are the first choice of a validation and the mapping that ran best; nil where the first choice did, or
// where there is no first choice.
func better(v *result.Validation) (best, first *result.ValidatedCase) {
	if v == nil || v.Unranked || len(v.Cases) == 0 {
		return nil, nil
	}
	first = &v.Cases[validate.FirstChoice(len(v.Cases), func(i int) float64 { return float64(v.Cases[i].Predicted) })]
	if first.Fail != "" || !(first.Measured > 0) {
		return nil, nil
	}
	best = first
	for _, c := range measuredCases(v) {
		if c.Ran() > best.Ran() {
			best = c
		}
	}
	if float64(best.Ran()-first.Ran()) < leastRegret*float64(best.Ran()) {
		return nil, nil
	}
	return best, first
}

// overlap reports whether a run of the first choice was as fast as one of the best.
func overlap(best, first *result.ValidatedCase) bool {
	return len(best.Runs) > 0 && len(first.Runs) > 0 && slices.Max(first.Runs) >= slices.Min(best.Runs)
}

// mostlyDisturbed says that the machine was disturbed in most of the runs; "" if it was not.
func mostlyDisturbed(v *result.Validation) string {
	disturbed, runs, why := disturbedRuns(v)
	if 2*disturbed <= runs {
		return ""
	}
	text := fmt.Sprintf("the machine was disturbed in %d of %s", disturbed, count(runs, "run"))
	if why != "" {
		text += " (" + why + ")"
	}
	return text
}

// ranBetter tells to use the mapping that ran better than the first choice.
func (f *findings) ranBetter(v *result.Validation) {
	best, first := better(v)
	if best == nil {
		return
	}
	s, do := problem, "use "+best.Name+"; its mapping in X is among the candidates"
	seen := fmt.Sprintf("%s ran at %s, the first choice, %s, at %s", best.Name,
		units.Rate(float64(best.Ran())), first.Name, units.Rate(float64(first.Ran())))
	if why := mostlyDisturbed(v); why != "" {
		s, seen = caution, seen+"; "+why
		do = "validate again when the machine is quiet; if it stays so, " + do
	} else if overlap(best, first) {
		s, seen = caution, seen+overlapping
		do = "validate with more --runs; if it stays so, " + do
	}
	f.add(s, seen, do, units.Change(float64(best.Ran()/first.Ran()-1))+" "+verb(v))
	f.list[len(f.list)-1].first = true
}

// closingValidation sums up a validation: which mapping to use.
func (p *script) closingValidation(v *result.Validation) {
	best, first := better(v)
	if best == nil {
		return
	}
	chance := ""
	if overlap(best, first) {
		chance = overlapping + "; more --runs would decide"
	}
	p.parts = append(p.parts, Part{Heading: "In short"})
	if why := mostlyDisturbed(v); why != "" {
		p.lead("To do", "validate again when the machine is quiet: %s. In these runs %s was the fastest, at %s; the "+
			"first choice, %s, ran at %s", why, best.Name, units.Rate(float64(best.Ran())), first.Name,
			units.Rate(float64(first.Ran())))
		return
	}
	p.lead("To do", "use %s: it ran at %s, the first choice, %s, at %s%s; --report shows its mapping in X", best.Name,
		units.Rate(float64(best.Ran())), first.Name, units.Rate(float64(first.Ran())), chance)
	p.lead("Regret", "%s: %s", units.Percent(v.Summary.Regret), regretMeaning)
}
