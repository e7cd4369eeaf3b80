package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	clock "time"

	"xopt/bench/unseen"
	"xopt/internal/units"
)

// Explanations of columns for unseen applications.
const (
	repeatsMeaning = "critical difference: in 95 % of pairs, two measurements of one mapping differ by at most this " +
		"fraction"
	beyondMeaning = "mappings whose error is larger than the repeatability"
	insideMeaning = "mappings whose measured throughput is in the predicted 95 % interval of runs. The interval " +
		"includes the uncertainty of the figures, the model error, and the repeatability of the machine"
	tauMeaning   = "Kendall's τ: 1 if predictions and runs have the same order, -1 if their orders are reversed"
	holdsMeaning = "mappings in which the utilization of a predicted bottleneck is at most 3 points below the " +
		"highest utilization. Mappings without a resource in use for at least 75 % of the time do not count"
	aloneMeaning = "the share of \"bottleneck\", only for mappings with one predicted bottleneck"
)

// UnseenApps lists the random applications that xopt predicted and ran.
func UnseenApps(r *unseen.Results, runs int, window clock.Duration) *Table {
	t := &Table{ID: "unseen", Title: "Unseen applications: errors of the predicted undisturbed throughput; " +
		turns(runs, window), Columns: []Column{name("seed"), name("kind"), number("kernels").spare(2),
		number("mappings"),
		number("median error"), number("95 %").about(mostErrors), number("worst"), number("τ").about(tauMeaning),
		number("regret").about(regretMeaning), number("bottleneck").about(holdsMeaning),
		number("single bottleneck").spare(1).about(aloneMeaning), number("run interval").about(insideMeaning),
		number("repeatability").about(repeatsMeaning + "; median over the mappings"),
		number("significant").about(beyondMeaning)}}
	for i := range r.Apps {
		s := &r.Apps[i]
		if s.Summary.Cases == 0 {
			t.add(text(fmt.Sprint(s.Seed)), text(string(s.Kind)), integer(s.Kernels), integer(0), dash(), dash(),
				dash(), dash(), dash(), dash(), dash(), dash(), dash(), dash())
			continue
		}
		regret := dash()
		if s.FirstRan && s.Summary.Regret != nil {
			regret = part(*s.Summary.Regret)
		}
		t.add(text(fmt.Sprint(s.Seed)), text(string(s.Kind)), integer(s.Kernels), integer(s.Summary.Cases),
			part(s.Summary.Median), part(s.Summary.P95), part(s.Summary.Worst), decimals(*s.Summary.Kendall, 2), regret,
			sharePart(s.Holds), sharePart(s.HoldsAlone), sharePart(s.Inside), repeated(s), sharePart(s.Significant))
	}
	return t
}

// repeated shows the median repeatability of an application's mappings, or a dash if unknown.
func repeated(s *unseen.Study) Cell {
	if s.Repeats == (unseen.Spread{}) {
		return dash()
	}
	return part(s.Repeats.Median)
}

// sharePart shows a share as a percentage, or a dash for none.
func sharePart(s unseen.Share) Cell {
	if s.Of == 0 {
		return dash()
	}
	return part(s.Part())
}

// UnseenInAll summarizes all applications; nil if none ran.
func UnseenInAll(r *unseen.Results) *Table {
	o := r.Overall
	if o == nil {
		return nil
	}
	t := &Table{ID: "unseen-in-all", Title: fmt.Sprintf("All applications: %s, %s", count(o.Apps, "application"),
		count(o.Mappings, "mapping")), Columns: []Column{name(""), number("median"),
		number("95 %").about("95th percentile"), number("worst")}}
	spread := func(what string, s *unseen.Spread) {
		t.add(text(what), part(s.Median), part(s.P95), part(s.Worst))
	}
	spread("error of the undisturbed throughput", &o.Errors)
	spread("error relative to the measured throughput", &o.RawErrors)
	if o.Repeats != (unseen.Spread{}) {
		spread("repeatability of measurements", &o.Repeats)
	}
	if o.Regrets > 0 {
		spread("regret of the first candidate", &o.Regret)
	}
	t.add(text("τ of the ranking"), decimals(o.Kendall, 2), dash(), decimals(o.MinKendall, 2))
	untold := ""
	if o.Idle > 0 {
		untold = "; in " + units.Counted(o.Idle, "more mapping", "more mappings") +
			", no resource was in use for 75 % of the time"
	}
	t.Note = fmt.Sprintf("(bottleneck correct: %s; with a single predicted bottleneck: %s%s; measured throughput in "+
		"the predicted 95 %% interval of runs: %s; undisturbed throughput in its predicted 95 %% interval: %s; "+
		"errors above the repeatability: %s)", shareWords(o.Holds),
		shareWords(o.HoldsAlone), untold,
		shareWords(o.Inside), shareWords(o.InUndisturbed), shareWords(o.Significant))
	return t
}

