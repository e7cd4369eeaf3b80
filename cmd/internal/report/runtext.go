package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"xopt/cmd/faults"
	runfaults "xopt/deploy/faults"
	"xopt/flow/machine"
	"xopt/internal/units"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// runTime adds the duration and the kind of a run.
func (p *script) runTime(m *result.Measured) {
	length, here := units.Time(m.Seconds), units.Time(m.WallSeconds)
	switch {
	case m.Board != "":
		p.lead("Run time", "%s by the board's clock, %s by the clock of this machine", length, here)
		p.lead("Board", "%s", m.Board)
	case m.Simulated != "":
		p.lead("Run time", "%s of virtual time, simulated in %s here", length, here)
		p.lead("Simulation", "%s: kernels on cores run natively, kernels on FPGAs in RTL simulation; links are "+
			"modelled as servers",
			m.Simulated)
	default:
		p.lead("Run time", "%s", length)
	}
}

// measured adds the measurements of a run.
func (p *script) measured(r *result.Result) {
	m, predicted := r.Measured, r.Prediction
	p.runHead(m)
	if predicted != nil {
		p.predicted(predicted, m)
	}
	p.runLimits(r)
	if b := m.Buffers; b != nil {
		value, note := buffersText(b)
		p.lead("Buffers", "%s %s", value, note)
		for i, s := range grownStatements(r) {
			if i == 0 {
				p.lead("", "statements for the next run, with the final buffer sizes:")
			}
			p.lead("", "%s", s)
		}
	}
	p.lead("Machine", "%s; times by %s", machineAndCompiler(&m.Machine), clockName(&m.Clock))
	if len(m.Processes) > 0 {
		p.lead("Processes", "%s", processes(m))
	}
	if predicted != nil {
		p.show(runBesideOf(predicted, m))
	}
	p.parts = append(p.parts, runTables(m, predicted)...)
}

// runLimits adds the bottleneck of a run, its assertions, the next steps and its duration.
func (p *script) runLimits(r *result.Result) {
	m := r.Measured
	if names, note := runBottleneck(m, r.Prediction); names != "" {
		p.lead("Bottleneck", "%s, %s", names, note)
	}
	if value, note := asserted(m); value != "" {
		p.lead("Assertions", "%s: %s", value, note)
	}
	// The warnings and runHead contain the other findings.
	p.toDo(r, faults.RunDisturbed, runfaults.RunStalled, runfaults.LongRamp)
	p.runTime(m)
}

// runHead adds the throughput of a run, and how it ended or was disturbed.
func (p *script) runHead(m *result.Measured) {
	partial := ""
	if m.Partial != "" {
		partial = "; partial, because the run did not end by itself"
	}
	if m.Faulted() {
		p.lead("Fault", "%s", faultWords(m))
	}
	out, in, reported := m.Rates()
	when := ""
	if reported {
		when = steadyWords(m)
	} else {
		p.lead("Throughput", "%s: %s", noRateReason(m), shortWords(m))
	}
	if reported || !m.Faulted() { // after a fault, the rates are meaningless
		p.lead(map[bool]string{true: "Throughput", false: "Moved"}[reported],
			"%s out of the sources, %s into the sinks (%s in one run%s%s)", units.Rate(out), units.Rate(in), how(m),
			when, partial)
	}
	if m.Disturbed != "" && !m.Faulted() && (reported || !m.Uneven()) { // otherwise the first line reports it
		p.lead("Disturbed", "%s: "+quietRun, m.Disturbed)
	}
}

// faultWords describes the fault that ended a run.
func faultWords(m *result.Measured) string {
	why := cmp.Or(firstLine(m.Partial), m.Fault)
	if m.FaultOf == "" {
		return why
	}
	if !strings.Contains(why, m.FaultOf) {
		why = m.FaultOf + ": " + why
	}
	return why + "; correct " + m.FaultOf + ", then run again"
}

// ofKernel names the kernel of the fault that ended a run; "" if it is unknown.
func ofKernel(m *result.Measured) string {
	if m.FaultOf == "" {
		return ""
	}
	return " of " + m.FaultOf
}

// processes lists the first processes and their cores.
func processes(m *result.Measured) string {
	const maximum = 8
	var on []string
	for _, p := range m.Processes {
		where := "any processor"
		if p.Processor >= 0 {
			where = fmt.Sprintf("processor %d", p.Processor)
		}
		schedule := ""
		switch {
		case p.Batch > 0:
			schedule = fmt.Sprintf(", schedule %s in batches of at most %s", p.Schedule, machine.Size(int64(p.Batch)))
		case p.Schedule != "":
			schedule = ", schedule " + p.Schedule
		}
		on = append(on, fmt.Sprintf("%s on %s (wait %s, scheduler %s%s)", p.Name, where, p.Wait, p.Scheduler, schedule))
	}
	return strings.Join(units.First(on, maximum, "and %d more"), ", ")
}

