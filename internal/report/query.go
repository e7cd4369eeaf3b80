package report

import (
	"math"
	"strings"

	"xopt/internal/deploy/build"
	"xopt/internal/deploy/run"
	"xopt/internal/measure"
	"xopt/internal/timetrial"
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

// RecordQueries puts in what statements have measured.
func (m *Measured) RecordQueries(answers []measure.Answer, verdicts []measure.Verdict) {
	for i := range answers {
		m.Queries = append(m.Queries, newQuery(&answers[i]))
	}
	for i := range verdicts {
		v := &verdicts[i]
		a := Assertion{Name: measure.AssertionName(v.Assertion), Text: oneLine(v.Assertion.Text), Holds: v.Holds(),
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
	b := Breach{Frame: f.Frame, Start: Number(f.Start), End: Number(f.End), Text: f.String()}
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
