package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	clock "time"

	"xopt/bench/unseen"
)

// Definitions of the columns for unseen applications.
const (
	repeatsMeaning = "by how much two measurements of a mapping differ at the most, in 95 % of cases"
	beyondMeaning  = "mappings whose error is larger than the repeatability"
	insideMeaning  = "mappings whose measured throughput is in the 95 % interval of runs that was predicted: what " +
		"the figures leave open, what the model does not know, and what the machine repeats"
	tauMeaning   = "Kendall's: 1 where mappings are ranked as they ran, -1 the other way round"
	holdsMeaning = "mappings in which what was used most was predicted to be the bottleneck, or one that the " +
		"intervals of figures do not tell from it, within 3 % of the time; of those in which anything was in use for " +
		"75 % of the time"
	aloneMeaning = "the same, of the mappings for which only one was named"
)

// UnseenApps lists the random applications that were predicted and run.
func UnseenApps(r *unseen.Results, runs int, window clock.Duration) *Table {
	t := &Table{ID: "unseen", Title: "Applications never seen: errors of the predicted throughput, in good time; " +
		turns(runs, window), Columns: []Column{name("seed"), number("kernels").spare(2), number("mappings"),
		number("median error"), number("95 %").about(mostErrors), number("worst"), number("τ").about(tauMeaning),
		number("regret").about(regretMeaning), number("bottleneck").about(holdsMeaning),
		number("one named").spare(1).about(aloneMeaning), number("run interval").about(insideMeaning),
		number("repeatability").about(repeatsMeaning + "; the median"),
		number("significant").about(beyondMeaning)}}
	for i := range r.Apps {
		s := &r.Apps[i]
		if s.Summary.Cases == 0 {
			t.add(text(fmt.Sprint(s.Seed)), whole(s.Kernels), whole(0), dash(), dash(), dash(), dash(), dash(), dash(),
				dash(), dash(), dash(), dash())
			continue
		}
		regret := dash()
		if s.FirstRan && s.Summary.Regret != nil {
			regret = part(*s.Summary.Regret)
		}
		t.add(text(fmt.Sprint(s.Seed)), whole(s.Kernels), whole(s.Summary.Cases), part(s.Summary.Median),
			part(s.Summary.P95), part(s.Summary.Worst), decimals(*s.Summary.Kendall, 2), regret, sharePart(s.Holds),
			sharePart(s.HoldsAlone), sharePart(s.Inside), repeated(s), sharePart(s.Significant))
	}
	return t
}

// repeated shows the median repeatability of an application's mappings; a dash if unknown.
func repeated(s *unseen.Study) Cell {
	if s.Repeats == (unseen.Spread{}) {
		return dash()
	}
	return part(s.Repeats.Median)
}

// sharePart shows a share as a percentage; a dash for none.
func sharePart(s unseen.Share) Cell {
	if s.Of == 0 {
		return dash()
	}
	return part(s.Part())
}

// UnseenInAll summarizes all applications; nil if nothing ran.
func UnseenInAll(r *unseen.Results) *Table {
	o := r.Overall
	if o == nil {
		return nil
	}
	t := &Table{ID: "unseen-in-all", Title: fmt.Sprintf("Over all: %s, %s", count(o.Apps, "application"),
		count(o.Mappings, "mapping")), Columns: []Column{name(""), number("median"), number("95 %"), number("worst")}}
	spread := func(what string, s *unseen.Spread) {
		t.add(text(what), part(s.Median), part(s.P95), part(s.Worst))
	}
	spread("error of the throughput, in good time", &o.Errors)
	spread("error against what was measured as it was", &o.RawErrors)
	if o.Repeats != (unseen.Spread{}) {
		spread("repeatability of measurements", &o.Repeats)
	}
	if o.Regrets > 0 {
		spread("regret of the first choice", &o.Regret)
	}
	t.add(text("τ of the ranking"), decimals(o.Kendall, 2), dash(), decimals(o.LeastKendall, 2))
	untold := ""
	if o.Idle > 0 {
		untold = fmt.Sprintf("; in %d more nothing was in use for 75 %% of the time", o.Idle)
	}
	t.Note = fmt.Sprintf("(bottleneck right: %s; where only one was named: %s%s; measured in the 95 %% interval of "+
		"runs that was predicted: %s; in good time, in the 95 %% interval that was predicted for it: %s; errors "+
		"larger than the repeatability: %s)", shareWords(o.Holds), shareWords(o.HoldsAlone), untold,
		shareWords(o.Inside), shareWords(o.InGoodTime), shareWords(o.Significant))
	return t
}

// shareWords describes a share.
func shareWords(s unseen.Share) string {
	if s.Of == 0 {
		return "not known"
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

// UnseenWorst lists the mappings with the largest errors and known causes; nil for none.
func UnseenWorst(r *unseen.Results) *Table {
	const most = 5
	list := unseenCases(r)
	slices.SortStableFunc(list, func(a, b unseenCase) int {
		return cmp.Compare(math.Abs(b.Error()), math.Abs(a.Error()))
	})
	t := unseenTable(list[:min(most, len(list))])
	t.ID, t.Title = "unseen-worst", "The largest errors"
	return t.orNil()
}

// UnseenMappings lists all mappings that ran.
func UnseenMappings(r *unseen.Results) *Table {
	t := unseenTable(unseenCases(r))
	t.ID, t.Title = "unseen-mappings", "All mappings"
	return t.orNil()
}

// endCells shows the ends of an interval; dashes for nil.
func endCells(x *[2]float64) (from, to Cell) {
	if x == nil {
		return dash(), dash()
	}
	return figure(x[0]), figure(x[1])
}

func unseenTable(list []unseenCase) *Table {
	t := &Table{Columns: []Column{name("seed"), name("mapping"), rate("predicted"),
		rate("figures from").detail().about("the least that the 95 % intervals of the figures leave open"),
		rate("figures to").detail().about("the greatest"),
		rate("good time from").detail().about("the lower end of the 95 % interval that was predicted for good time: " +
			"what the figures leave open, and what the model does not know"),
		rate("good time to").detail().about("its upper end"),
		rate("runs from").about("the lower end of the 95 % interval of runs that was predicted: what the figures " +
			"leave open, what the model does not know, and what the machine repeats"),
		rate("to").about("its upper end"), rate("measured"),
		number("machine").spare(2).about("by how much less is predicted for a machine as slow as it was in the " +
			"runs than in good time"), rate("in good time").about(goodMeaning), number("error"),
		number("repeatability").spare(1).about(repeatsMeaning),
		name("bottleneck").about(orMeaning), name("most used").about("measured"),
		name("why").fold(anyLength)}}
	for _, c := range list {
		least, greatest := endCells(c.Interval)
		from, to := endCells(c.RunInterval)
		goodFrom, goodTo := endCells(c.GoodInterval)
		repeats := dash()
		if c.Repeats != nil {
			repeats = part(*c.Repeats)
		}
		slowed, good := dash(), dash()
		if c.Slowed != nil {
			slowed, good = errorCell(*c.Slowed-1), figure(c.GoodTime)
		}
		t.add(text(fmt.Sprint(c.app.Seed)), text(c.Name), figure(c.Predicted), least, greatest, goodFrom, goodTo,
			from, to, figure(c.Measured), slowed, good,
			errorCell(c.Error()), repeats,
			predictedLimits(c.Bottleneck, c.Perhaps), text(c.MostUsed), text(c.Reason))
	}
	return t
}
