package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"xopt/cmd/faults"
	"xopt/deploy/validate"
	"xopt/flow"
	"xopt/flow/design"
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
	if float64(best.Ran()-first.Ran()) < leastRegret*best.Ran() {
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
		units.Rate(best.Ran()), first.Name, units.Rate(first.Ran()))
	if why := mostlyDisturbed(v); why != "" {
		s, seen = caution, seen+"; "+why
		do = "validate again when the machine is quiet; if it stays so, " + do
	} else if overlap(best, first) {
		s, seen = caution, seen+overlapping
		do = "validate with more --runs; if it stays so, " + do
	}
	f.add(faults.OtherRanBetter, s, seen, do, units.Change(float64(best.Ran()/first.Ran()-1))+" "+verb(v))
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
			"first choice, %s, ran at %s", why, best.Name, units.Rate(best.Ran()), first.Name,
			units.Rate(first.Ran()))
		return
	}
	p.lead("To do", "use %s: it ran at %s, the first choice, %s, at %s%s; --report shows its mapping in X", best.Name,
		units.Rate(best.Ran()), first.Name, units.Rate(first.Ran()), chance)
	if regret := v.Summary.Regret; regret != nil {
		p.lead("Regret", "%s: %s", units.Percent(*regret), regretMeaning)
	}
}

// Validation is what came of running mappings: their throughput beside what was predicted, what runs
// where, and what the errors are together.
func Validation(r *result.Result) []Part {
	v := r.Validation
	p := &script{}
	p.show(cases(r), shares(v))
	p.parts = append(p.parts, verdicts(v)...)
	p.show(places(r))
	p.parts = append(append(p.parts, queues(v)...), recommendedSizes(v)...)
	if v.Summary.Cases > 0 {
		p.show(errorSummary(v))
	}
	p.closingValidation(v)
	return p.parts
}

// places are the mappings that were to run, and why those failed or were off that did.
func places(r *result.Result) *Table {
	t := &Table{ID: "places", Title: "What ran where", Columns: []Column{name("mapping"),
		name("kernels").fold(anyLength), name("failed, or off, because").fold(anyLength)}}
	for i := range r.Validation.Cases {
		c := &r.Validation.Cases[i]
		if c.Candidate < 0 {
			continue
		}
		why := c.Reason
		if c.Fail != "" && c.Fail != validate.Interrupted {
			why = c.Fail
		}
		on := make(map[string][]string)
		for _, p := range r.Candidates[c.Candidate].Place {
			on[p.Resource] = append(on[p.Resource], p.Words())
		}
		var where []string
		for _, x := range r.Architecture {
			if len(on[x.Name]) > 0 {
				where = append(where, x.Name+": "+strings.Join(design.Ranges(on[x.Name]), " "))
			}
		}
		t.add(text(c.Name), text(strings.Join(where, "; ")), text(why))
	}
	return t
}

// bottlenecks counts in how many mappings the bottleneck was predicted right.
type bottlenecks struct {
	all   int // mappings that ran
	idle  int // those in which nothing was busy enough to limit the run
	right int // of the others, those in which what was busiest was named
	one   int // of the others, those in which only one was named, and of these those in which it was right
	alone int
}

func (b *bottlenecks) add(c *result.ValidatedCase) {
	b.all++
	if c.Idle {
		b.idle++
		return
	}
	if c.Holds {
		b.right++
	}
	if len(c.Bottleneck)+len(c.Perhaps) > 1 {
		return
	}
	b.one++
	if c.Holds {
		b.alone++
	}
}

// words say in how many of all mappings the bottleneck was predicted right, in how many of those for which only one
// was named, and in how many nothing was busy enough to limit the run.
func (b *bottlenecks) words() string {
	if b.idle == b.all {
		return fmt.Sprintf("Whether the bottleneck was predicted right cannot be told: in none of %s was "+
			"anything in use for 75 %% of the time, so something else limited the runs.", count(b.all, "mapping"))
	}
	told := b.all - b.idle
	s := fmt.Sprintf("The bottleneck was predicted right in %d of %s (the predicted bottleneck was the "+
		"busiest resource, within 3 points).", b.right, count(told, "mapping"))
	if several := told - b.one; several > 0 {
		s += fmt.Sprintf(" In %d of them several were named, because their loads are alike within the intervals of "+
			"their "+
			"figures, and right is that one of these was the busiest; where only one was named, it was right in %d "+
			"of %d.",
			several, b.alone, b.one)
	}
	if b.idle > 0 {
		s += fmt.Sprintf(" In %d more it cannot be told: nothing was in use for 75 %% of the time.", b.idle)
	}
	return s
}

// Learned is what runs teach of what kernels and cores take.
func Learned(r *validate.Refinement) *Table {
	ns := func(v float64) Cell {
		x := decimals(v*nanoseconds, 3)
		x.Value = v
		return x
	}
	t := &Table{ID: "learned", Title: fmt.Sprintf("Learned from %s that ran: what the profile has, and what was "+
		"measured in place; only what is beyond chance", count(r.Ran, "mapping")), Columns: []Column{name("of"),
		name("platform"), name("part"), name("for a"), inNanoseconds("before", "s"),
		inNanoseconds("refined", "s"), inNanoseconds("95 % from", "s"), inNanoseconds("to", "s"), number("times"),
		number("mappings"), number("runs")}}
	for i := range r.Learned {
		l := &r.Learned[i]
		part, per, times := l.Part.String(), "byte", dash()
		switch l.Part {
		case flow.Compute:
			part, times = "alone", decimals(l.Factor(), 3)
		case flow.Switching:
			per = "firing"
		}
		t.add(text(cmp.Or(l.Kernel, "shared cores")), text(l.Platform), text(part), text(per), ns(l.Was), ns(l.Is),
			ns(l.Low), ns(l.High), times, whole(l.Mappings), whole(l.Runs))
	}
	return t
}

// Refinement is what refining a profile is worth.
func Refinement(r *validate.Refinement) *Table {
	t := &Table{ID: "refinement", Title: fmt.Sprintf("Errors of the predicted throughput of %s that ran; "+
		"left out: of each, refined by the others alone", count(len(r.Before), "mapping")), Columns: []Column{name(""),
		number("mean"), number("median"), number("95 %").about(mostErrors), number("worst")}}
	for _, x := range []struct {
		name string
		errs []float64
	}{{"before", r.Before}, {"after, left out", r.LeftOut}, {"after, fitted to all", r.Fitted}} {
		var errs []float64
		for _, e := range x.errs {
			errs = append(errs, math.Abs(e))
		}
		slices.Sort(errs)
		t.add(text(x.name), percent(stat.Mean(errs, nil)), percent(middle(errs)), percent(stat.Quantile(0.95,
			stat.Empirical, errs, nil)), percent(errs[len(errs)-1]))
	}
	return t
}
