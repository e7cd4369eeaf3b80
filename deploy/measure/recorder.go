package measure

import (
	"math"
	"slices"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/timetrial"
	"xopt/hdl/rtl"
	"xopt/mapper/result"
)

// Value is a measurement in one frame or in the entire run.
type Value struct {
	Frame      uint64
	Start, End float64 // seconds since the start of the run; NaN for a data frame with unknown times
	// Number is the value; for a histogram, the mean. It is NaN if no element and no sample met the condition.
	Number float64
	// Summary contains the statistics of the samples; nil for rates of all elements.
	Summary   *run.Summary
	Estimated bool       // the value is an estimate
	Looks     run.Looked // counts of the supervisor's polls of the condition
}

// Answer is the result of a measure statement.
type Answer struct {
	Measurement *timetrial.Measurement
	Every       uint64        // sampling interval in elements; 0 for about one sample in 300 us
	Bins        program.Scale // bins of the histograms
	Width       int           // width of signals in bits
	Frames      []Value
	Total       Value
	Entries     []result.Logged  // entries of a trace
	Spent       *run.KernelSpent // cycles by state; nil for other measurements
	SpentFrames []SpentFrame     // cycles by state in each frame
	Lost        uint64           // values and frames that were dropped
	// Estimate is the estimated histogram of a virtual queue, from observations at its two ends. If there is no
	// estimate, NoEstimate is the reason.
	Estimate   *Estimate
	NoEstimate string
}

// SpentFrame counts the cycles of a kernel on an FPGA by state in a frame.
type SpentFrame struct {
	Frame      uint64
	Start, End float64 // seconds since the start of the run
	rtl.Spent
}

// Failure is a frame in which an assertion was false.
type Failure struct {
	Assertion  *timetrial.Assertion
	Frame      uint64
	Start, End float64 // seconds since the start of the run
	Observed   []Observation
	Failed     float64 // elements or polls that failed; 0 for an assertion about frames
	Tested     float64
}

// Observation is a value that contributed to a failure.
type Observation struct {
	Measurement *timetrial.Measurement
	Number      float64
	Index       uint64  // number of the element on its edge
	Time        float64 // seconds since the start of the run; NaN for a frame's value
	Estimated   bool    // the value is an estimate
}

// Verdict is the result of an assert statement.
type Verdict struct {
	Assertion *timetrial.Assertion
	Frames    uint64 // number of decided frames
	Failed    uint64 // number of decided frames in which the assertion was false
	Unknown   uint64 // number of undecided frames
	// Tested and Wrong count elements or polls; 0 for an assertion about frames.
	Tested, Wrong float64
	Failures      []Failure // the first failures
}

// IsMet reports whether the assertion never failed.
func (v *Verdict) IsMet() bool { return v.Failed == 0 }

// Limits of the data stored for each statement.
const (
	maxFrames   = 1 << 16
	maxEntries  = 1 << 20
	maxFailures = 20
)

// Recorder assembles the answers from the frames of a run.
type Recorder struct {
	// Exchange is the interval in s between data exchanges with simulated FPGAs, used by Estimate.
	Exchange float64

	plan     *Plan
	onFail   func(*Failure)
	answers  []Answer
	verdicts []Verdict
	sums     []sums
	now      []Value // values in the current frame, by measurement
	virtual  []*virtualQueue
}

// sums contains the sums for the total of a rate.
type sums struct {
	elements, seconds float64
	looks             run.Looked
	last              result.Logged // the last boundary
	boundaries        uint64
}

// NewRecorder returns a recorder. onFail, if set, is called during the run for every frame in which an
// assertion fails.
func (p *Plan) NewRecorder(onFail func(*Failure)) *Recorder {
	r := &Recorder{plan: p, onFail: onFail, now: make([]Value, len(p.query.Measurements)),
		sums: make([]sums, len(p.query.Measurements)), virtual: p.virtual}
	for i, m := range p.query.Measurements {
		r.answers = append(r.answers, Answer{Measurement: m, Every: p.every(m), Total: Value{Number: math.NaN()}})
		if m.Sampled() {
			r.answers[i].Total.Summary = &run.Summary{}
		}
	}
	for _, a := range p.query.Assertions {
		r.verdicts = append(r.verdicts, Verdict{Assertion: a})
	}
	return r
}

