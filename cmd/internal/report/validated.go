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

// ranking is what the runs of a validation show of its ranking, and what to do then, where there is anything to do. The
// label is "" where there is nothing to rank.
func ranking(v *result.Validation) (fact Fact, do *finding) {
	x := validate.Judge(v)
	if x.Unknown == result.SingleMapping {
		return Fact{}, nil
	}
	fact.Label = "Ranking"
	if x.Unknown != "" {
		why, way := unknownRanking(v, x.Unknown)
		if s := striking(v, x); s != "" {
			why += "; seen all the same: " + s
		}
		fact.Value, fact.Note = "unknown", why+"; "+way
		return fact, &finding{id: faults.RankingUnknown, severity: caution, first: true,
			seen: "the runs rank no mappings: " + why, do: way}
	}
	best, choice := &v.Cases[x.Fastest], &v.Cases[x.First]
	among := standing(v, x, result.AmongFastest)
	switch of := x.Standings[x.First]; {
	case x.Regret != nil && *x.Regret >= leastRegret:
		seen := fmt.Sprintf("%s ran at %s, the first choice, %s, at %s", best.Name, units.Rate(best.Ran()), choice.Name,
			units.Rate(choice.Ran()))
		do = &finding{id: faults.OtherRanBetter, severity: problem, first: true, seen: seen,
			do: "use " + best.Name + "; its mapping in X is among the candidates", gain: units.Change(
				best.Ran()/choice.Ran()-1) + " " + verb(v)}
		fact.Value, fact.Note = best.Name, "the fastest: "+seen[len(best.Name)+1:]
	case len(among) > 0 && of == result.AmongFastest && !v.Unranked:
		fact.Value, fact.Note = strings.Join(among, ", "), "the fastest, the first choice among them: their 95 % "+
			"confidence intervals overlap"
	case len(among) > 0:
		fact.Value, fact.Note = strings.Join(among, ", "), "the fastest: their 95 % confidence intervals overlap"
	default:
		fact.Value, fact.Note = best.Name, "the fastest, at "+units.Rate(best.Ran())
	}
	if x.Regret != nil {
		fact.Note += "; regret " + units.Percent(*x.Regret)
	}
	fact.Note += fmt.Sprintf("; τ %.2f over %d of %s", *x.Kendall, x.Separate, count(x.Pairs, "pair"))
	return fact, do
}

// standing returns the first names of the mappings of a standing.
func standing(v *result.Validation, x *result.Verdict, of result.Standing) []string {
	var list []string
	for i, s := range x.Standings {
		if s == of {
			list = append(list, v.Cases[i].Name)
		}
	}
	return first(list, maxNamed)
}

// unknownRanking returns why runs rank no mappings, and the way out.
func unknownRanking(v *result.Validation, why result.Unknown) (seen, do string) {
	switch why {
	case result.MostDisturbed:
		return "most runs were disturbed", "validate again when the machine is quiet"
	case result.MostUnsteady:
		return "most runs were not steady", "validate again with a longer --window"
	case result.NoInterval:
		return "repeatability is not known, because " + notRepeatable(v), "validate again with --runs 3 or more"
	}
	return "all 95 % confidence intervals overlap", "validate again with more --runs or a longer --window"
}

// The ratio of throughputs, and the error of a prediction, from which on runs that rank no mappings are described.
const (
	strikingRatio = 1.25
	strikingError = 1
)

// striking describes what runs that rank no mappings show without a ranking: a mapping whose every run was faster than
// all of the first choice, and a prediction that every run misses by far; "" for neither.
func striking(v *result.Validation, x *result.Verdict) string {
	choice, ratio, other := &v.Cases[x.First], strikingRatio, ""
	off, missed := 0.0, ""
	for _, c := range measuredCases(v) {
		if len(c.Runs) == 0 {
			continue
		}
		slowest, fastest, predicted := slices.Min(c.Runs), slices.Max(c.Runs), float64(c.Predicted)
		if len(choice.Runs) > 0 && choice.Fail == "" && slowest >= ratio*slices.Max(choice.Runs) {
			ratio, other = slowest/slices.Max(choice.Runs), c.Name
		}
		nearest := max(predicted/fastest-1, slowest/predicted-1)
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

// notRepeatable is why repeatability is not known.
func notRepeatable(v *result.Validation) string {
	return cmp.Or(v.NotRepeatable, "no mapping ran twice")
}

// ranking adds what to do after a validation.
func (f *findings) ranking(v *result.Validation) {
	if v == nil {
		return
	}
	if _, x := ranking(v); x != nil {
		f.list = append(f.list, *x)
	}
}

// closingValidation repeats below the tables which mapping to use.
func (p *script) closingValidation(v *result.Validation) {
	fact, do := ranking(v)
	if fact.Label == "" {
		return
	}
	p.parts = append(append(p.parts, Part{Heading: "In short"}), leads([]Fact{fact})...)
	p.useOther(do)
}

// useOther says to use another mapping than the first choice.
func (p *script) useOther(do *finding) {
	if do != nil && do.id == faults.OtherRanBetter {
		p.lead("To do", "%s", do.do)
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
		inNanoseconds("refined", "s"), inNanoseconds("from", "s").about("lower end of the 95 % confidence interval"),
		inNanoseconds("to", "s"), number("times"),
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
		number("mean"), number("median"), number("p95").about(mostErrors), number("worst")}}
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
