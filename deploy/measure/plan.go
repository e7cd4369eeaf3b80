package measure

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/deploy/timetrial"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/internal/fault"
)

// Options contains the settings of a plan that do not come from statements.
type Options struct {
	// Every is the sampling interval in elements; 0 selects an interval with low overhead.
	Every uint64
	// Frame is the number of elements in a data frame (§3.3); 0 for time frames.
	Frame uint64
	// Crossing, if set, returns the link that an edge crosses in virtual time; nil for none. If an edge crosses a link,
	// the histogram of its occupancy includes an estimate from both ends.
	Crossing func(edge int) *Crossing
	// Senders, if set, returns the senders of the packets on a link in virtual time.
	Senders PacketSenders
	// FPGAs describes the kernels on FPGAs; nil if there are none.
	FPGAs *FPGAs
}

// Plan contains the taps and conditions that a query needs in a deployment.
type Plan struct {
	query      *timetrial.Query
	program    *xlang.Program
	options    Options
	taps       []program.Tap
	conditions []program.Condition
	probes     []probe         // one for each measurement
	virtual    []*virtualQueue // by measurement; nil for other measurements
	checks     []check         // one for each assertion
	faults     xlang.Diagnostics
}

// maxOutcomes limits the combined outcomes of the frame comparisons in an expression that also compares elements. The
// expression is compiled once for each outcome.
const maxOutcomes = 4

const (
	defaultEntries = 1 << 12 // default number of entries of a trace
	failureEntries = 64      // maximum number of failures of an assertion between two polls
)

// New plans a query. taps contains the taps that the deployment already has. Errors have the type xlang.Diagnostics.
func New(q *timetrial.Query, p *xlang.Program, taps []program.Tap, o Options) (*Plan, error) {
	plan := &Plan{query: q, program: p, options: o, taps: slices.Clone(taps)}
	plan.probes = make([]probe, len(q.Measurements))
	for i, m := range q.Measurements {
		plan.probes[i] = plan.probe(m)
	}
	for _, m := range q.Measurements {
		plan.virtual = append(plan.virtual, plan.virtualQueue(m))
	}
	for _, a := range q.Assertions {
		plan.checks = append(plan.checks, plan.check(a))
	}
	if len(plan.faults) > 0 {
		return nil, plan.faults
	}
	return plan, nil
}

// Taps returns the taps that the program needs.
func (p *Plan) Taps() []program.Tap { return p.taps }

// Conditions returns the conditions that the supervisor samples.
func (p *Plan) Conditions() []program.Condition { return p.conditions }

// NeedsFrames reports whether some statement returns more information with several frames than with a single frame.
func (p *Plan) NeedsFrames() bool {
	for _, x := range p.probes {
		if len(x.frames) > 0 {
			return true
		}
	}
	return len(p.checks) > 0
}

func (p *Plan) fail(id fault.ID, pos xlang.Pos, hint, format string, args ...any) {
	wrong := xlang.Diagnostic{ID: id, Pos: pos, Message: fmt.Sprintf(format, args...), Hint: hint}
	if !slices.ContainsFunc(p.faults, func(x xlang.Diagnostic) bool {
		return x.Pos == pos && x.Message == wrong.Message
	}) {
		p.faults = append(p.faults, wrong)
	}
}

// Points reports whether a statement measures a testpoint. The program counts testpoints only when it records events.
func (p *Plan) Points() bool {
	return slices.ContainsFunc(p.query.Measurements, func(m *timetrial.Measurement) bool {
		return m.Target.Point != ""
	})
}

// pointNumber returns the index of a testpoint among the testpoints of all kernels, as in program.Description.
func (p *Plan) pointNumber(t *timetrial.Target) int {
	n := 0
	for k := range p.program.Kernels {
		for _, x := range p.program.Kernels[k].Testpoints {
			if k == t.Kernel && x.Name == t.Point {
				return n
			}
			n++
		}
	}
	return -1
}

// probe contains the sources of a measurement's values.
type probe struct {
	frames   []*timetrial.Expr // frame comparisons that select a source
	sources  []source          // by outcome; the first comparison is the lowest bit
	boundary int               // tap for rates in data frames; -1 for none
	dataTap  bool              // the taps have data frames
}