// OnFrame adds the data of a frame.
func (r *Recorder) OnFrame(f *run.FrameData) {
	// Compute unconditional measurements without a label first: they depend on no other measurements.
	order := make([]int, 0, len(r.now))
	for i, m := range r.plan.query.Measurements {
		if m.Label == "" && m.When == nil {
			order = append(order, i)
		}
	}
	for i, m := range r.plan.query.Measurements {
		if m.Label != "" || m.When != nil {
			order = append(order, i)
		}
	}
	for _, i := range order {
		r.frame(i, f)
	}
	for i, v := range r.virtual {
		if v != nil {
			v.addFrame(r.plan.query.Measurements[i].Target.Edges[0], f)
		}
	}
	for i := range r.verdicts {
		r.judge(i, f)
	}
}

// compare evaluates a comparison of frames.
func (r *Recorder) compare(e *timetrial.Expr) timetrial.Truth {
	value := func(o timetrial.Operand) float64 {
		if o.Measurement == nil {
			return o.Number
		}
		for i, m := range r.plan.query.Measurements {
			if m == o.Measurement {
				return r.now[i].Number
			}
		}
		return math.NaN()
	}
	return e.Compare(value(e.Left), value(e.Right))
}

// outcome returns the index of the variant of an expression that the frame comparisons select. It returns false if a
// comparison is unknown.
func (r *Recorder) outcome(list []*timetrial.Expr) (bits int, isKnown bool) {
	for i, e := range list {
		switch r.compare(e) {
		case timetrial.True:
			bits |= 1 << i
		case timetrial.Unknown:
			return 0, false
		}
	}
	return bits, true
}

// frame computes one measurement for a frame.
func (r *Recorder) frame(i int, f *run.FrameData) {
	m, p := r.plan.query.Measurements[i], &r.plan.probes[i]
	v := Value{Frame: f.Frame, Start: f.Start, End: f.End, Number: math.NaN()}
	r.now[i] = v
	switch {
	case m.Type == timetrial.States:
		r.states(i, f)
		return
	case p.boundary >= 0:
		r.boundaries(i, f)
		return
	case p.dataTap:
		r.dataFrames(i, f)
		return
	}
	s := p.sources[0]
	if m.When != nil {
		if !perElement(m.When) {
			if m.When.Evaluate(r.compare) != timetrial.True {
				r.keep(i, v)
				return
			}
		} else {
			bits, isKnown := r.outcome(p.frames)
			if !isKnown {
				r.keep(i, v)
				return
			}
			s = p.sources[bits]
		}
	}
	switch {
	case s.never:
	case !m.Sampled():
		v = r.rate(i, s, f, v)
	default:
		r.addFrame(i, s.tap, f)
		x := f.Taps[s.tap].Summary
		v.Summary = &x
		v.Number = statistic(m.Statistic, &x)
		r.answers[i].Total.Summary.Add(&x)
	}
	r.keep(i, v)
	r.now[i] = v
}

// rate computes a quantity that has one value per frame.
func (r *Recorder) rate(i int, s source, f *run.FrameData, v Value) Value {
	m, sum := r.plan.query.Measurements[i], &r.sums[i]
	edge, point := -1, -1
	if m.Target.Point != "" {
		point = r.plan.pointNumber(&m.Target)
	} else if m.Target.Packets == nil {
		edge = m.Target.Edges[0]
	}
	length := f.End - f.Start
	part := 1.0 // part of the frame in which the condition was true
	if s.held >= 0 {
		v.Looks = f.Conditions[s.held]
		part = float64(v.Looks.Held) / float64(v.Looks.Looks)
		sum.looks.Looks += v.Looks.Looks
		sum.looks.Held += v.Looks.Held
		sum.looks.Unknown += v.Looks.Unknown
	}
	seconds := length * part
	if !(seconds > 0) {
		return v
	}
	amount := 0.0
	switch {
	case s.with >= 0:
		amount = length * float64(f.Conditions[s.with].Held) / float64(v.Looks.Looks)
	case s.tap >= 0:
		x := f.Taps[s.tap].Summary
		v.Summary = &x
		amount = x.Weight
	case point >= 0 && point < len(f.Points):
		amount = float64(f.Points[point])
	case edge < 0: // the program counts no testpoints
		return v
	case m.Type == timetrial.Util:
		x := &f.Kernels[r.plan.program.Edges[edge].To]
		amount, v.Estimated = x.Worked, x.Estimated
	case m.Type == timetrial.Backpressure:
		amount = f.Edges[edge].Blocked
	case m.Target.Reader, r.plan.program.Edges[edge].Shared: // only the elements of this copy
		amount = float64(f.Edges[edge].Consumed)
	default:
		amount = float64(f.Edges[edge].Sent)
	}
	sum.elements += amount
	sum.seconds += seconds
	v.Number = amount / seconds
	return v
}

