package measure

import (
	"math"
	"strings"

	"xopt/deploy/timetrial"
	"xopt/mapper/result"
)

// AddTo adds the results of statements and assertions to the figures of their run.
func AddTo(m *result.Measured, answers []Answer, verdicts []Verdict) {
	for i := range answers {
		m.Queries = append(m.Queries, newQuery(&answers[i]))
	}
	for i := range verdicts {
		v := &verdicts[i]
		a := result.Assertion{Name: AssertionName(v.Assertion), Text: oneLine(v.Assertion.Text),
			Holds: v.IsMet(), Frames: v.Frames, Failed: v.Failed, Unknown: v.Unknown, Tested: v.Tested, Wrong: v.Wrong}
		for j := range v.Failures {
			a.Failures = append(a.Failures, newBreach(&v.Failures[j]))
		}
		m.Assertions = append(m.Assertions, a)
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// some returns a pointer to v; nil for NaN, which JSON cannot represent.
func some(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

func newBreach(f *Failure) result.Breach {
	b := result.Breach{Frame: f.Frame, Start: f.Start, End: f.End, Text: f.String()}
	for _, o := range f.Observed {
		if o.Measurement == nil {
			continue
		}
		x := result.Observed{What: o.Measurement.Name(), Value: some(o.Number), Estimated: o.Estimated,
			Time: some(o.Time)}
		if x.Time != nil {
			index := o.Index
			x.Index = &index
		}
		b.Observed = append(b.Observed, x)
	}
	return b
}

func newQuery(a *Answer) result.Query {
	m := a.Measurement
	q := result.Query{Name: m.Name(), Text: oneLine(m.Text), Type: m.Type.String(), Statistic: m.Statistic.String(),
		Unit: m.Unit(), Target: m.Target.Text,
		Every: a.Every, Bins: m.Params.Bins, Total: newQueryValue(a, &a.Total), Lost: a.Lost}
	if m.Target.Probe != nil {
		q.Target, q.Of, q.Bins, q.Width = m.Target.Probe.Text(), "cycles", a.Bins.N, a.Width
	}
	if m.Target.Packets != nil {
		q.Of = "packets"
	}
	if m.Label == "" {
		q.Name = m.Type.String() + " at " + q.Target
		if m.Statistic != timetrial.Trace {
			q.Name = m.Statistic.String() + " " + q.Name
		}
	}
	var values []float64
	for i := range a.Frames {
		v := newQueryValue(a, &a.Frames[i])
		if v.Value != nil {
			values = append(values, *v.Value)
		}
		q.Frames = append(q.Frames, v)
	}
	if len(q.Frames) < 2 {
		q.Frames = nil
	} else if len(values) > 0 {
		b := result.NewBox(values)
		q.Box = &b
	}
	for _, e := range a.Entries {
		if e.Stops = math.IsNaN(e.Value); e.Stops {
			e.Value = 0
		}
		q.Trace = append(q.Trace, e)
	}
	q.VirtualQueue = newVirtualQueue(a)
	if k := a.Spent; k != nil {
		q.Cycles = k.Cycles(&k.Spent)
		for i := range a.SpentFrames {
			f := &a.SpentFrames[i]
			q.CycleFrames = append(q.CycleFrames, result.CycleFrame{Frame: f.Frame, Start: f.Start,
				End: f.End, Cycles: k.Cycles(&f.Spent)})
		}
		if len(q.CycleFrames) < 2 {
			q.CycleFrames = nil
		}
	}
	return q
}

// newVirtualQueue returns the estimate of a virtual queue; nil if the statement has none.
func newVirtualQueue(a *Answer) *result.VirtualQueue {
	e := a.Estimate
	if e == nil {
		if a.NoEstimate == "" {
			return nil
		}
		return &result.VirtualQueue{Unknown: a.NoEstimate}
	}
	part := func(c *Check) result.SubQueue {
		return result.SubQueue{Measured: c.Measured, Predicted: c.Predicted,
			Distance: c.Distance, Max: c.MaxDistance()}
	}
	v := &result.VirtualQueue{Link: e.Link, Bulk: e.Bulk, Refuted: e.Refuted,
		True:  &result.QueueEstimate{Mean: e.TrueMean, P99: e.TrueP99},
		Ahead: part(&e.Ahead), Behind: part(&e.Behind), GapCorrelation: e.GapCorrelation,
		ServiceCorrelation: e.BusyCorrelation, Utilization: e.Utilization,
		Sharers: e.Shared, Late: e.Late}
	if len(e.Refuted) == 0 {
		v.Estimated = &result.QueueEstimate{Mean: e.Mean, P99: e.P99}
		v.Distance = some(e.Distance)
	}
	return v
}

func newQueryValue(a *Answer, v *Value) result.QueryValue {
	out := result.QueryValue{Frame: v.Frame, Start: some(v.Start), End: some(v.End), Value: some(v.Number),
		Looks: v.Looks.Looks, Held: v.Looks.Held}
	if v.Summary != nil && a.Measurement.Type != timetrial.Rate {
		out.Samples = v.Summary.Distribution(a.Every, a.Bins)
	}
	return out
}