// UnseenKinds lists the errors by kind of application; nil for fewer than two kinds.
func UnseenKinds(r *unseen.Results) *Table {
	kinds := r.Kinds()
	if len(kinds) < 2 {
		return nil
	}
	t := &Table{ID: "unseen-kinds", Title: "Errors of the undisturbed throughput by kind of application",
		Columns: []Column{name("kind"), number("applications"), number("mappings"), number("median error"),
			number("95 %").about(mostErrors), number("worst")}}
	for _, k := range kinds {
		t.add(text(string(k.Kind)), integer(k.Apps), integer(k.Mappings), part(k.Errors.Median), part(k.Errors.P95),
			part(k.Errors.Worst))
	}
	return t
}

// shareWords describes a share.
func shareWords(s unseen.Share) string {
	if s.Of == 0 {
		return "unknown"
	}
	c := part(s.Part())
	return fmt.Sprintf("%d of %d, %s", s.Are, s.Of, c.String())
}

// unseenCase is a mapping of one of the applications.
type unseenCase struct {
	app *unseen.Study
	*unseen.Case
}

// unseenCases lists all mappings that ran.
func unseenCases(r *unseen.Results) []unseenCase {
	var list []unseenCase
	for i := range r.Apps {
		for j := range r.Apps[i].Cases {
			if c := &r.Apps[i].Cases[j]; c.Fail == "" {
				list = append(list, unseenCase{&r.Apps[i], c})
			}
		}
	}
	return list
}

// UnseenWorst lists the largest errors whose causes are known; nil for none.
func UnseenWorst(r *unseen.Results) *Table {
	const maximum = 5
	list := unseenCases(r)
	slices.SortStableFunc(list, func(a, b unseenCase) int {
		return cmp.Compare(math.Abs(b.Error()), math.Abs(a.Error()))
	})
	t := unseenTable(list[:min(maximum, len(list))])
	t.ID, t.Title = "unseen-worst", "The largest errors"
	return t.orNil()
}

// UnseenMappings lists all mappings that ran.
func UnseenMappings(r *unseen.Results) *Table {
	t := unseenTable(unseenCases(r))
	t.ID, t.Title = "unseen-mappings", "All mappings"
	return t.orNil()
}

func unseenTable(list []unseenCase) *Table {
	t := &Table{Columns: []Column{name("seed"), name("mapping"), rate("predicted"),
		rate("figures from").detail().about("lower end of the throughput interval, from the 95 % intervals of " +
			"the figures"),
		rate("figures to").detail().about("upper end of this interval"),
		rate("undisturbed from").detail().about("lower end of the predicted 95 % interval of undisturbed runs, from " +
			"the uncertainty of the figures and of the model"),
		rate("undisturbed to").detail().about("upper end of this interval"),
		rate("runs from").about("lower end of the predicted 95 % interval of runs. The interval includes the " +
			"uncertainty of the figures, the model error, and the repeatability of the machine"),
		rate("to").about("upper end of this interval"), rate("measured"),
		number("machine").spare(2).about("predicted loss from the slowdown of the machine during the runs"),
		rate("undisturbed").about(goodMeaning), number("error"),
		number("repeatability").spare(1).about(repeatsMeaning),
		name("bottleneck").about(orMeaning), name("busiest").about("busiest resource or link in the runs"),
		name("why").fold(anyLength)}}
	for _, c := range list {
		minimum, greatest := endCells(c.Interval)
		from, to := endCells(c.RunInterval)
		goodFrom, goodTo := endCells(c.GoodInterval)
		repeats := dash()
		if c.Repeats != nil {
			repeats = part(*c.Repeats)
		}
		slowed, good := dash(), dash()
		if c.Slowed != nil {
			slowed = errorCell(*c.Slowed - 1)
		}
		if c.Undisturbed > 0 {
			good = figure(c.Undisturbed)
		}
		t.add(text(fmt.Sprint(c.app.Seed)), text(c.Name), figure(c.Predicted), minimum, greatest, goodFrom, goodTo,
			from, to, figure(c.Measured), slowed, good,
			errorCell(c.Error()), repeats,
			predictedLimits(c.Bottleneck, c.PossibleBottlenecks), text(c.MostUsed), text(c.Reason))
	}
	return t
}
