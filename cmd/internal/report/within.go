package report

import (
	"fmt"
	"slices"
	"strings"

	"xopt/internal/units"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// bottleneckNames names the bottleneck and the other resources or links that could be the bottleneck within the
// intervals of the figures. A utilization below littleUsed follows the name, because only wide intervals make such a
// resource or link a possible bottleneck.
func bottleneckNames(c *result.Candidate) string {
	names := LimitNames(c.Bottlenecks, 0)
	if len(c.Bottlenecks) == 0 {
		return names
	}
	possible := slices.Clone(c.Bottlenecks[0].Possible)
	for i, name := range possible {
		for _, s := range slices.Concat(c.Resources, c.Links) {
			if s.Name == name && s.Utilization < littleUsed {
				possible[i] = name + ", although in use for only " + units.Percent(float64(s.Utilization))
			}
		}
	}
	return names + possibleWords(possible)
}

// possibleWords names the other possible bottlenecks; "" for none.
func possibleWords(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " (or " + strings.Join(numbered(names), " or ") + ": the intervals overlap)"
}

// possibleLimits names the bottleneck and the other possible bottlenecks in a table.
func possibleLimits(steps []result.Step) Cell {
	var possible []string
	if len(steps) > 0 {
		possible = steps[0].Possible
	}
	return predictedLimits([]string{LimitNames(steps, 0)}, possible)
}

// orMeaning explains a column of bottlenecks.
const orMeaning = "predicted; after \"or\": other possible bottlenecks, because the intervals of the loads overlap"

// predictedLimits names predicted bottlenecks and other possible bottlenecks in a table.
func predictedLimits(limits, possible []string) Cell {
	return text(strings.Join(append([]string{strings.Join(limits, ", ")}, numbered(possible)...), " or "))
}

// runsWords describes the range expected of a candidate's runs and its basis; "" if unknown.
func runsWords(r *result.Result, c *result.Candidate) string {
	expected := expectedRange(r, c)
	if expected == "" {
		return ""
	}
	s := scaleOf("B/s", float64(c.Throughput))
	far := ""
	if c.FarApart > 0 {
		far = fmt.Sprintf("; between distant cores: %s %s", s.Format(float64(c.FarApart)), s.Unit())
	}
	return fmt.Sprintf("95 %% of the runs on the profile's machine are expected to reach %s (uncertainty of the "+
		"figures: %s to %s %s; error of the model: %s%s; repeatability of the machine: %s%s)", expected,
		s.Format(float64(c.Interval[0])), s.Format(float64(c.Interval[1])), s.Unit(),
		units.Percent(predict.ModelError), sharingTestWords(c), units.Percent(float64(*r.ProfileRepeatability)), far)
}

// expectedRange returns the predicted range of the throughput of 95 % of the runs; "" if unknown.
func expectedRange(r *result.Result, c *result.Candidate) string {
	x := c.RunInterval
	if x == nil || r.ProfileRepeatability == nil {
		return ""
	}
	s := scaleOf("B/s", float64(c.Throughput))
	return fmt.Sprintf("%s to %s %s", s.Format(float64(x[0])), s.Format(float64(x[1])), s.Unit())
}

// sharingTestWords describes the error in the profile's test of core sharing, if this error is larger than the model's
// error elsewhere; "" otherwise.
func sharingTestWords(c *result.Candidate) string {
	worst := sharingTestError(c)
	if worst <= predict.ModelError {
		return ""
	}
	return fmt.Sprintf(", but %s in the profile's test of a shared core", units.Percent(worst))
}

// sharingTestError returns the largest relative error in the profile's tests of the shared cores of a mapping; 0 if
// there are none.
func sharingTestError(c *result.Candidate) (worst float64) {
	for i := range c.Resources {
		if x := &c.Resources[i]; x.Members > 1 {
			worst = max(worst, float64(x.SharingError))
		}
	}
	return worst
}

// testFailed is the relative error from which a test of a shared core counts as failed. A model with this error cannot
// rank mappings.
const testFailed = 0.25

// intervals shows the ranges of the candidates' throughputs, from their figures and for runs; nil if no figure has an
// interval.
func intervals(r *result.Result) *Table {
	t := &Table{ID: "intervals", Title: "Intervals of the throughput", Figures: "predicted",
		Columns: []Column{name("mapping"), rate("throughput"),
			rate("figures from").about("throughput with all figures at the unfavourable ends of their 95 % " +
				"confidence intervals"),
			rate("figures to").about("throughput with all figures at the favourable ends of these intervals"),
			rate("undisturbed from").about("lower end of the range expected for 95 % of the mappings on an " +
				"undisturbed machine, from the uncertainty of the figures and of the model"),
			rate("undisturbed to").about("upper end of this range"),
			rate("runs from").about("lower end of the interval of runs: the range expected for 95 % of the runs, " +
				"including the repeatability of the profile's machine"),
			rate("runs to").about("upper end of this interval")}}
	for i := range r.Candidates {
		c := &r.Candidates[i]
		if c.Interval == nil {
			continue
		}
		from, to := endCells(c.RunInterval)
		goodFrom, goodTo := endCells(c.GoodInterval)
		t.add(text(c.Name), figure(c.Throughput), figure(c.Interval[0]), figure(c.Interval[1]), goodFrom,
			goodTo, from, to)
	}
	if n := r.ProfileRepeatability; n != nil {
		t.Note = fmt.Sprintf("(repeatability of the profile's machine during calibration: %s in 95 %% of the runs)",
			units.Percent(float64(*n)))
	}
	return t.orNil()
}
