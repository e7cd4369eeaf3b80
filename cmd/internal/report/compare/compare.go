// Package compare shows the differences of two results in predictions, placements and measurements, such as results
// before and after a change of a kernel. It computes confidence with the Mann-Whitney U-test, as benchstat does.
package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"xopt/cmd/faults"
	"xopt/cmd/internal/report"
	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/internal/units"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// Difference contains all differences of two results. In its JSON form, changes contain their unit.
type Difference struct {
	Origins report.Origins `json:"origins,omitzero"`  // origins of both runs; zero without runs
	Remarks []fault.Note   `json:"remarks,omitempty"` // different files and moved kernels
	// Unlike lists notes about quantities that only one of the results contains.
	Unlike []string `json:"unlike,omitempty"`
	// Predicted are the changes of service rates, and of the best mapping's throughput, latency, buffers and area.
	Predicted []report.Change `json:"predicted,omitempty"`
	Measured  []report.Change `json:"measured,omitempty"`
	// Comparisons compare one result's prediction for the mapping BesideOf with the other result's measurement.
	BesideOf    string               `json:"beside_of,omitempty"`
	Comparisons []predict.Comparison `json:"-"` // Encode adds their errors
}

// Same adds a note that both files have the same content, so there is no difference to show.
func (d *Difference) Same() {
	note := faults.SameResult.Notef("both files have the same content: there is nothing to compare")
	d.Remarks = append([]fault.Note{note}, d.Remarks...)
}

// Results compares two results of one application.
func Results(a, b *result.Result) *Difference {
	d := &Difference{Origins: report.Origins{Before: report.RunOrigin(a), After: report.RunOrigin(b)}}
	if x, y := d.Origins.Before, d.Origins.After; x != "" && y != "" && x != y {
		d.remark(faults.OriginsDiffer, "the run of the first result is %s, and the run of the second result is %s",
			x, y)
	}
	d.inputs(a, b)
	d.copies(a, b)
	d.sweeps(a.Sweep, b.Sweep)
	d.predictions(a, b)
	d.besides(a, b)
	d.profiles(a, b)
	d.runs(a, b)
	d.validations(a, b)
	d.unshared(a, b)
	return d
}

func (d *Difference) remark(id fault.ID, format string, args ...any) {
	d.Remarks = append(d.Remarks, id.Notef(format, args...))
}

func (d *Difference) inputs(a, b *result.Result) {
	if a.Application != b.Application {
		d.remark(faults.ApplicationChanged, "the application changed from %s to %s",
			a.Application, b.Application)
	}
	before := make(map[string]string)
	for _, i := range a.Inputs {
		before[i.Path] = i.SHA256
	}
	for _, i := range b.Inputs {
		if old, ok := before[i.Path]; ok && old != i.SHA256 {
			d.remark(faults.InputChanged, "the input file %s changed", i.Path)
		}
	}
	if x, y := a.Profile, b.Profile; x != nil && y != nil && x.Machine.CPU != y.Machine.CPU {
		d.remark(faults.ProfileOfOtherMachine, "the profiles are from different machines: %s and %s",
			x.Machine.CPU, y.Machine.CPU)
	}
	if whose, reason := both(a.ProfileDisturbed, b.ProfileDisturbed); reason != "" {
		d.remark(faults.ProfileDisturbed, "the machine was disturbed during the calibration for %s: %s",
			whose, reason)
	}
}

// exact returns a change without samples, of a prediction or of a single run.
func exact(what string, before, after float64, sure string) report.Change {
	c := report.Change{What: what, Unit: "B/s", Before: result.Number(before), After: result.Number(after), Change: "=",
		Confidence: sure}
	if before != after && before != 0 {
		c.Change = units.Change(after/before - 1)
	}
	return c
}