// statistic returns the value of a statistic; for a trace or a histogram, the mean.
func statistic(s timetrial.Statistic, x *run.Summary) float64 {
	if x.Samples == 0 {
		return math.NaN()
	}
	switch s {
	case timetrial.Min:
		return x.Min
	case timetrial.Max:
		return x.Max
	case timetrial.Sum:
		return x.Sum
	}
	return x.Mean()
}

// keep adds a frame to an answer.
func (r *Recorder) keep(i int, v Value) {
	a := &r.answers[i]
	if len(a.Frames) >= maxFrames {
		a.Lost++
		return
	}
	if v.Summary != nil && a.Measurement.Statistic != timetrial.Hist {
		x := *v.Summary
		x.Histogram = nil
		v.Summary = &x
	}
	a.Frames = append(a.Frames, v)
}

// states adds the cycles of a kernel by state.
func (r *Recorder) states(i int, f *run.FrameData) {
	a := &r.answers[i]
	for _, s := range f.Spent {
		if s.Kernel != a.Measurement.Target.Kernel {
			continue
		}
		if len(a.SpentFrames) >= maxFrames {
			a.Lost++
			return
		}
		a.SpentFrames = append(a.SpentFrames, SpentFrame{f.Frame, f.Start, f.End, s.Spent})
	}
}

// addFrame adds the log of a tap to an answer.
func (r *Recorder) addFrame(i, tap int, f *run.FrameData) {
	a := &r.answers[i]
	if a.Measurement.Statistic != timetrial.Trace || a.Measurement.Type == timetrial.Util {
		return
	}
	log := f.Logs[tap]
	if n := a.Measurement.Params.Entries; n > 0 { // the limit is reached
		log = log[:min(len(log), max(n-len(a.Entries), 0))]
	}
	if room := maxEntries - len(a.Entries); len(log) > room {
		a.Lost += uint64(len(log) - room)
		log = log[:room]
	}
	a.Entries = append(a.Entries, log...)
}

// dataFrames adds the completed frames of elements.
func (r *Recorder) dataFrames(i int, f *run.FrameData) {
	m, s := r.plan.query.Measurements[i], r.plan.probes[i].sources[0]
	if s.never {
		return
	}
	r.addFrame(i, s.tap, f)
	for _, d := range f.Data[s.tap] {
		x := d.Summary
		r.answers[i].Total.Summary.Add(&x)
		r.keep(i, Value{Frame: d.Frame, Start: math.NaN(), End: math.NaN(), Number: statistic(m.Statistic, &x),
			Summary: &x})
	}
}

// boundaries adds the starts of frames of elements. A rate is the number of elements in a frame divided by the time
// between two starts.
func (r *Recorder) boundaries(i int, f *run.FrameData) {
	m, p, sum := r.plan.query.Measurements[i], &r.plan.probes[i], &r.sums[i]
	elements := float64(r.plan.dataFrame(m))
	for _, b := range f.Logs[p.boundary] {
		if sum.boundaries > 0 && b.Time > sum.last.Time && float64(b.Index-sum.last.Index) == elements {
			v := Value{Frame: sum.boundaries - 1, Start: sum.last.Time, End: b.Time}
			seconds, amount := b.Time-sum.last.Time, elements
			if m.Type == timetrial.Backpressure {
				amount = b.Value - sum.last.Value
			}
			v.Number = amount / seconds
			sum.elements += amount
			sum.seconds += seconds
			r.keep(i, v)
		}
		sum.last = b
		sum.boundaries++
	}
}

