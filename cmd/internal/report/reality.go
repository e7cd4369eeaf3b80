package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"xopt/cmd/faults"
	"xopt/deploy/validate"
	"xopt/internal/fault"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// reality compares predictions with runs (Beard 2013, Figs. 14-20).
func reality(r *result.Result) Section {
	s := Section{ID: "reality", Title: "Prediction against reality"}
	v := r.Validation
	if v == nil {
		return s
	}
	if v.Simulated {
		s.Intro = "Mappings that need an FPGA ran in virtual time: kernels on cores ran natively, kernels on FPGAs " +
			"in RTL simulation."
	}
	s.Parts = append(tableParts(errorSummary(v), cases(r), worst(v)),
		Part{Chart: scatter(v, "throughputs", "Throughput of each mapping")},
		Part{Chart: scatter(v, "flows", "Flow on every edge of every mapping")}, Part{Chart: errorHistogram(v)})
	s.Parts = append(append(append(s.Parts, tableParts(shares(v))...), verdicts(v)...), queues(v)...)
	s.Parts = append(s.Parts, recommendedSizes(v)...)
	return s
}

func cases(r *result.Result) *Table {
	v, how := r.Validation, verb(r.Validation)
	runs := runCounts(measuredCases(v))
	if v.FromProfile {
		runs = "service times on cores drawn from the profile, on FPGAs from RTL simulation"
	}
	t := &Table{ID: "cases", Title: fmt.Sprintf("Throughput: predicted and %s (%s); error = (predicted - %[3]s) / "+
		"%[3]s%[4]s", how, runs, ranWords(v), inDoubt(r)),
		Columns: []Column{name("mapping"),
			rate("predicted"), rate(expectedFrom).about(expectedMeaning),
			rate(expectedTo).about("upper end of this interval"),
			rate(how), number("machine").about(slowedMeaning),
			rate("undisturbed").about(goodMeaning), rate(goodFrom).about(confidenceMeaning),
			rate(goodTo).about("upper end of this interval"), number("error"), name("ranking").about(standingMeaning),
			number("repeats").about(againMeaning), name("beyond"), number("busiest").about("utilization of the " +
				"busiest resource or link"),
			name("deviates most").spare(1).about("kernel with the largest deviation from its predicted " +
				"time"), name("bottleneck").about(orMeaning),
			name("most used").detail().about("busiest resource or link in the runs")}}
	x := validate.VerdictOf(v)
	for _, i := range byPrediction(v) {
		c := &v.Cases[i]
		measured, off, busiest, slow, maximum := text("failed"), dash(), dash(), "-", "-"
		slowed, good, from, to := dash(), dash(), dash(), dash()
		again, beyond := dash(), "-"
		low, high := endCells(c.Expected)
		switch c.Fail {
		case validate.Interrupted:
			measured = text("not run")
		case "":
			measured, off, busiest, maximum = figure(c.Measured), errorCell(c.Error()), percent(c.Busiest), c.MostUsed
			again, beyond = repeatWords(c)
			if c.Unsteady || c.Bounded { // no throughput
				off = dash()
			}
			if c.Bounded {
				measured = measured.before("≥ ")
			}
			if c.Interval != nil && !c.Unsteady && (c.Undisturbed > 0 || ifUndisturbed(v) == "") {
				from, to = endCells(c.Interval)
			}
			if c.Undisturbed > 0 {
				slowed, good = errorCell(c.Slowed-1), figure(c.Undisturbed)
			}
			if c.BusyEstimated {
				busiest = busiest.before("about ")
			}
			if !c.Holds && !c.Idle {
				maximum += " (not as predicted)"
			}
			if c.Slow != "" && !v.FromProfile && !c.Bounded {
				slow = fmt.Sprintf("%s took %.2f times its predicted time", c.Slow, c.SlowRatio)
			}
		}
		standing := text(cmp.Or(string(x.Standings[i]), "-"))
		row := t.add(text(c.Name), predictedCell(c), low, high, measured,
			slowed, good, from, to, off, standing, again,
			text(beyond), busiest, text(slow), predictedLimits(c.Bottleneck, c.Possible), text(maximum))
		if c.Candidate >= 0 {
			row.Link = candidateID(c.Candidate)
		}
	}
	t.Note = strings.TrimSpace(repeatNote(v) + " " + unlimitedNote(v))
	if ifUndisturbed(v) == "" {
		t.drop("machine", "undisturbed")
		t.Columns[t.column(goodFrom)].Name, t.Columns[t.column(goodTo)].Name = "from", "to"
	}
	if !slices.ContainsFunc(v.Cases, func(c result.ValidatedCase) bool { return c.Expected != nil }) {
		t.drop(expectedFrom, expectedTo)
	}
	if !slices.ContainsFunc(v.Cases, func(c result.ValidatedCase) bool { return c.Interval != nil }) {
		t.drop("from", "to", goodFrom, goodTo)
	} else {
		t.Title += "; from, to: 95 % confidence interval"
	}
	return t.scaled()
}

