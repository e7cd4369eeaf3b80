package record

import (
	"math"
	"strings"

	"xopt/deploy/measure"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/timetrial"
	"xopt/mapper/result"
)

// Queries puts in what statements have measured.
func Queries(m *result.Measured, answers []measure.Answer, verdicts []measure.Verdict) {
	for i := range answers {
		m.Queries = append(m.Queries, newQuery(&answers[i]))
	}
	for i := range verdicts {
		v := &verdicts[i]
		a := result.Assertion{Name: measure.AssertionName(v.Assertion), Text: oneLine(v.Assertion.Text),
			Holds:  v.Holds(),
			Frames: v.Frames, Failed: v.Failed, Unknown: v.Unknown,
			Tested: result.Number(v.Tested), Wrong: result.Number(v.Wrong)}
		for j := range v.Failures {
			a.Failures = append(a.Failures, newBreach(&v.Failures[j]))
		}
		m.Assertions = append(m.Assertions, a)
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// some is nil for NaN, which JSON does not have.
func some(v float64) *result.Number {
	if math.IsNaN(v) {
		return nil
	}
	n := result.Number(v)
	return &n
}

func newBreach(f *measure.Failure) result.Breach {
	b := result.Breach{Frame: f.Frame, Start: result.Number(f.Start), End: result.Number(f.End), Text: f.String()}
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

func newQuery(a *measure.Answer) result.Query {
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
			values = append(values, float64(*v.Value))
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
		x := result.Logged{Index: e.Index, Time: result.Number(e.Time), Value: result.Number(e.Value)}
		if x.Stops = math.IsNaN(e.Value); x.Stops {
			x.Value = 0
		}
		q.Trace = append(q.Trace, x)
	}
	q.VirtualQueue = newVirtualQueue(a)
	if k := a.Spent; k != nil {
		q.Cycles = toldOf(k, &k.Spent)
		for i := range a.SpentFrames {
			f := &a.SpentFrames[i]
			q.CycleFrames = append(q.CycleFrames, result.CycleFrame{Frame: f.Frame, Start: result.Number(f.Start),
				End: result.Number(f.End), Cycles: toldOf(k, &f.Spent)})
		}
		if len(q.CycleFrames) < 2 {
			q.CycleFrames = nil
		}
	}
	return q
}

// newVirtualQueue is the estimate of a virtual queue; nil where none belongs to the statement.
func newVirtualQueue(a *measure.Answer) *result.VirtualQueue {
	e := a.Estimate
	if e == nil {
		if a.NoEstimate == "" {
			return nil
		}
		return &result.VirtualQueue{Unknown: a.NoEstimate}
	}
	part := func(c *measure.Check) result.SubQueue {
		return result.SubQueue{Measured: result.Number(c.Measured), Predicted: result.Number(c.Predicted),
			Distance: result.Number(c.Distance), Most: result.Number(c.Most())}
	}
	v := &result.VirtualQueue{Link: e.Link, Bulk: e.Bulk, Refuted: e.Refuted,
		True:  &result.QueueEstimate{Mean: result.Number(e.TrueMean), P99: result.Number(e.TrueP99)},
		Ahead: part(&e.Ahead), Behind: part(&e.Behind), GapCorrelation: result.Number(e.GapCorrelation),
		ServiceCorrelation: result.Number(e.BusyCorrelation), Utilization: result.Number(e.Utilization),
		Sharers: e.Shared, Late: result.Number(e.Late)}
	if len(e.Refuted) == 0 {
		v.Estimated = &result.QueueEstimate{Mean: result.Number(e.Mean), P99: result.Number(e.P99)}
		v.Distance = some(e.Distance)
	}
	return v
}

func newQueryValue(a *measure.Answer, v *measure.Value) result.QueryValue {
	out := result.QueryValue{Frame: v.Frame, Start: some(v.Start), End: some(v.End), Value: some(v.Number),
		Looks: v.Looks.Looks, Held: v.Looks.Held}
	if v.Summary != nil && a.Measurement.Type != timetrial.Rate {
		out.Samples = newDistribution(&run.TapMeasurement{Tap: program.Tap{Every: a.Every}, Bins: a.Bins}, v.Summary)
	}
	return out
}
