package report

import (
	"fmt"
	"math"
	"strings"

	"xopt/internal/deploy/build"
	"xopt/internal/deploy/run"
	"xopt/internal/measure"
	"xopt/internal/timetrial"
	"xopt/internal/units"
)

// Query is one measure statement of the TimeTrial language with what it has
// measured. Values are in the SI unit of its type: elements/s, fractions of the
// time, elements, seconds, or what the elements hold.
type Query struct {
	Name      string       `json:"name"` // its label, or what it measures
	Text      string       `json:"text"` // as written
	Type      string       `json:"type"`
	Statistic string       `json:"statistic"`
	Unit      string       `json:"unit,omitempty"`
	Target    string       `json:"target"`
	Every     uint64       `json:"every"` // of samples: one element in so many; 0: one in about 300 us
	Total     QueryValue   `json:"total"`
	Frames    []QueryValue `json:"frames,omitempty"` // when there are several
	Box       *Box         `json:"box,omitempty"`    // of the frames' values
	Trace     []Logged     `json:"trace,omitempty"`
	Lost      uint64       `json:"lost,omitempty"` // values or frames that were not kept
}

// QueryValue is a value in one frame, or in the whole run.
type QueryValue struct {
	Frame uint64  `json:"frame"`
	Start *Number `json:"start,omitempty"` // seconds since the start of the run
	End   *Number `json:"end,omitempty"`
	// Value is missing where no element, or no moment, met the condition.
	Value *Number `json:"value,omitempty"`
	// Samples is the distribution of the samples that it is from.
	Samples *Distribution `json:"samples,omitempty"`
	// Looks and Held count looks at the condition and those at which it held.
	Looks uint64 `json:"looks,omitempty"`
	Held  uint64 `json:"held,omitempty"`
}

// Logged is one element of a trace.
type Logged struct {
	Index uint64 `json:"index"`
	Time  Number `json:"time"` // seconds since the start of the run
	Value Number `json:"value"`
}

// Assertion is one assert statement with what became of it.
type Assertion struct {
	Name    string `json:"name"`
	Text    string `json:"text"`
	Holds   bool   `json:"holds"`
	Frames  uint64 `json:"frames"` // that could be judged
	Failed  uint64 `json:"failed"` // of them
	Unknown uint64 `json:"unknown,omitempty"`
	// Tested and Wrong count elements, or looks, where it is about those.
	Tested   Number   `json:"tested,omitempty"`
	Wrong    Number   `json:"wrong,omitempty"`
	Failures []Breach `json:"failures,omitempty"` // the first ones
}

// Breach is a frame in which an assertion failed.
type Breach struct {
	Frame    uint64     `json:"frame"`
	Start    Number     `json:"start"`
	End      Number     `json:"end"`
	Observed []Observed `json:"observed,omitempty"`
	Text     string     `json:"text"` // all of this, to read
}

// Observed is a value that took part.
type Observed struct {
	What  string  `json:"what"`
	Value *Number `json:"value,omitempty"`
	// Estimated is that the value is not exactly known.
	Estimated bool    `json:"estimated,omitempty"`
	Index     *uint64 `json:"index,omitempty"` // of the element
	Time      *Number `json:"time,omitempty"`
}

// quantity prints a value of a measure type with its unit.
func quantity(t timetrial.Type, v float64) string {
	switch {
	case math.IsNaN(v):
		return "no value"
	case t == timetrial.Rate:
		return joined(units.Count(v), "elements/s")
	case t == timetrial.Util || t == timetrial.Backpressure:
		return units.Percent(v)
	case t == timetrial.Latency:
		return units.Time(v)
	case t == timetrial.Occupancy:
		return joined(units.Count(v), "elements")
	}
	return fmt.Sprintf("%.6g", v)
}

func joined(number, unit string) string { return number + " " + unit }

// BreachText tells of a failure on one line.
func BreachText(f *measure.Failure) string {
	var seen []string
	for _, o := range f.Observed {
		if o.Measurement == nil {
			continue
		}
		s := o.Measurement.Name()
		if o.Measurement.Label == "" || o.Measurement.Name() == "" {
			s = o.Measurement.Text
		}
		s += " is " + quantity(o.Measurement.Type, o.Number)
		if o.Estimated {
			s += " (an estimate: a call began or ended in another frame)"
		}
		if !math.IsNaN(o.Time) {
			s += fmt.Sprintf(" (element %d, at %s)", o.Index, units.Time(o.Time))
		}
		seen = append(seen, s)
	}
	text := fmt.Sprintf("frame %d (%s to %s)", f.Frame, units.Time(f.Start), units.Time(f.End))
	if f.Tested > 0 {
		text += fmt.Sprintf(", %s of %s", units.Percent(f.Failed/f.Tested), units.Count(f.Tested))
	}
	if len(seen) > 0 {
		text += ": " + strings.Join(seen, ", ")
	}
	return text
}

// AssertionName is the label of an assertion, or its text on one line.
func AssertionName(a *timetrial.Assertion) string {
	if a.Label != "" {
		return a.Label
	}
	return strings.Join(strings.Fields(a.Text), " ")
}