// source is the source of a measurement's values for one outcome of the frame comparisons.
type source struct {
	never bool // the condition is never true
	tap   int  // -1 for the counts of the rings
	held  int  // index of the condition that the supervisor samples; -1 for always
	with  int  // index of the condition combined with the measured quantity
}

// dataFrame returns the number of elements in a frame of a measurement.
func (p *Plan) dataFrame(m *timetrial.Measurement) uint64 {
	if m.Params.Frame > 0 {
		return m.Params.Frame
	}
	return p.options.Frame
}

func (p *Plan) probe(m *timetrial.Measurement) probe {
	x := probe{boundary: -1}
	if m.Type == timetrial.States {
		p.refuseStates(m)
		x.sources = []source{{never: true, tap: -1, held: -1, with: -1}}
		return x
	}
	if m.Target.Probe != nil {
		return p.signalProbe(m)
	}
	if m.Target.Packets != nil {
		return p.packetProbe(m)
	}
	if m.Target.Point != "" {
		if m.When != nil || p.dataFrame(m) > 0 {
			p.fail(faults.TestpointWithCondition, m.Pos, "omit the condition, and use time frames (--frame 10ms)",
				"the rate of testpoint %s supports no condition and no frames of elements", m.Target.Text)
		}
		x.sources = []source{{tap: -1, held: -1, with: -1}}
		return x
	}
	frame := p.dataFrame(m)
	x.dataTap = frame > 0 && !m.Type.PerFrame()
	if m.When != nil {
		x.frames = frameComparisons(m.When)
		if len(x.frames) > maxOutcomes && perElement(m.When) {
			p.fail(faults.MixedFrames, m.Pos, fmt.Sprintf("use at most %d values per frame in this "+
				"condition", maxOutcomes),
				"the condition mixes %d values per frame with values per element", len(x.frames))
			return x
		}
	}
	if frame > 0 && !p.checkDataFrame(m, &x) {
		return x
	}
	if frame > 0 && m.Type.PerFrame() {
		p.refuseBoundary(m)
		p.refuseShared(m)
		x.boundary = p.addTap(program.Tap{Kind: program.Boundary, Edge: m.Target.Edges[0], Frame: frame})
		x.sources = []source{{tap: -1, held: -1, with: -1}}
		return x
	}
	if m.When != nil && !perElement(m.When) { // the condition selects complete frames
		x.sources = []source{p.source(m, nil)}
		return x
	}
	p.outcomes(x.frames, func(outcome map[*timetrial.Expr]timetrial.Truth) {
		c := compiler{plan: p, outcome: outcome}
		switch {
		case m.When == nil:
			x.sources = append(x.sources, p.source(m, nil))
		default:
			if !m.Type.PerFrame() {
				c.this = &timetrial.Measurement{Type: m.Type, Target: m.Target}
			}
			part := c.expression(m.When)
			if part.constant() && part.truth != timetrial.True {
				x.sources = append(x.sources, source{never: true})
				return
			}
			x.sources = append(x.sources, p.source(m, part.steps))
		}
	})
	return x
}

// checkDataFrame rejects measurements that frames of elements do not support. It returns false if it rejects one.
func (p *Plan) checkDataFrame(m *timetrial.Measurement, x *probe) bool {
	const hint = "use time frames, as in --frame 10ms"
	switch {
	case m.Type == timetrial.Util:
		p.fail(faults.UtilInElementFrames, m.Pos, hint, "cannot measure util at %s in frames of elements",
			m.Target.Text)
	case len(x.frames) > 0:
		p.fail(faults.NeedsFrames, m.Pos, hint, "the condition uses values per frame, which need time frames")
	case m.Type.PerFrame() && m.When != nil:
		p.fail(faults.ConditionInElementFrames, m.Pos, hint, "cannot measure %s at %s in frames of "+
			"elements under a condition", m.Type, m.Target.Text)
	default:
		return true
	}
	return false
}