// predictedCell marks a prediction with unlimited buffers as a bound, because the other predictions have the buffers of
// the runs.
func predictedCell(c *result.ValidatedCase) Cell {
	if c.Unlimited {
		return figure(c.Predicted).before("≤ ")
	}
	return figure(c.Predicted)
}

// unlimitedNote explains the mark of [predictedCell]; "" if no prediction has it.
func unlimitedNote(v *result.Validation) string {
	if !slices.ContainsFunc(v.Cases, func(c result.ValidatedCase) bool { return c.Unlimited }) {
		return ""
	}
	return "(≤ marks a bound with unlimited buffers, because the simulation with the buffers of the runs has no result)"
}

// runCounts describes the throughput of mappings by the number of their runs.
func runCounts(list []*result.ValidatedCase) string {
	one, several := 0, 0
	for _, c := range list {
		if len(c.Runs) < 2 {
			one++
		} else {
			several++
		}
	}
	switch {
	case several == 0 && one < 2:
		return "one run"
	case several == 0:
		return "one run of each mapping"
	case one > 0:
		return "median of the runs (some mappings have one run)"
	}
	return "median of the runs"
}

// byPrediction returns the indices of the mappings, starting with the first choice. The other mappings follow in order
// of decreasing prediction.
func byPrediction(v *result.Validation) []int {
	order := falling(len(v.Cases), func(i int) float64 { return float64(v.Cases[i].Predicted) })
	first := validate.VerdictOf(v).First
	if at := slices.Index(order, first); at > 0 {
		order = slices.Insert(slices.Delete(order, at, at+1), 0, first)
	}
	return order
}

// Names and explanations of columns for runs of mappings.
const (
	// goodFrom and goodTo are the ends of the interval of the undisturbed throughput. If no throughput is corrected,
	// the columns are called "from" and "to", and contain the interval of the measured throughput.
	goodFrom, goodTo = "undisturbed from", "undisturbed to"
	// expectedFrom and expectedTo are the ends of the interval of runs, which is expected to contain the measurement.
	expectedFrom, expectedTo = "expected from", "expected to"
	expectedMeaning          = "lower end of the interval of runs, which is predicted to contain 95 % of the runs: " +
		"the interval of the prediction, widened by the repeatability"
	confidenceMeaning = "lower end of the 95 % confidence interval of the throughput that the error compares with " +
		"the prediction"
	standingMeaning = "fastest: the interval is above all other intervals; among fastest: the interval overlaps " +
		"the interval of the fastest mapping; slower: these two intervals do not overlap; disturbed, not steady: " +
		"not ranked, because most runs were disturbed or not steady; not corrected: the runs do not support a " +
		"correction for the slow machine; -: the runs do not rank the mappings"
)

// Explanations of columns for the state of the machine during runs.
const (
	slowedMeaning = "measured throughput / undisturbed throughput - 1; 0 without a correction"
	goodMeaning   = "throughput corrected by the reference load: median of the undisturbed runs, or of all runs if " +
		"fewer than two were undisturbed; the error compares it with the prediction"
)

// FasterThanProfile names the mappings whose runs had a faster machine than the profile's undisturbed state. The note
// is empty if there are none.
func FasterThanProfile(v *result.Validation) fault.Note {
	var names []string
	faster := 0.0
	for _, c := range measuredCases(v) {
		if c.Faster > 0 {
			names, faster = append(names, c.Name), max(faster, c.Faster)
		}
	}
	if len(names) == 0 {
		return fault.Note{}
	}
	return faults.MachineFaster.Notef("the machine was up to %s faster in the runs of %s than during calibration: "+
		"their predictions are too low, and xopt does not correct their throughput (calibrate again)",
		units.Percent(faster), units.Some(names, maxNamed+1))
}