func (d *Difference) predictions(a, b *result.Result) {
	if len(a.Candidates) == 0 || len(b.Candidates) == 0 {
		return
	}
	x, y := &a.Candidates[0], &b.Candidates[0]
	d.Predicted = append(d.Predicted, throughputs(x, y, reflect.DeepEqual(a.Profile, b.Profile)))
	d.Predicted = append(d.Predicted, needs(x, y)...)
	if p, q := report.LimitNames(x.Bottlenecks, 0), report.LimitNames(y.Bottlenecks, 0); p != q {
		d.remark(faults.BottleneckChanged, "the bottleneck changed from %s to %s", p, q)
	}
	d.moves(x.Place, y.Place)
	stations := make(map[string]*result.Station)
	for i := range x.Stations {
		if s := &x.Stations[i]; !s.IsLink {
			stations[s.Name] = s
		}
	}
	for i := range y.Stations {
		s := &y.Stations[i]
		if s.IsLink {
			continue
		}
		if old := stations[s.Name]; old != nil && old.ServiceRate != s.ServiceRate {
			d.Predicted = append(d.Predicted, exact("service rate μ of "+s.Name+" on "+s.On, float64(old.ServiceRate),
				float64(s.ServiceRate), then(old.Origin, s.Origin)))
		}
	}
}

// throughput is the name of the first predicted quantity.
const throughput = "throughput"

// headline returns the first line of a difference between predictions.
func headline(c *report.Change) string {
	before, after := units.Rate(float64(c.Before)), units.Rate(float64(c.After))
	switch c.Change {
	case "=":
		return fmt.Sprintf("Throughput  unchanged: %s (predicted)", before)
	case "~":
		return fmt.Sprintf("Throughput  no significant change: %s %s before, %s %s after (predicted)", before,
			c.Spread[0], after, c.Spread[1])
	}
	return fmt.Sprintf("Throughput  %s: %s before, %s after (predicted)", c.Change, before, after)
}

// throughputs compares the predicted throughputs. If both predictions use one profile, its errors affect both
// predictions equally. With two profiles, a difference within the intervals is not significant.
func throughputs(x, y *result.Candidate, oneProfile bool) report.Change {
	c := exact(throughput, float64(x.Throughput), float64(y.Throughput), throughputSure(x, y))
	if p, q := x.Interval, y.Interval; p != nil && q != nil {
		c.Spread = [2]string{intervalText(p), intervalText(q)}
		if !oneProfile && c.Change != "=" && p[0] <= q[1] && q[0] <= p[1] {
			c.Change = "~"
		}
	}
	return c
}

// intervalText formats the 95 % interval of a prediction for a table.
func intervalText(x *[2]result.Number) string {
	s := units.ScaleFor("B/s", float64(x[1]))
	return fmt.Sprintf("(%s to %s %s)", s.Format(float64(x[0])), s.Format(float64(x[1])), s.Unit())
}

// needs lists the changes in latency, buffer memory and FPGA area.
func needs(x, y *result.Candidate) []report.Change {
	var list []report.Change
	add := func(what, unit string, before, after float64, sure string) {
		if before != after {
			c := exact(what, before, after, sure)
			if c.Unit = unit; before == 0 {
				c.Change = "new"
			}
			list = append(list, c)
		}
	}
	if p, q := x.Latency, y.Latency; p != nil && q != nil {
		at := func(l *result.Latency) string {
			return "mean critical-path latency at " + units.Percent(float64(l.Load)) + " of the throughput"
		}
		add("latency", "s", float64(p.Seconds), float64(q.Seconds), then(at(p), at(q)))
	}
	add("buffers", "B", x.BufferBytes(), y.BufferBytes(), "recommended sizes")
	for _, r := range y.Resources {
		at := slices.IndexFunc(x.Resources, func(old result.Share) bool { return old.Name == r.Name })
		if at < 0 {
			continue
		}
		for i := range r.Area {
			if old := x.Resources[at].Area; i < len(old) {
				add(r.Area[i].Kind+" on "+r.Name, "", float64(old[i].Used), float64(r.Area[i].Used), "area in use")
			}
		}
	}
	return list
}