// outcomes calls f for every combined outcome of the comparisons.
func (p *Plan) outcomes(list []*timetrial.Expr, f func(map[*timetrial.Expr]timetrial.Truth)) {
	for bits := range 1 << len(list) {
		outcome := make(map[*timetrial.Expr]timetrial.Truth)
		for i, e := range list {
			outcome[e] = timetrial.TruthOf(bits>>i&1 == 1)
		}
		f(outcome)
	}
}

// source plans the source of a measurement's values under a condition. when is nil if there is no condition.
func (p *Plan) source(m *timetrial.Measurement, when program.Condition) source {
	s := source{tap: -1, held: -1, with: -1}
	edge := m.Target.Edges[0]
	if m.Type.PerFrame() {
		if when == nil {
			return s
		}
		p.refuseFrame(m, when)
		s.held = p.addCondition(when)
		also := func(step program.Step) int {
			return p.addCondition(append(slices.Clone(when), step, program.Step{Op: program.And}))
		}
		switch m.Type {
		case timetrial.Util:
			s.with = also(program.Step{Op: program.Running, Object: p.program.Edges[edge].To})
		case timetrial.Backpressure:
			s.with = also(program.Step{Op: program.Waiting, Object: edge})
		case timetrial.Rate:
			p.refuseShared(m)
			kind := program.Sent
			if m.Target.Reader {
				kind = program.Consumed
			}
			s.tap = p.addTap(program.Tap{Kind: kind, Edge: edge, Every: p.every(m), When: when})
		}
		return s
	}
	t := p.quantity(m)
	t.When = when
	p.collect(m, &t)
	if p.refuse(m, &t) {
		return s
	}
	s.tap = p.addTap(t)
	return s
}

// collect requests the bins of a histogram, or the log of a trace, from a tap.
func (p *Plan) collect(m *timetrial.Measurement, t *program.Tap) {
	switch {
	case m.Statistic == timetrial.Hist:
		t.Histogram = &program.Bins{Low: m.Params.Low, Width: m.Params.Width, N: m.Params.Bins}
	case m.Statistic != timetrial.Trace || m.Type.PerFrame():
	case m.Params.Entries > 0:
		t.Trace = m.Params.Entries
	default:
		t.Trace = defaultEntries
	}
}

func (p *Plan) every(m *timetrial.Measurement) uint64 {
	if m.Target.Probe != nil {
		return 1 // sample every cycle
	}
	if m.Params.Every > 0 {
		return m.Params.Every
	}
	if m.Target.Packets != nil {
		return 1 // sample every packet
	}
	return p.options.Every
}

// quantity returns the unconditional tap for a quantity with a value for each element.
func (p *Plan) quantity(m *timetrial.Measurement) program.Tap {
	if m.Target.Probe != nil {
		return program.Tap{Kind: program.Probed, Kernel: m.Target.Kernel, Every: 1, Probe: m.Target.Probe}
	}
	t := program.Tap{Edge: m.Target.Edges[0], Every: p.every(m), Frame: p.dataFrame(m)}
	switch m.Type {
	case timetrial.Occupancy:
		t.Kind = program.Occupancy
	case timetrial.Latency:
		t.Kind = program.Latency
		if len(m.Target.Edges) > 1 {
			t.Path = m.Target.Edges
		}
	case timetrial.Value:
		t.Kind = program.Value
	}
	return t
}

// instanceTap returns the index of the tap whose latest value represents a measurement in conditions.
func (p *Plan) instanceTap(m *timetrial.Measurement) int {
	if m.When != nil {
		for i, x := range p.query.Measurements {
			if x == m && len(p.probes[i].sources) == 1 && p.probes[i].sources[0].tap >= 0 {
				return p.probes[i].sources[0].tap
			}
		}
		p.fail(faults.NestedCondition, m.Pos, "use a measurement without a condition", "%s has a condition, "+
			"and therefore cannot be part of another condition", m.Name())
		return 0
	}
	t := p.quantity(m)
	if p.refuse(m, &t) {
		return 0
	}
	return p.addTap(t)
}