// ifUndisturbed returns ", undisturbed" if a throughput of the validation is corrected to an undisturbed machine, and
// "" otherwise.
func ifUndisturbed(v *result.Validation) string {
	for i := range v.Cases {
		if v.Cases[i].Undisturbed > 0 {
			return ", undisturbed"
		}
	}
	return ""
}

// ranWords names the throughput with which the errors compare the predictions.
func ranWords(v *result.Validation) string {
	switch {
	case allUndisturbed(v):
		return "undisturbed"
	case ifUndisturbed(v) != "":
		return verb(v) + " or undisturbed"
	}
	return verb(v)
}

// allUndisturbed reports whether the throughputs of all measured mappings are corrected to an undisturbed machine.
func allUndisturbed(v *result.Validation) bool {
	list := measuredCases(v)
	return len(list) > 0 && !slices.ContainsFunc(list, func(c *result.ValidatedCase) bool { return c.Undisturbed == 0 })
}

// inDoubt returns the reasons for doubt in the headline of a validation.
func inDoubt(r *result.Result) string {
	s := ""
	if n := len(r.Stale); n > 0 {
		s += "; figures of " + count(n, "kernel") + " are stale"
	}
	if r.ProfileDisturbed != "" {
		s += "; the machine was disturbed during calibration"
	}
	return s
}

// verdicts shows the errors that are not due to cores, and counts the bottlenecks predicted correctly.
func verdicts(v *result.Validation) []Part {
	var rest []float64
	var b bottlenecks
	for _, c := range checkedCases(v) {
		b.add(c)
		if s := c.Shares; s != nil {
			rest = append(rest, math.Abs(s.Links+s.FPGA))
		}
	}
	if b.all == 0 {
		return nil
	}
	p := &script{}
	if len(rest) > 0 && !v.FromProfile {
		p.add("The errors of links, FPGAs and queues alone have a median of %s and a maximum of %s. Kernels of "+
			"simulated cores ran in turn on one processor of this machine, where they can take longer than on cores "+
			"of their own.",
			units.Percent(middle(rest)),
			units.Percent(slices.Max(rest)))
	}
	if r := v.Repeatability; r != nil {
		significant, outside, slowed := 0, 0, 0
		for _, c := range checkedCases(v) {
			switch _, beyond := repeatWords(c); {
			case beyond == "disturbed":
				slowed++
			case beyond == "yes":
				outside++
				fallthrough
			case c.Significant && !c.Unsteady:
				significant++
			}
		}
		more := ""
		if outside < significant {
			more = fmt.Sprintf("; %d of these errors are within the interval of the prediction", significant-outside)
		}
		if slowed > 0 {
			more += fmt.Sprintf("; in %s, other programs slowed most of the runs", units.Counted(slowed, "more mapping",
				"more mappings"))
		}
		p.add("The error is significant (beyond the machine's repeatability) in %d of %s%s. %s", significant,
			count(b.all, "mapping"), more, spreadWords(r))
	}
	p.add("%s", b.words())
	return p.parts
}

// shownWorst is the maximum number of errors that the table explains.
const shownWorst = 10

func measuredCases(v *result.Validation) []*result.ValidatedCase {
	var list []*result.ValidatedCase
	for i := range v.Cases {
		if c := &v.Cases[i]; c.Fail == "" && c.Measured > 0 {
			list = append(list, c)
		}
	}
	return list
}

// checkedCases returns the measured cases, except those for which only a lower bound of the throughput is known.
func checkedCases(v *result.Validation) []*result.ValidatedCase {
	return slices.DeleteFunc(measuredCases(v), func(c *result.ValidatedCase) bool { return c.Bounded })
}