// clockName names the clock. It includes the frequency if the frequency is measured or defined.
func clockName(c *result.Clock) string {
	if c.Hertz == 0 {
		return c.Name
	}
	return c.Name + " at " + units.Frequency(c.Hertz)
}

// predicted adds the comparison of the run with its prediction.
func (p *script) predicted(c *result.Candidate, m *result.Measured) {
	list := predict.Compare(c, m)
	p.lead("Predicted", "%s, %s; %s", headline(c), rests(c), list[0].Off())
	for _, s := range []string{outsideWords(c, m), smallerBuffers(c), offBecause(c, m)} {
		if s != "" {
			p.lead("", "%s", s)
		}
	}
	if m.Filling > 0 && m.Steady == nil {
		p.lead("", "%s %s out of the first buffers (without the elements that remained in these buffers at the "+
			"end of the run)",
			how(m), units.Rate(list[0].Measured))
	}
}

// outsideWords describes a run outside its predicted interval; "" for a run inside the interval. For measured runs,
// this is the interval of 95 % of the runs. For simulated runs, it is the interval of the figures and the model.
func outsideWords(c *result.Candidate, m *result.Measured) string {
	x := c.RunInterval
	if x == nil || m.Simulated != "" {
		x = c.GoodInterval
	}
	off := predict.Compare(c, m)[0]
	if x == nil || off.Short || off.Measured == 0 {
		return ""
	}
	if at := result.Number(off.Measured); at >= x[0] && at <= x[1] {
		return ""
	}
	scale := scaleOf("B/s", float64(x[1]))
	return fmt.Sprintf("the run is outside the interval predicted for 95 %% of the runs, %s to %s %s",
		scale.Format(float64(x[0])), scale.Format(float64(x[1])), scale.Unit())
}