// addTap returns the index of a tap. It adds the tap if there is no equal one.
func (p *Plan) addTap(t program.Tap) int {
	return addOnce(&p.taps, t, func(x, y program.Tap) bool { return reflect.DeepEqual(x, y) })
}

func (p *Plan) addCondition(c program.Condition) int {
	return addOnce(&p.conditions, c, slices.Equal[program.Condition])
}

// addOnce returns the index of an element in a list. It appends the element if there is no equal one.
func addOnce[T any](list *[]T, x T, equal func(x, y T) bool) int {
	for i := range *list {
		if equal((*list)[i], x) {
			return i
		}
	}
	*list = append(*list, x)
	return len(*list) - 1
}

// check is the plan for testing an assertion.
type check struct {
	frames []*timetrial.Expr
	// elements reports that the assertion compares elements. Each variant then counts the failures for one outcome of
	// the frame comparisons.
	elements bool
	variants []variant
}

// variant counts the failures of an assertion for one outcome of its frame comparisons.
type variant struct {
	constant bool
	truth    timetrial.Truth // value of a constant variant
	failed   []int           // taps that sample the failures
	tested   []int           // taps that sample all tested elements
	looked   int             // the failure condition that the supervisor samples; -1 for none
}

func (p *Plan) check(a *timetrial.Assertion) check {
	c := check{frames: frameComparisons(a.Condition), elements: perElement(a.Condition)}
	if p.options.Frame > 0 && len(c.frames) > 0 {
		p.fail(faults.NeedsFrames, a.Pos, "use time frames, as in --frame 10ms", "the assertion uses values per "+
			"frame, which need time frames")
		return c
	}
	for _, f := range c.frames {
		for _, o := range []timetrial.Operand{f.Left, f.Right} {
			if o.Measurement != nil && p.dataFrame(o.Measurement) > 0 {
				p.fail(faults.AssertionInElementFrames, a.Pos, "measure "+o.Measurement.Name()+" without frame=…",
					"the assertion needs time frames, but %s has frames of elements", o.Measurement.Name())
				return c
			}
		}
	}
	if !c.elements {
		return c
	}
	if len(c.frames) > maxOutcomes {
		p.fail(faults.MixedFrames, a.Pos, fmt.Sprintf("use at most %d values per frame, or split the assertion",
			maxOutcomes), "the assertion mixes %d values per frame with values per element", len(c.frames))
		return c
	}
	p.outcomes(c.frames, func(outcome map[*timetrial.Expr]timetrial.Truth) {
		c.variants = append(c.variants, p.variant(a, outcome))
	})
	return c
}

// variant plans an assertion for one outcome of its frame comparisons. Each quantity with a value for each element is
// tested at its samples. The test uses the latest values of the other quantities.
func (p *Plan) variant(a *timetrial.Assertion, outcome map[*timetrial.Expr]timetrial.Truth) variant {
	c := compiler{plan: p, outcome: outcome}
	all := c.expression(a.Condition)
	if all.constant() {
		return variant{constant: true, truth: all.truth, looked: -1}
	}
	v := variant{looked: -1}
	var done []*timetrial.Measurement
	for _, e := range a.Condition.Comparisons(nil) {
		if e.PerFrame() || e.Op == timetrial.Waiting {
			continue
		}
		for _, o := range []timetrial.Operand{e.Left, e.Right} {
			m := o.Measurement
			if m == nil || slices.ContainsFunc(done, func(x *timetrial.Measurement) bool { return same(x, m) }) {
				continue
			}
			done = append(done, m)
			c.this = m
			if p.refuseShared(m) {
				return v
			}
			t := p.quantity(m)
			v.tested = append(v.tested, p.addTap(t))
			t.When = append(c.expression(a.Condition).steps, program.Step{Op: program.Not})
			t.Trace = failureEntries
			if f := p.options.FPGAs; f != nil && (f.writes(t.Edges()[0]) || f.reads(t.Edges()[0])) && p.refuse(m, &t) {
				return v
			}
			v.failed = append(v.failed, p.addTap(t))
		}
	}
	if len(done) == 0 { // the assertion only tests whether writers wait
		p.refuseWaiting(a.Pos, all.steps, "assert backpressure at %s < 0.1")
		v.looked = p.addCondition(append(all.steps, program.Step{Op: program.Not}))
	}
	return v
}