// worst returns the largest errors with their causes.
func worst(v *result.Validation) *Table {
	list := slices.DeleteFunc(checkedCases(v), func(c *result.ValidatedCase) bool { return c.Unsteady })
	sort.SliceStable(list, func(i, j int) bool { return math.Abs(list[i].Error()) > math.Abs(list[j].Error()) })
	t := &Table{ID: "worst", Title: "The largest errors and their causes, in order of size",
		Columns: []Column{name("mapping"), number("error"), name("why").fold(anyLength)}}
	for _, c := range list[:min(len(list), shownWorst)] {
		why := c.Reason
		if why == "" {
			why = notSignificant(c)
		}
		t.add(text(c.Name), errorCell(c.Error()), text(why))
	}
	return t
}

// scatter charts predictions against measurements.
func scatter(v *result.Validation, id, title string) *Chart {
	var predicted, measured []float64
	var labels []string
	for _, c := range checkedCases(v) {
		if id == "throughputs" {
			predicted, measured, labels = append(predicted, float64(c.Predicted)),
				append(measured, c.Ran()), append(labels, c.Name)
			continue
		}
		for _, e := range c.Edges {
			if e.Measured > 0 && e.Predicted > 0 {
				predicted, measured, labels = append(predicted, e.Predicted),
					append(measured, e.Measured*c.Ran()/c.Measured), append(labels, c.Name+", "+e.Edge)
			}
		}
	}
	scale := scaleOf("B/s", append(slices.Clone(predicted), measured...)...)
	s := Series{Name: "mappings", Kind: Points, Labels: labels}
	for i := range predicted {
		s.X, s.Y = append(s.X, scale.Of(measured[i])), append(s.Y, scale.Of(predicted[i]))
	}
	if id == "flows" {
		s.Name = "edges"
		if v.Summary.RSquare > 0 {
			title += fmt.Sprintf(", R² = %.3f", v.Summary.RSquare)
		}
	}
	return &Chart{ID: "scatter-" + id, Title: title, X: Axis{Name: scale.Heading(ranWords(v))},
		Y: Axis{Name: scale.Heading("predicted")}, Diagonal: true, Series: []Series{s}}
}

// errorHistogram charts the errors with the axes of Beard 2013, Figs. 15 and 18.
func errorHistogram(v *result.Validation) *Chart {
	const width = 0.02
	counts := make(map[int]float64)
	const excess = 50 // larger errors share the last bin
	low, high, maximum := 0, 0, 0.0
	for _, c := range checkedCases(v) {
		if e := c.Error(); !math.IsInf(e, 0) && !math.IsNaN(e) {
			bin := int(math.Floor(math.Max(-1, math.Min(1, e))/width + 0.5))
			counts[bin]++
			low, high, maximum = min(low, bin), max(high, bin), math.Max(maximum, e)
		}
	}
	c := &Chart{ID: "error-histogram", Title: "Errors of the throughput", X: Axis{Name: "(predicted - " + ranWords(v) +
		") / " + ranWords(v) + " (%)"}, Y: Axis{Name: "mappings"}}
	s := Series{Name: "mappings", Kind: Bars}
	for bin := low - 1; bin <= min(high+1, excess); bin++ {
		label := fmt.Sprintf("%+.0f", 100*width*float64(bin))
		if bin == excess {
			label = "over +99"
			c.Note = fmt.Sprintf("The last bar contains all errors over +99 %%. The largest error is %s.",
				units.Change(maximum))
		}
		c.X.Categories = append(c.X.Categories, label)
		s.X, s.Y = append(s.X, float64(len(s.X))), append(s.Y, counts[bin])
	}
	c.Series = []Series{s}
	return c
}

// shares shows the causes of the errors for simulated mappings.
func shares(v *result.Validation) *Table {
	t := &Table{ID: "shares", Title: "Causes of the error: cores (service times that differ from their figures), " +
		"links, and FPGAs with queues",
		Columns: []Column{name("mapping"), number("error"), number("cores"), number("links"), number("FPGA, queues"),
			name("busiest").about("busiest resource in the simulation"), name("as predicted")}}
	for _, c := range measuredCases(v) {
		if c.Shares != nil {
			t.add(text(c.Name), errorCell(c.Error()), errorCell(c.Shares.Cores), errorCell(c.Shares.Links),
				errorCell(c.Shares.FPGA), text(c.MostUsed), yesNo(c.Holds))
		}
	}
	return t
}
