package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"xopt/cmd/faults"
	"xopt/deploy/validate"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/internal/fault"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// minRegret is the gain above which xopt recommends a faster mapping than the first candidate.
const minRegret = 0.01

// regretMeaning defines regret.
const regretMeaning = "the slowdown of the first candidate relative to the best mapping that ran"

// ranking returns the conclusions of a validation about its ranking and the recommended action, if any. The label is ""
// if there is nothing to rank.
func ranking(v *result.Validation) (fact Fact, do *finding) {
	x := validate.VerdictOf(v)
	if x.Unknown == result.SingleMapping {
		return Fact{}, nil
	}
	fact.Label = "Ranking"
	if x.Unknown != "" {
		why, way := unknownRanking(v, x.Unknown)
		do := way
		if v.Resume != "" { // the missing runs may suffice
			way, do = "continue with --resume", "continue with: "+v.Resume // the command is printed once
		}
		if s := striking(v, x); s != "" {
			why += "; still visible: " + s
		}
		fact.Value, fact.Note = "unknown", why+"; "+way
		return fact, &finding{id: faults.RankingUnknown, severity: caution, first: true,
			seen: "the runs do not rank the mappings: " + why, do: do}
	}
	best, choice := &v.Cases[x.Fastest], &v.Cases[x.First]
	among := standing(v, x, result.AmongFastest)
	overlap := "their 95 % confidence intervals overlap"
	if v.FromProfile {
		overlap = "the intervals of the figures are too wide to distinguish them"
	}
	switch of := x.Standings[x.First]; {
	case x.Regret != nil && *x.Regret >= minRegret:
		seen := fmt.Sprintf("%s ran at %s, and the first candidate, %s, at %s",
			best.Name, units.Rate(best.Ran()), choice.Name,
			units.Rate(choice.Ran()))
		do = &finding{id: faults.OtherRanBetter, severity: problem, first: true, seen: seen,
			do: "use " + best.Name + "; its mapping in X is among the candidates", gain: units.Change(
				best.Ran()/choice.Ran()-1) + " " + verb(v)}
		fact.Value, fact.Note = best.Name, "the fastest: "+seen[len(best.Name)+1:]
	case len(among) > 0 && of == result.AmongFastest && !v.Unranked:
		fact.Value, fact.Note = strings.Join(among, ", "), "the fastest, including the first candidate: "+overlap
	case len(among) > 0:
		fact.Value, fact.Note = strings.Join(among, ", "), "the fastest: "+overlap
	default:
		fact.Value, fact.Note = best.Name, "the fastest, at "+units.Rate(best.Ran())
	}
	if v.FromProfile {
		fact.Note += "; by simulation with the figures of the profile"
	}
	if x.Regret != nil {
		fact.Note += "; regret " + units.Percent(*x.Regret)
	}
	fact.Note += fmt.Sprintf("; Kendall's τ %.2f over %d of %s of mappings", *x.Kendall, x.Separate,
		count(x.Pairs, "pair"))
	return fact, do
}

// runsDoubt notes that the runs of a validation do not determine its fastest mapping. It returns nil if the runs
// determine this mapping, or if there is only one mapping.
func runsDoubt(v *result.Validation) []fault.Note {
	fact, do := ranking(v)
	x := validate.VerdictOf(v)
	switch among := standing(v, x, result.AmongFastest); {
	case fact.Label != "" && x.Unknown != "":
		return []fault.Note{{ID: faults.RankingUnknown, Text: do.seen}}
	case len(among) > 1:
		return []fault.Note{{ID: faults.RankingUnknown, Text: "the runs do not separate the fastest mappings: " +
			strings.Join(among, ", ")}}
	}
	return nil
}

// standing lists the mappings with the given standing, and names at most maxNamed of them.
func standing(v *result.Validation, x *result.Verdict, of result.Standing) []string {
	var list []string
	for i, s := range x.Standings {
		if s == of {
			list = append(list, v.Cases[i].Name)
		}
	}
	return first(list, maxNamed)
}