// Limits of a signal measurement's log: its default number of changes, and the maximum number of unread changes in
// shared memory.
const (
	defaultChanges = 10_000
	changesAtOnce  = 1 << 14
)

// signalProbe plans a measurement that samples signals in every cycle.
func (p *Plan) signalProbe(m *timetrial.Measurement) probe {
	x := probe{boundary: -1}
	for _, s := range m.Target.Probe.Signals() {
		if name := p.program.Kernels[s.Kernel].Name; !p.options.FPGAs.has(s.Kernel) {
			p.fail(faults.SignalsOnCore, s.Expr.Pos, "instead: measure util or value at an edge of "+name,
				"cannot measure signals at %s: the mapping places %s on a core, but only kernels on FPGAs have "+
					"signals", s.Text, name)
		}
	}
	if p.options.Frame > 0 {
		p.refuseElementFrames(m.Pos, "signals at "+m.Target.Text)
	}
	t := p.quantity(m)
	switch {
	case m.Type == timetrial.Util:
	case m.Statistic == timetrial.Hist:
		t.Histogram = &program.Bins{Low: m.Params.Low, Width: m.Params.Width, N: m.Params.Bins}
	case m.Statistic == timetrial.Trace:
		t.Max = defaultChanges
		if n := m.Params.Entries; n > 0 {
			t.Max, t.Ring = uint64(n), n
		}
		t.Trace = int(min(t.Max, changesAtOnce))
	}
	x.sources = []source{{tap: p.addTap(t), held: -1, with: -1}}
	return x
}

// Crossings returns a function for Options.Crossing. The function returns the link that an edge crosses in virtual
// time.
func Crossings(d *design.Design) (func(edge int) *Crossing, error) {
	network, err := flow.NewNetwork(d.Problem, d.Mapping)
	if err != nil {
		return nil, faults.ImpossibleMapping.Errorf("the mapping is not possible: %w", err)
	}
	sharers := make([]int, len(d.Problem.Architecture.Links))
	for _, route := range network.Mapping.Route {
		for _, l := range route {
			sharers[l]++
		}
	}
	return func(e int) *Crossing {
		route := network.Mapping.Route[e]
		if len(route) == 0 {
			return nil
		}
		edge := &d.Problem.Application.Edges[e]
		link := &d.Problem.Architecture.Links[route[0]]
		c := crossing(link, edge.ElementBytes)
		c.WriterOnFPGA = design.IsFPGA(d.Program, d.Mapping.Place[edge.From])
		c.ReaderOnFPGA = design.IsFPGA(d.Program, d.Mapping.Place[edge.To])
		switch {
		case len(route) > 1:
			c.Unknown = fmt.Sprintf("the edge crosses %d links, but the model supports only one link", len(route))
		case sharers[route[0]] > 1 && math.IsInf(link.Bandwidth, 1) && link.Sharing.TransferCost == 0:
		case sharers[route[0]] > 1:
			c.Shared = sharers[route[0]]
		}
		return &c
	}, nil
}

// crossing returns the parameters of element transfers over a link.
func crossing(link *flow.Link, elementBytes float64) Crossing {
	c := Crossing{Link: link.Name, Latency: link.Latency, Jitter: link.Jitter, Flush: link.Flush}
	if link.Sharing.TransferBytes == 0 && link.Sharing.TransferCost == 0 {
		return c // the link moves any number of elements
	}
	bulk := link.BulkElements(elementBytes)
	c.Bulk, c.Setup = int(bulk), link.Sharing.TransferCost
	c.Transfer = c.Setup
	if link.Bandwidth > 0 {
		c.Transfer += bulk * elementBytes / link.Bandwidth
	}
	if size := link.Sharing.TransferBytes; size > 0 && elementBytes > size { // an element needs several transfers
		more := link.Sharing.TransferCost * (math.Ceil(elementBytes/size) - 1)
		c.Setup, c.Transfer = c.Setup+more, c.Transfer+more
	}
	return c
}