// moves reports the kernels that two mappings place on different resources, with one note per pair of resources.
func (d *Difference) moves(before, after []result.Placement) {
	was := make(map[string]string)
	for _, p := range before {
		was[p.Kernel] = p.Resource
	}
	type move struct{ from, to string }
	var moves []move
	moved := make(map[move][]string)
	for _, p := range after {
		old, ok := was[p.Kernel]
		if !ok || old == p.Resource {
			continue
		}
		m := move{old, p.Resource}
		if moved[m] == nil {
			moves = append(moves, m)
		}
		moved[m] = append(moved[m], p.Kernel)
	}
	for _, m := range moves {
		n := faults.KernelMoved.Notef("kernels moved from %s to %s: %s", m.from, m.to, strings.Join(moved[m], ", "))
		if !slices.Contains(d.Remarks, n) {
			d.Remarks = append(d.Remarks, n)
		}
	}
}

// sweeps compares the points with equal values in two sweeps.
func (d *Difference) sweeps(a, b *result.Sweep) {
	if a == nil || b == nil {
		return
	}
	before := make(map[string]*result.SweptPoint)
	for i := range a.Points {
		if p := &a.Points[i]; p.Done() {
			before[report.PointName(a, p)] = p
		}
	}
	for i := range b.Points {
		y := &b.Points[i]
		name := report.PointName(b, y)
		x := before[name]
		if delete(before, name); !y.Done() {
			continue
		}
		if x == nil {
			d.Unlike = append(d.Unlike, "the point "+name+" is only in the second result")
			continue
		}
		c := exact("throughput at "+name, float64(x.Throughput), float64(y.Throughput), then(x.Proof, y.Proof))
		if x.Mapping < 0 || y.Mapping < 0 {
			c.Confidence = then(feasible(x), feasible(y))
		}
		d.Predicted = append(d.Predicted, c)
		if a.Objective != "" && a.Objective == b.Objective && x.Objective != y.Objective {
			d.remark(faults.PointChanged, "%s at %s changed from %s to %s", a.Objective, name, x.Objective, y.Objective)
		}
	}
	for i := range a.Points {
		name := report.PointName(a, &a.Points[i])
		if before[name] != nil {
			d.Unlike = append(d.Unlike, "the point "+name+" is only in the first result")
		}
	}
}

// feasible returns the proof of a point, or "no mapping".
func feasible(p *result.SweptPoint) string {
	if p.Mapping < 0 {
		return "no mapping"
	}
	return p.Proof
}

// sampled returns the change between two samples, in B/s.
func sampled(what string, before, after []float64) report.Change {
	const confidence = 0.95
	t := benchmath.DefaultThresholds
	x, y := benchmath.NewSample(slices.Clone(before), &t), benchmath.NewSample(slices.Clone(after), &t)
	sx, sy := benchmath.AssumeNothing.Summary(x, confidence), benchmath.AssumeNothing.Summary(y, confidence)
	c := benchmath.AssumeNothing.Compare(x, y)
	spaced := func(s string) string { return strings.ReplaceAll(s, "%", " %") }
	return report.Change{What: what, Unit: "B/s", Before: result.Number(sx.Center), After: result.Number(sy.Center),
		Spread: [2]string{"± " + spaced(sx.PctRangeString()), "± " + spaced(sy.PctRangeString())},
		Change: changed(&c, sx.Center, sy.Center), Confidence: c.String()}
}

// figures compares two figures of profiles. It shows the values and intervals of the calibrations. The figures differ
// if both their windows and their intervals differ. The windows of one calibration do not show the variation between
// calibrations.
func figures(what string, before, after *profile.Figure) report.Change {
	c := sampled(what, before.Windows, after.Windows)
	c.Before, c.After = result.Number(before.Value), result.Number(after.Value)
	c.Spread = [2]string{report.Precision(before), report.Precision(after)}
	if c.Change != "~" && isCompatible(before, after) {
		c.Change, c.Confidence = "~", "intervals overlap"
	}
	if c.Change != "~" {
		c.Change = "="
		if before.Value != after.Value {
			c.Change = units.Change(after.Value/before.Value - 1)
		}
	}
	return c
}