// unknownRanking explains why the runs rank no mappings, and names the remedy.
func unknownRanking(v *result.Validation, why result.Unknown) (seen, do string) {
	switch why {
	case result.MostDisturbed:
		return "most runs were disturbed", "validate again on a quiet machine"
	case result.MostUnsteady:
		return "most runs were not steady", "validate again with a longer --window"
	case result.FewCorrected:
		of := strings.Join(standing(v, validate.VerdictOf(v), result.NotCorrected), ", ")
		return "the runs of " + of + " do not support a correction for the slow machine",
			"validate again with --runs 3 or more"
	case result.AllOverlap:
		if v.FromProfile {
			return "the intervals of the figures are too wide to distinguish them", "validate without --from " +
				"profile, or calibrate on a quiet machine"
		}
	case result.NoInterval:
		return "the repeatability is unknown because " + notRepeatable(v), "validate again with --runs 3 or more"
	}
	return "all 95 % confidence intervals overlap", "validate again with more --runs or a longer --window"
}

// strikingRatio and strikingError are the throughput ratio and the prediction error from which [striking] describes a
// mapping.
const (
	strikingRatio = 1.25
	strikingError = 1
)

// striking describes clear results of runs without a ranking; "" for none. Either all runs of a mapping were much
// faster than all runs of the first candidate, or all runs of a mapping were far from the mapping's prediction.
func striking(v *result.Validation, x *result.Verdict) string {
	choice, ratio, other := &v.Cases[x.First], strikingRatio, ""
	off, missed := 0.0, ""
	for _, c := range measuredCases(v) {
		if len(c.Runs) < 2 { // one run may be an exception
			continue
		}
		slowest, fastest, predicted := slices.Min(c.Runs), slices.Max(c.Runs), float64(c.Predicted)
		if len(choice.Runs) > 1 && choice.Fail == "" && slowest >= ratio*slices.Max(choice.Runs) {
			ratio, other = slowest/slices.Max(choice.Runs), c.Name
		}
		nearest := slowest/predicted - 1
		if 2*c.Disturbed <= len(c.Runs) { // otherwise an undisturbed run may be faster
			nearest = max(nearest, predicted/fastest-1)
		}
		if nearest >= max(strikingError, off) && !math.IsInf(nearest, 0) {
			off, missed = nearest, c.Name+" is off by "+units.Error(predicted/min(max(predicted, slowest), fastest)-1)
		}
	}
	var list []string
	if other != "" {
		list = append(list, fmt.Sprintf("%s ran at least %.2g times as fast as %s in every run", other, ratio,
			choice.Name))
	}
	if missed != "" {
		list = append(list, "the prediction of "+missed+" or more in every run")
	}
	return strings.Join(list, "; ")
}

// notRepeatable explains why repeatability is unknown.
func notRepeatable(v *result.Validation) string {
	return cmp.Or(v.NotRepeatable, "no mapping ran twice")
}

// noticeableSlowdown is the relative slowdown above which the machine counts as slow during a run.
const noticeableSlowdown = 0.03

// SlowRuns describes the slow machine in the runs of a validation; "" if it was not slow. repeated is the number of
// discarded runs.
func SlowRuns(v *result.Validation, repeated int) string {
	slowest, of := 1.0, ""
	for _, c := range measuredCases(v) {
		if c.Slowed > 0 && c.Slowed < slowest {
			slowest, of = c.Slowed, c.Name
		}
	}
	var list []string
	if slowest < 1-noticeableSlowdown {
		list = append(list, fmt.Sprintf("the machine was up to %s slower than undisturbed in the runs (largest "+
			"slowdown: %s)",
			units.Percent(1-slowest), of))
	}
	if repeated > 0 {
		list = append(list, units.Counted(repeated, "further run was", "further runs were")+" discarded because the "+
			"reference load was more than 5 % slower than undisturbed, or because the run was too short")
	}
	return strings.Join(list, "; ")
}

// ranking adds the recommended action after a validation.
func (f *findings) ranking(v *result.Validation) {
	if v == nil || v.Race != nil { // a race has sorted the candidates
		return
	}
	if _, x := ranking(v); x != nil {
		f.list = append(f.list, *x)
	}
}

// closingValidation repeats the recommendation below the tables.
func (p *script) closingValidation(v *result.Validation) {
	fact, do := ranking(v)
	if fact.Label == "" {
		return
	}
	p.parts = append(append(p.parts, Part{Heading: "Summary"}), leads([]Fact{fact})...)
	p.useOther(do)
}

// useOther recommends a mapping other than the first candidate.
func (p *script) useOther(do *finding) {
	if do != nil && do.id == faults.OtherRanBetter {
		p.lead(ToDo, "%s", do.do)
	}
}