// judge tests one assertion in a frame.
func (r *Recorder) judge(i int, f *run.FrameData) {
	c, v := &r.plan.checks[i], &r.verdicts[i]
	a := v.Assertion
	failure := Failure{Assertion: a, Frame: f.Frame, Start: f.Start, End: f.End}
	truth := timetrial.Unknown
	if !c.elements {
		truth = a.Condition.Evaluate(r.compare)
	} else if bits, isKnown := r.outcome(c.frames); isKnown {
		truth = r.judgeElements(&c.variants[bits], f, &failure)
		v.Tested += failure.Tested
		v.Wrong += failure.Failed
	}
	switch truth {
	case timetrial.Unknown:
		v.Unknown++
		return
	case timetrial.True:
		v.Frames++
		return
	}
	v.Frames++
	v.Failed++
	for _, e := range c.frames {
		for _, o := range []timetrial.Operand{e.Left, e.Right} {
			for j, m := range r.plan.query.Measurements {
				if m == o.Measurement {
					failure.Observed = append(failure.Observed, Observation{Measurement: m, Number: r.now[j].Number,
						Estimated: r.now[j].Estimated, Time: math.NaN()})
				}
			}
		}
	}
	if len(v.Failures) < maxFailures {
		v.Failures = append(v.Failures, failure)
	}
	if r.onFail != nil {
		r.onFail(&failure)
	}
}

// judgeElements counts the failed samples or polls of a frame.
func (r *Recorder) judgeElements(x *variant, f *run.FrameData, failure *Failure) timetrial.Truth {
	switch {
	case x.constant:
		return x.truth
	case x.looked >= 0:
		l := f.Conditions[x.looked]
		failure.Failed, failure.Tested = float64(l.Held), float64(l.Looks-l.Unknown)
	}
	for j, tap := range x.failed {
		failed := f.Taps[tap].Summary
		failure.Failed += failed.Weight
		failure.Tested += f.Taps[x.tested[j]].Weight
		if failed.Samples == 0 {
			continue
		}
		o := Observation{Measurement: r.measured(tap), Number: failed.Max, Time: math.NaN()}
		if log := f.Logs[tap]; len(log) > 0 {
			o.Number, o.Index, o.Time = log[0].Value, log[0].Index, log[0].Time
		}
		failure.Observed = append(failure.Observed, o)
	}
	switch {
	case failure.Tested == 0:
		return timetrial.Unknown
	case failure.Failed > 0:
		return timetrial.False
	}
	return timetrial.True
}

// measured returns the measurement that a tap of an assertion represents.
func (r *Recorder) measured(tap int) *timetrial.Measurement {
	t := r.plan.taps[tap]
	for _, m := range r.plan.query.Measurements {
		if m.Target.Probe != nil || m.Target.Packets != nil || m.Type.PerFrame() {
			continue
		}
		if q := r.plan.quantity(m); q.Kind == t.Kind && q.Edge == t.Edge &&
			len(q.Path) == len(t.Path) {
			return m
		}
	}
	return nil
}

// Finish returns the answers to the statements and the verdicts of the assertions.
func (r *Recorder) Finish(m *run.Measurement) ([]Answer, []Verdict) {
	var answers []Answer
	for i := range r.answers {
		a, p := &r.answers[i], &r.plan.probes[i]
		if i >= len(r.plan.query.Measurements)-r.plan.query.Unlabelled {
			break
		}
		sum := &r.sums[i]
		a.Total.End = m.Seconds
		if j := slices.IndexFunc(m.Spent, func(s run.KernelSpent) bool {
			return s.Kernel == a.Measurement.Target.Kernel
		}); a.Measurement.Type == timetrial.States && j >= 0 {
			a.Spent = &m.Spent[j]
		}
		a.Total.Looks = sum.looks
		if !a.Measurement.Sampled() {
			if sum.seconds > 0 {
				a.Total.Number = sum.elements / sum.seconds
			}
		} else {
			a.Total.Number = statistic(a.Measurement.Statistic, a.Total.Summary)
		}
		for _, s := range p.sources {
			if !s.never && s.tap >= 0 {
				a.Bins, a.Every = m.Taps[s.tap].Bins, m.Taps[s.tap].Every
				if p := m.Taps[s.tap].Probe; p != nil {
					a.Width = p.Width
				}
				if n := a.Measurement.Params.Entries; a.Measurement.Statistic == timetrial.Trace &&
					(n == 0 || len(a.Entries) < n) {
					a.Lost += m.Taps[s.tap].Lost
				}
				if p.dataTap {
					a.Lost += m.Taps[s.tap].Missed
				}
			}
		}
		answers = append(answers, *a)
	}
	return answers, r.verdicts
}