// smallerBuffers describes the predicted throughput with buffers smaller than recommended; "" if the smaller sizes cost
// nothing.
func smallerBuffers(c *result.Candidate) string {
	w := c.WithBuffers
	if !c.Limited() {
		return ""
	}
	var names []string
	for i := range c.Queues {
		q := &c.Queues[i]
		if q.Recommended != nil && slices.ContainsFunc(w.Edges, func(e result.BufferedEdge) bool {
			return e.Edge == q.Edge && e.Elements < q.Recommended.Elements
		}) {
			names = append(names, q.Edge)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("with buffers smaller than recommended (%s), %s", strings.Join(first(names, maxNamed), ", "),
		whatIsLeft(c))
}

// runPaths shows the latencies from sources to sinks.
func runPaths(m *result.Measured) *Table {
	t := &Table{ID: "run-paths", Title: "Latency from source to sink: measured from the send of an element to the " +
		"release of its result, along the path with the most edges",
		Columns: []Column{name("from"), name("to"), number("edges").spare(1), time("mean"),
			time("p50").about("the median"),
			time("p99").about("99th percentile"), time("p99.9").about("99.9th percentile"),
			time("longest").detail(),
			number("samples").spare(2)}}
	for i := range m.Paths {
		p := &m.Paths[i]
		mean, longest, samples := dash(), dash(), integer(0)
		if d := p.Latency; d != nil {
			mean, longest, samples = figure(d.Mean), figure(d.Max), integer(d.Samples)
		}
		t.add(text(p.From), text(p.To), integer(len(p.Edges)), mean, some(p.P50), some(p.P99), some(p.P999), longest,
			samples)
	}
	t.Note = "(quantiles are accurate to 1/4 of their value, with four bins per octave; quantiles with fewer than " +
		"three samples above them are omitted)"
	return t.scaled()
}

// runGrown lists the buffers that grew during the run.
func runGrown(m *result.Measured) *Table {
	t := &Table{ID: "run-grown", Title: "Buffers that grew during the run",
		Columns: []Column{name("edge"), time("at").about("time since the start of the run"),
			number("from").about("size before the growth, in elements"),
			number("to").about("size after the growth, in elements"),
			size("all buffers").about("total size of all buffers at that time"), name("why")}}
	if m.Buffers == nil {
		return t
	}
	for _, g := range m.Buffers.Grown {
		t.add(text(g.Edge), figure(g.Time), integer(g.From), integer(g.To), figure(float64(g.All)), text(g.Why))
	}
	return t.scaled()
}

// buffersText returns the memory of a run's buffers and the origin of their sizes.
func buffersText(b *result.MeasuredBuffers) (value, note string) {
	value = units.Size(float64(b.Start))
	if b.Max > b.Start {
		value += ", then up to " + units.Size(float64(b.Max))
	}
	note = fmt.Sprintf("of memory in whole pages, %s of it used", units.Size(float64(b.Touched)))
	if b.Sizes != "" {
		note += "; sizes: " + b.Sizes
	}
	return value, note
}

// grownStatements returns buffer statements with the sizes after growth. It returns none if a kernel sent a different
// number of elements than its emit declares, because that fills buffers of any size.
func grownStatements(r *result.Result) []string {
	b := r.Measured.Buffers
	if b == nil || emitsDiffer(r) {
		return nil
	}
	var list []string
	for _, g := range b.Last() {
		list = append(list, fmt.Sprintf("buffer { %s } = %d;", declaredEdge(g.Edge), g.To))
	}
	return list
}

// tooShort replaces the throughput of a run that was too short.
const tooShort = "too short to measure"

// noRateReason briefly states why a run has no throughput.
func noRateReason(m *result.Measured) string {
	switch {
	case m.Faulted():
		return "undetermined"
	case m.Uneven() && m.Disturbed != "":
		return "too disturbed to measure"
	case m.Uneven():
		return "not steady enough to measure"
	case m.Steady.Few:
		return "too few elements to measure"
	}
	return tooShort
}

// RunThroughput describes the throughput of a run.
func RunThroughput(m *result.Measured) string {
	out, _, reported := m.Rates()
	if !reported {
		return noRateReason(m)
	}
	return units.Rate(out)
}

// steadyWords describes the part of a run that a throughput refers to; "" if unknown.
func steadyWords(m *result.Measured) string {
	s := m.Steady
	switch {
	case s == nil:
		return ""
	case s.StartUp == 0:
		return fmt.Sprintf(", %s of steady state and no start-up", units.Time(s.Seconds))
	}
	return fmt.Sprintf(", %s of steady state after %s of start-up", units.Time(s.Seconds),
		units.Time(s.StartUp))
}

// shortWords explains why a run has no throughput, and names the remedy.
func shortWords(m *result.Measured) string {
	do := "send more elements (--elements)"
	if n := m.Steady.Enough; n > 0 {
		do += fmt.Sprintf(": --elements %d should suffice", n)
	}
	switch {
	case m.Faulted():
		return "a fault" + ofKernel(m) + " ended the run after " + units.Time(m.Seconds)
	case m.Uneven() && m.Disturbed != "":
		do = quietRun + ": " + m.Disturbed
	case m.Uneven():
		do = "the load changed during the run: use --frame 100ms to see when"
	case interrupted(m):
		return "the run was interrupted; let it end by itself"
	case m.Partial != "":
		do += ", or run longer (--time)"
	}
	if m.Steady.Once != "" && m.Steady.Enough > 0 && !m.Uneven() {
		do = "xopt did not repeat the run, because " + m.Steady.Once + "; " + do
	}
	return m.Steady.Short + "; " + do
}

// interrupted reports whether the user ended a run.
func interrupted(m *result.Measured) bool { return m.Partial == "interrupted" }

// throughputFact returns the throughput of a run and the method of its measurement.
func throughputFact(m *result.Measured, how string) Fact {
	_, _, reported := m.Rates()
	if reported {
		return Fact{"Throughput", RunThroughput(m), how + steadyWords(m) + ", out of the sources"}
	}
	if m.Faulted() {
		return Fact{"Throughput", noRateReason(m), shortWords(m)}
	}
	return Fact{"Throughput", noRateReason(m), fmt.Sprintf("%s; over the complete run, the sources sent %s; %s", how,
		units.Rate(m.Throughput), shortWords(m))}
}

// Maximum lengths of a reason, in characters.
const (
	shortReason = 80  // in the headline
	longReason  = 200 // in a cell of a table
)

// partialShort briefly states why a run did not end by itself. The measurements on the page contain the complete
// reason, which names every waiting kernel.
func partialShort(m *result.Measured) string {
	switch {
	case m.Faulted():
		kind := ""
		if m.Fault != "" {
			kind = ": " + m.Fault
		}
		return "ended by a fault" + ofKernel(m) + kind + " (see below)"
	case len([]rune(m.Partial)) <= shortReason && !strings.Contains(m.Partial, "\n"):
		return m.Partial
	}
	return "the run did not end by itself; the reason is below"
}

// firstLine returns the first line of a reason, and shortens it if it is long.
func firstLine(s string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if r := []rune(line); len(r) > longReason {
		return string(r[:longReason]) + " …"
	}
	if rest != "" {
		return line + " …"
	}
	return line
}