// RecordQueries puts in what statements have measured.
func (m *Measured) RecordQueries(answers []measure.Answer, verdicts []measure.Verdict) {
	for i := range answers {
		m.Queries = append(m.Queries, newQuery(&answers[i]))
	}
	for i := range verdicts {
		v := &verdicts[i]
		a := Assertion{Name: AssertionName(v.Assertion), Text: oneLine(v.Assertion.Text), Holds: v.Holds(),
			Frames: v.Frames, Failed: v.Failed, Unknown: v.Unknown,
			Tested: Number(v.Tested), Wrong: Number(v.Wrong)}
		for j := range v.Failures {
			a.Failures = append(a.Failures, newBreach(&v.Failures[j]))
		}
		m.Assertions = append(m.Assertions, a)
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// some is nil for NaN, which JSON does not have.
func some(v float64) *Number {
	if math.IsNaN(v) {
		return nil
	}
	n := Number(v)
	return &n
}

func newBreach(f *measure.Failure) Breach {
	b := Breach{Frame: f.Frame, Start: Number(f.Start), End: Number(f.End), Text: BreachText(f)}
	for _, o := range f.Observed {
		if o.Measurement == nil {
			continue
		}
		x := Observed{What: o.Measurement.Name(), Value: some(o.Number), Estimated: o.Estimated, Time: some(o.Time)}
		if x.Time != nil {
			index := o.Index
			x.Index = &index
		}
		b.Observed = append(b.Observed, x)
	}
	return b
}

func newQuery(a *measure.Answer) Query {
	m := a.Measurement
	q := Query{Name: m.Name(), Text: oneLine(m.Text), Type: m.Type.String(), Statistic: m.Statistic.String(),
		Unit: m.Type.Unit(), Target: m.Target.Text,
		Every: a.Every, Total: newQueryValue(a, &a.Total), Lost: a.Lost}
	if m.Label == "" {
		q.Name = m.Type.String() + " at " + m.Target.Text
		if m.Statistic != timetrial.Trace {
			q.Name = m.Statistic.String() + " " + q.Name
		}
	}
	var values []float64
	for i := range a.Frames {
		v := newQueryValue(a, &a.Frames[i])
		if v.Value != nil {
			values = append(values, float64(*v.Value))
		}
		q.Frames = append(q.Frames, v)
	}
	if len(q.Frames) < 2 {
		q.Frames = nil
	} else if len(values) > 0 {
		b := NewBox(values)
		q.Box = &b
	}
	for _, e := range a.Entries {
		q.Trace = append(q.Trace, Logged{e.Index, Number(e.Time), Number(e.Value)})
	}
	return q
}

func newQueryValue(a *measure.Answer, v *measure.Value) QueryValue {
	out := QueryValue{Frame: v.Frame, Start: some(v.Start), End: some(v.End), Value: some(v.Number),
		Looks: v.Looks.Looks, Held: v.Looks.Held}
	if v.Summary != nil && a.Measurement.Type != timetrial.Rate {
		out.Samples = newDistribution(&run.TapMeasurement{Tap: build.Tap{Every: a.Every}, Bins: a.Bins}, v.Summary)
	}
	return out
}

// typeOf finds the measure type of a stored query.
func (q *Query) typeOf() timetrial.Type {
	for t := timetrial.Rate; t <= timetrial.Value; t++ {
		if t.String() == q.Type {
			return t
		}
	}
	return timetrial.Value
}

// rows are the query as CSV: its frames, or, of a trace, its elements; of a
// histogram, a line for each bin.
func (q *Query) rows() [][]string {
	unit := map[string]string{"elements/s": "_elements/s", "s": "_s", "elements": "_elements"}[q.Unit]
	if len(q.Trace) > 0 {
		rows := [][]string{{"element", "time_s", q.Type + unit}}
		for _, e := range q.Trace {
			rows = append(rows, []string{digitsOf(e.Index), number(e.Time), number(e.Value)})
		}
		return rows
	}
	maybe := func(v *Number) string {
		if v == nil {
			return ""
		}
		return number(*v)
	}
	frames := q.Frames
	if len(frames) == 0 {
		frames = []QueryValue{q.Total}
	}
	if q.Statistic == timetrial.Hist.String() {
		rows := [][]string{{"frame", "start_s", "end_s", "from" + unit, "to" + unit, "elements"}}
		for _, f := range frames {
			if f.Samples == nil {
				continue
			}
			for _, b := range f.Samples.Bins {
				rows = append(rows, []string{digitsOf(f.Frame), maybe(f.Start), maybe(f.End), number(b.From),
					number(b.To), number(b.Elements)})
			}
		}
		return rows
	}
	rows := [][]string{{"frame", "start_s", "end_s", q.Type + unit, "samples", "looks", "looks_held"}}
	for _, f := range frames {
		samples := ""
		if f.Samples != nil {
			samples = digitsOf(f.Samples.Samples)
		}
		rows = append(rows, []string{digitsOf(f.Frame), maybe(f.Start), maybe(f.End), maybe(f.Value), samples,
			digitsOf(f.Looks), digitsOf(f.Held)})
	}
	return rows
}

// queryTable prints the answers, one a line.
func (m *Measured) queryTable(t *textWriter) {
	g := grid{title: "Statements: measured; of frames, the least, the median and the most",
		headings: []string{"statement", "run", "frames", "least", "median", "most", "samples"}, spare: []int{6, 2}}
	for i := range m.Queries {
		q := &m.Queries[i]
		kind := q.typeOf()
		row := []string{q.Name, "no value", "1", "-", "-", "-", "all"}
		if q.Total.Value != nil {
			row[1] = quantity(kind, float64(*q.Total.Value))
		}
		if q.Statistic == timetrial.Hist.String() || q.Statistic == timetrial.Trace.String() && !kind.PerFrame() {
			row[1] = "mean " + row[1]
		}
		if q.Total.Samples != nil {
			row[6] = fmt.Sprint(q.Total.Samples.Samples)
		}
		if q.Total.Looks > 0 {
			row[6] = fmt.Sprintf("%d of %d looks", q.Total.Held, q.Total.Looks)
		}
		if b := q.Box; b != nil {
			row[2], row[3], row[4], row[5] = fmt.Sprint(len(q.Frames)), quantity(kind, b.Min), quantity(kind, b.Median),
				quantity(kind, b.Max)
		}
		g.rows = append(g.rows, row)
		g.load = append(g.load, 0)
	}
	t.grid(g)
	for i := range m.Queries {
		m.Queries[i].histogram(t)
		m.Queries[i].log(t)
	}
}

// shownBins is how many bins of a histogram are printed; more are put together.
const shownBins = 16

// histogram prints the histogram of the whole run.
func (q *Query) histogram(t *textWriter) {
	if q.Statistic != timetrial.Hist.String() || q.Total.Samples == nil {
		return
	}
	kind, d := q.typeOf(), q.Total.Samples
	g := grid{title: fmt.Sprintf("%s: measured histogram of %s elements", q.Name, units.Count(float64(d.Elements))),
		headings: []string{"from", "to", "elements", "part (%)", ""}}
	group := (len(d.Bins) + shownBins - 1) / shownBins
	most := 0.0
	var bins []Bin
	for i := 0; i < len(d.Bins); i += group {
		last := min(i+group, len(d.Bins)) - 1
		b := Bin{From: d.Bins[i].From, To: d.Bins[last].To}
		for _, x := range d.Bins[i : last+1] {
			b.Elements += x.Elements
		}
		most = max(most, float64(b.Elements))
		bins = append(bins, b)
	}
	for _, b := range bins {
		part := float64(b.Elements / d.Elements)
		g.rows = append(g.rows, []string{quantity(kind, float64(b.From)), quantity(kind, float64(b.To)),
			units.Count(float64(b.Elements)),
			fmt.Sprintf("%.3f", 100*part), strings.Repeat("█", int(math.Ceil(20*float64(b.Elements)/most)))})
		g.load = append(g.load, part)
	}
	t.grid(g)
}

// shownEntries is how many elements of a trace are printed.
const shownEntries = 10

func (q *Query) log(t *textWriter) {
	if len(q.Trace) == 0 {
		return
	}
	kind := q.typeOf()
	g := grid{title: fmt.Sprintf("%s: measured, the first of %d elements of the trace (--csv writes all)", q.Name,
		len(q.Trace)), headings: []string{"element", "time", "value"}}
	for _, e := range q.Trace[:min(shownEntries, len(q.Trace))] {
		g.rows = append(g.rows, []string{fmt.Sprint(e.Index), units.Time(float64(e.Time)),
			quantity(kind, float64(e.Value))})
		g.load = append(g.load, 0)
	}
	t.grid(g)
	if q.Lost > 0 {
		t.remark("(%d more were not kept)", q.Lost)
	}
}

// assertionTable prints what became of the assertions, and the first failures.
func (m *Measured) assertionTable(t *textWriter) {
	g := grid{title: "Assertions: tested in the run", headings: []string{"assertion", "verdict", "frames", "failed",
		"unknown", "of elements or looks"}, spare: []int{5, 4}}
	for _, a := range m.Assertions {
		verdict := "holds"
		switch {
		case !a.Holds:
			verdict = "FAILED"
		case a.Frames == 0:
			verdict = "unknown"
		}
		part := "-"
		if a.Tested > 0 {
			part = fmt.Sprintf("%s of %s", units.Percent(float64(a.Wrong/a.Tested)), units.Count(float64(a.Tested)))
		}
		g.rows = append(g.rows, []string{a.Name, verdict, fmt.Sprint(a.Frames), fmt.Sprint(a.Failed),
			fmt.Sprint(a.Unknown), part})
		g.load = append(g.load, float64(a.Failed))
	}
	t.grid(g)
	for _, a := range m.Assertions {
		for i, f := range a.Failures {
			if i == 3 && len(a.Failures) > 4 {
				t.remark("%s: and %d more frames", a.Name, a.Failed-3)
				break
			}
			t.remark("%s failed in %s", a.Name, f.Text)
		}
	}
}