// Validation shows the results of runs of mappings: throughputs and predictions, placements, and a summary of errors.
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

// places lists the mappings of the validation, and the reasons for failures and errors.
func places(r *result.Result) *Table {
	t := &Table{ID: "places", Title: "Placement of the mappings", Columns: []Column{name("mapping"),
		name("kernels").fold(anyLength), name("failure or error").fold(anyLength)}}
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

// bottlenecks counts mappings by the prediction of their bottleneck.
type bottlenecks struct {
	all   int // mappings that ran
	idle  int // mappings without a bottleneck, because no utilization was high
	right int // mappings with a correctly predicted bottleneck
	one   int // mappings with a bottleneck and a single predicted bottleneck
	alone int // mappings whose single predicted bottleneck is correct
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
	if len(c.Bottleneck)+len(c.Possible) > 1 {
		return
	}
	b.one++
	if c.Holds {
		b.alone++
	}
}

// words counts the correct predictions of bottlenecks, the predictions that name a single bottleneck, and the mappings
// without a bottleneck.
func (b *bottlenecks) words() string {
	if b.idle == b.all {
		return fmt.Sprintf("The predicted bottlenecks cannot be checked: in none of %s was a resource in use for "+
			"75 %% of the time. Something else limited the runs.", count(b.all, "mapping"))
	}
	reported := b.all - b.idle
	s := fmt.Sprintf("The bottleneck was predicted correctly in %d of %s (the utilization of the predicted "+
		"bottleneck was at most 3 points below the highest utilization).", b.right, count(reported, "mapping"))
	if several := reported - b.one; several > 0 {
		s += fmt.Sprintf(" In %d of these mappings, the prediction named several resources with overlapping "+
			"intervals, and one of these resources was the busiest. Predictions of a single bottleneck were correct "+
			"in %d of %s.",
			several, b.alone, count(b.one, "mapping"))
	}
	if b.idle > 0 {
		s += fmt.Sprintf(" %s cannot be checked: no resource was in use for 75 %% of the time.",
			units.Counted(b.idle, "more mapping", "more mappings"))
	}
	return s
}

// Learned returns a table of the figures of kernels and of shared cores that runs refined.
func Learned(r *validate.Refinement) *Table {
	ns := func(v float64) Cell {
		x := digits(v*nanoseconds, 3)
		x.Value = v
		return x
	}
	t := &Table{ID: "learned", Title: fmt.Sprintf("Figures refined from %s that ran: values of the profile, and "+
		"significant differences measured in "+
		"place", count(r.Ran, "mapping")), Columns: []Column{name("of").about("kernel, or the cost of shared cores"),
		name("platform"), name("part"), name("for a"), inNanoseconds("before", "s"),
		inNanoseconds("refined", "s"), inNanoseconds("from", "s").about("lower end of the 95 % confidence interval"),
		inNanoseconds("to", "s"), number("times").about("refined time relative to the time in the profile"),
		number("mappings"), number("runs")}}
	for i := range r.Learned {
		l := &r.Learned[i]
		part, per, times := l.Part.String(), "byte", dash()
		switch l.Part {
		case flow.Compute:
			part, times = "alone", digits(l.Factor(), 3)
		case flow.Switching:
			per = "firing"
		}
		t.add(text(cmp.Or(l.Kernel, "shared cores")), text(l.Platform), text(part), text(per), ns(l.Was), ns(l.Is),
			ns(l.Low), ns(l.High), times, integer(l.Mappings), integer(l.Runs))
	}
	return t
}

// Refinement returns a table of the errors of predictions before and after the refinement of a profile.
func Refinement(r *validate.Refinement) *Table {
	t := &Table{ID: "refinement", Title: fmt.Sprintf("Errors of the predicted throughput of %s that ran; "+
		"cross-validated: each mapping predicted by a profile refined from the other mappings",
		count(len(r.Before), "mapping")), Columns: []Column{name(""), number("mean"), number("median"),
		number("p95").about(mostErrors), number("worst")}}
	for _, x := range []struct {
		name string
		errs []float64
	}{{"before", r.Before}, {"after, cross-validated", r.LeftOut}, {"after, fitted to all", r.Fitted}} {
		var errs []float64
		for _, e := range x.errs {
			errs = append(errs, math.Abs(e))
		}
		t.add(append([]Cell{text(x.name)}, errorCells(errs)...)...)
	}
	return t
}
