package report

import (
	"fmt"
	"strings"

	"xopt/internal/units"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// bottleneckNames names the bottleneck, and others possible within the intervals of the figures.
func bottleneckNames(steps []result.Step) string {
	if len(steps) == 0 {
		return LimitNames(steps, 0)
	}
	return LimitNames(steps, 0) + perhapsWords(steps[0].Perhaps)
}

// perhapsWords names the other possible bottlenecks; "" for none.
func perhapsWords(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ", or " + strings.Join(numbered(names), " or ") + " within the intervals"
}

// orMeaning defines a column of bottlenecks.
const orMeaning = "predicted; after \"or\" those whose loads the intervals of their figures do not tell from it"

// predictedLimits names the bottlenecks of a mapping that ran, for a table.
func predictedLimits(limits, perhaps []string) Cell {
	return text(strings.Join(append([]string{strings.Join(limits, ", ")}, numbered(perhaps)...), " or "))
}

// runsWords describes the range expected of a candidate's runs, and its reason; "" if unknown.
func runsWords(r *result.Result, c *result.Candidate) string {
	x := c.RunInterval
	if x == nil || r.ProfileRepeatability == nil {
		return ""
	}
	s := scaleOf("B/s", float64(c.Throughput))
	far := ""
	if c.FarApart > 0 {
		far = fmt.Sprintf(", its cores are often far apart (%s %s)", s.Format(float64(c.FarApart)), s.Unit())
	}
	return fmt.Sprintf("95 %% of the runs on the profile's machine are expected from %s to %s %s: the figures leave "+
		"open %s to %s %s, the model itself is within %s%s, and the machine repeats itself within %s%s",
		s.Format(float64(x[0])), s.Format(float64(x[1])), s.Unit(), s.Format(float64(c.Interval[0])),
		s.Format(float64(c.Interval[1])), s.Unit(),
		units.Percent(predict.ModelError), sharingTestWords(c), units.Percent(float64(*r.ProfileRepeatability)), far)
}

// sharingTestWords describes the profile's own test of core sharing for this mapping, if it was worse than the model
// elsewhere; "" otherwise.
func sharingTestWords(c *result.Candidate) string {
	worst := 0.0
	for i := range c.Resources {
		if x := &c.Resources[i]; x.Members > 1 {
			worst = max(worst, float64(x.SharingError))
		}
	}
	if worst <= predict.ModelError {
		return ""
	}
	return fmt.Sprintf(" elsewhere (in this machine's test of a shared core it was off by %s)", units.Percent(worst))
}

// intervals shows the throughput ranges of the candidates by their figures, and in runs; nil if no figure has an
// interval.
func intervals(r *result.Result) *Table {
	t := &Table{ID: "intervals", Title: "Intervals of the throughput", Figures: "predicted",
		Columns: []Column{name("mapping"), rate("throughput"),
			rate("figures from").about("all figures at the bad ends of their 95 % confidence intervals"),
			rate("figures to").about("all figures at the good ends"),
			rate("good time from").about("95 % of the mappings are expected above, in good " +
				"time: the figures and the error of the model together"),
			rate("good time to").about("its upper end"),
			rate("runs from").about("95 % of the runs are expected above: these, and what the " +
				"profile's machine repeats, together"),
			rate("runs to").about("its upper end")}}
	for i := range r.Candidates {
		c := &r.Candidates[i]
		if c.Interval == nil {
			continue
		}
		from, to := dash(), dash()
		if x := c.RunInterval; x != nil {
			from, to = figure(x[0]), figure(x[1])
		}
		goodFrom, goodTo := dash(), dash()
		if x := c.GoodInterval; x != nil {
			goodFrom, goodTo = figure(x[0]), figure(x[1])
		}
		t.add(text(c.Name), figure(c.Throughput), figure(c.Interval[0]), figure(c.Interval[1]), goodFrom,
			goodTo, from, to)
	}
	if n := r.ProfileRepeatability; n != nil {
		t.Note = fmt.Sprintf("(the profile's machine repeated itself within %s in 95 %% of the runs meanwhile)",
			units.Percent(float64(*n)))
	}
	return t.orNil()
}