// isCompatible reports whether the intervals of two figures explain their difference. With the values a and b, and the
// relative half-widths x and y, the condition is |ln(b/a)| ≤ √(x² + y²).
func isCompatible(before, after *profile.Figure) bool {
	x, okX := before.Precision()
	y, okY := after.Precision()
	return okX && okY && math.Abs(math.Log(after.Value/before.Value)) <= math.Hypot(x, y)
}

// changed returns the relative change between medians, or "~" if the samples do not show a difference.
func changed(c *benchmath.Comparison, before, after float64) string {
	switch {
	case c.P > c.Alpha:
		return "~"
	case before == 0 && after != 0:
		return "?"
	case before == after:
		return "="
	}
	return units.Change(after/before - 1)
}

func (d *Difference) profiles(a, b *result.Result) {
	if a.Profile == nil || b.Profile == nil {
		return
	}
	before := make(map[string]*profile.Kernel)
	for i := range a.Profile.Kernels {
		before[a.Profile.Kernels[i].Label()] = &a.Profile.Kernels[i]
	}
	for i := range b.Profile.Kernels {
		k := &b.Profile.Kernels[i]
		key := k.Label()
		old := before[key]
		delete(before, key)
		switch {
		case old == nil:
			d.Unlike = append(d.Unlike, "the measured rate of "+key+" is only in the second result")
		case old.ServiceRate != nil && k.ServiceRate != nil && len(old.ServiceRate.Windows) > 0 &&
			len(k.ServiceRate.Windows) > 0:
			c := figures("service rate μ of "+key, old.ServiceRate, k.ServiceRate)
			c.Origins = report.Origins{Before: "measured", After: "measured"}
			d.Measured = append(d.Measured, c)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(before)) {
		d.Unlike = append(d.Unlike, "the measured rate of "+key+" is only in the first result")
	}
}

// ran adds a change between the two runs.
func (d *Difference) ran(c report.Change) {
	c.Origins = d.Origins
	d.Measured = append(d.Measured, c)
}

// runs compares the edge rates of two runs, with the frames as samples. If a run has fewer than two frames, runs
// compares the throughputs.
func (d *Difference) runs(a, b *result.Result) {
	x, y := a.Measured, b.Measured
	if x == nil || y == nil {
		return
	}
	d.moves(x.Place, y.Place)
	if whose, reason := both(x.Disturbed, y.Disturbed); reason != "" {
		d.remark(faults.RunDisturbed, "the machine was disturbed during the run of %s: %s", whose, reason)
	}
	if len(x.Frames) < 2 || len(y.Frames) < 2 {
		p, _, reported := x.Rates()
		q, _, too := y.Rates()
		if !reported || !too {
			for i, m := range []*result.Measured{x, y} {
				if _, _, ok := m.Rates(); !ok {
					d.remark(faults.RunTooShort, "the %s run has no throughput: %s (%s); xopt compares the complete "+
						"runs instead", [...]string{"first", "second"}[i], report.RunThroughput(m),
						m.Steady.Short)
				}
			}
			p, q = x.Throughput, y.Throughput
		}
		d.ran(singleRuns(a, b, exact("throughput of one run", p, q,
			"one run each: deploy with --frame 100ms for confidence intervals")))
		return
	}
	rates := func(m *result.Measured, edge string) []float64 {
		at := slices.IndexFunc(m.Edges, func(e result.MeasuredEdge) bool { return e.Edge == edge })
		var out []float64
		for _, f := range m.Frames {
			if at >= 0 && at < len(f.Edges) {
				out = append(out, f.Edges[at].Rate)
			}
		}
		return out
	}
	for _, e := range x.Edges {
		p, q := rates(x, e.Edge), rates(y, e.Edge)
		if len(q) == 0 {
			d.Unlike = append(d.Unlike, "edge "+e.Edge+" is only in the first result")
			continue
		}
		d.ran(singleRuns(a, b, sampled("rate on "+e.Edge, p, q)))
	}
}

// notComparable is the reason why a change between two disturbed runs is not significant.
const notComparable = "single runs cannot be compared on a disturbed machine"

// singleRuns accounts for the variation between runs in a change between two runs on this machine. Frames of one run
// share its disturbance, so their test covers only the variation inside a run. The deviation of 95 % of the runs is at
// most the profile's repeatability R. Therefore two runs differ by less than √2 R in 95 % of the cases. R covers
// disturbances only if the profile was disturbed, too.
func singleRuns(a, b *result.Result, c report.Change) report.Change {
	x, y := a.Measured, b.Measured
	if x.Simulated != "" || y.Simulated != "" {
		return c
	}
	maximum := 0.0
	for _, r := range []*result.Result{a, b} {
		covered := x.Disturbed+y.Disturbed == "" || r.ProfileDisturbed != ""
		if p := r.ProfileRepeatability; p != nil && covered {
			maximum = max(maximum, math.Sqrt2*float64(*p))
		}
	}
	switch {
	case maximum > 0 && math.Abs(float64(c.After-c.Before)) <= maximum*float64(c.Before) && c.Change != "=":
		c.Change, c.Confidence = "~", "two runs of one mapping differ by up to "+units.Percent(maximum)
	case maximum > 0:
		c.Confidence += "; two runs of one mapping differ by up to " + units.Percent(maximum)
	case x.Disturbed+y.Disturbed != "":
		c.Change, c.Spread, c.Confidence = "~", [2]string{}, notComparable
	}
	return c
}

func (d *Difference) validations(a, b *result.Result) {
	if a.Validation == nil || b.Validation == nil {
		return
	}
	for i := range a.Validation.Cases {
		x := &a.Validation.Cases[i]
		for j := range b.Validation.Cases {
			y := &b.Validation.Cases[j]
			if x.Name == y.Name && len(x.Runs) > 0 && len(y.Runs) > 0 {
				d.ran(sampled("throughput of mapping "+x.Name, x.Runs, y.Runs))
			}
		}
	}
}

// Parts returns the difference for display, with all rows.
func (d *Difference) Parts() []report.Part { return d.parts(d.Comparisons, "") }

// Brief returns the difference for a terminal. For a prediction and a run, it contains the throughput, the median error
// of the edges, and the largest deviations from this error.
func (d *Difference) Brief() []report.Part { return d.parts(outliers(d.Comparisons)) }

// outliers returns the most important rows of a comparison: the throughput, and the three rows that deviate most from
// the median error of edges. The note states that error. outliers returns short comparisons unchanged.
func outliers(list []predict.Comparison) (rows []predict.Comparison, note string) {
	const shown = 3
	if len(list) <= shown+2 {
		return list, ""
	}
	others := slices.DeleteFunc(slices.Clone(list[1:]), func(b predict.Comparison) bool { return !b.HasError() })
	var ratios []float64
	for i := range others {
		if b := &others[i]; !b.Part {
			ratios = append(ratios, 1+b.Error())
		}
	}
	if len(ratios) == 0 {
		return list[:1], ""
	}
	common := profile.MedianOf(ratios).Value
	deviation := func(b *predict.Comparison) float64 {
		if b.Part {
			return math.Abs(b.Error())
		}
		return math.Abs((1+b.Error())/common - 1)
	}
	slices.SortStableFunc(others, func(x, y predict.Comparison) int {
		return cmp.Compare(deviation(&y), deviation(&x))
	})
	others = others[:min(shown, len(others))]
	return append(list[:1:1], others...), fmt.Sprintf("median error of %d edges: %s; shown: the %d rows that deviate "+
		"most from this error", len(ratios), units.Error(common-1), len(others))
}

func (d *Difference) parts(rows []predict.Comparison, note string) []report.Part {
	found := cmp.Or(d.Origins.Before, d.Origins.After, "measured") // only one of the results has a run
	var parts []report.Part
	if len(d.Predicted) > 0 && d.Predicted[0].What == throughput {
		parts = append(parts, report.Part{Text: headline(&d.Predicted[0])})
	} else if len(rows) > 0 && rows[0].HasError() && !rows[0].Part {
		b := &rows[0]
		parts = append(parts, report.Part{Text: fmt.Sprintf("Throughput  %s predicted, %s %s: error %s",
			units.Rate(float64(b.Predicted)), units.Rate(b.Measured), found, units.Error(b.Error()))})
	}
	for _, s := range append(fault.Texts(d.Remarks), d.Unlike...) {
		parts = append(parts, report.Part{Text: s})
	}
	beside := report.Comparisons(fmt.Sprintf("Mapping %s: predicted and %[2]s values; error = (predicted - "+
		"%[2]s) / %[2]s", d.BesideOf, found), found, rows)
	if note != "" {
		beside.Note = strings.TrimSpace("(" + note + ") " + beside.Note)
	}
	parts = append(parts, report.Part{Table: report.Changes("predicted", "Predicted", d.Predicted)},
		report.Part{Table: d.measuredTable()}, report.Part{Table: beside})
	if len(d.Remarks)+len(d.Unlike)+len(d.Predicted)+len(d.Measured) == 0 {
		parts = append(parts, report.Part{Text: "the two results have no comparable figures"})
	}
	return parts
}

// measuredTable returns the table of measured and simulated changes. Its title names the origin of the values. If there
// are several origins, each row names its own origin.
func (d *Difference) measuredTable() *report.Table {
	var origins []string
	for i := range d.Measured {
		origins = append(origins, thenOf(d.Measured[i].Origins))
	}
	slices.Sort(origins)
	origins = slices.Compact(origins)
	list := slices.Clone(d.Measured)
	title := "Measured"
	switch {
	case len(origins) == 1:
		title = strings.ToUpper(origins[0][:1]) + origins[0][1:]
	case len(origins) > 1:
		title = "Measured and simulated"
		for i := range list {
			list[i].What += " (" + thenOf(list[i].Origins) + ")"
		}
	}
	return report.Changes("measured", title+": medians with 95 % confidence intervals; ~: no significant change", list)
}

// throughputSure describes the certainty of a change in predicted throughput: the basis of the predictions, and whether
// the intervals of measured figures are disjoint.
func throughputSure(x, y *result.Candidate) string {
	s := then(report.Basis(x), report.Basis(y))
	if p, q := x.Interval, y.Interval; p != nil && q != nil && x.Throughput != y.Throughput {
		if p[0] <= q[1] && q[0] <= p[1] {
			return s + "; their 95 % confidence intervals overlap"
		}
		return s + "; their 95 % confidence intervals do not overlap"
	}
	return s
}

// then joins the words for before and after, or returns them once if they are equal.
func then(before, after string) string {
	if before == after {
		return before
	}
	return before + ", then " + after
}

func thenOf(x report.Origins) string { return then(x.Before, x.After) }

// both names the results that have a problem and describes the problem; "" if neither result has a problem.
func both(first, second string) (whose, reason string) {
	switch {
	case first != "" && first == second:
		return "both results", first
	case first != "" && second != "":
		return "both results", fmt.Sprintf("%s; then %s", first, second)
	case first != "":
		return "the first result", first
	case second != "":
		return "the second result", second
	}
	return "", ""
}

// comparison is the JSON form of a comparison.
type comparison struct {
	What      string        `json:"what"`
	Predicted result.Number `json:"predicted"`
	Measured  float64       `json:"measured"`
	// Error is absent if the run is too short or too unsteady to compute it.
	Error *result.Number `json:"error,omitempty"`
}

// Encode writes a difference between two files as JSON.
func (d *Difference) Encode(w io.Writer, version, before, after string) error {
	f := struct {
		Tool    string `json:"tool"`
		Version string `json:"version"`
		Before  string `json:"before"` // name of the file
		After   string `json:"after"`
		*Difference
		Comparisons []comparison `json:"beside,omitempty"`
	}{"xopt", version, before, after, d, besides(d.Comparisons)}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(&f); err != nil {
		return fmt.Errorf("writing a difference: %w", err)
	}
	return nil
}

func besides(list []predict.Comparison) []comparison {
	var out []comparison
	for i := range list {
		x := &list[i]
		row := comparison{What: x.What, Predicted: x.Predicted, Measured: x.Measured}
		if x.HasError() {
			off := result.Number(x.Error())
			row.Error = &off
		}
		out = append(out, row)
	}
	return out
}
