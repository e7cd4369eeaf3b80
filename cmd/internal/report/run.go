package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"xopt/deploy/measure"
	"xopt/deploy/timetrial"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// percents returns a column that shows fractions as percentages.
func percents(s string) Column { return Column{Name: s, Shown: percentUnit, Number: true} }

// percentUnit is the displayed unit of fractions.
const percentUnit = "%"

// share shows a fraction in a column of percents.
func share[T real](v T) Cell {
	return value(strings.TrimSuffix(units.Percent(float64(v)), " %"), float64(v))
}

// runTables returns the tables of one run.
func runTables(m *result.Measured, predicted *result.Candidate) []Part {
	parts := tableParts(runUsed(m, predicted), runKernels(m),
		routing(m), runEdges(m), runQueues(m), runPaths(m), runGrown(m), streams(m), linkPackets(m),
		hardwareQueues(m), runCycles(m), runStates(m), runMonitors(m), runCounted(m),
		frameRates(m), queries(m))
	for i := range m.Queries {
		parts = append(parts, tableParts(queryHistogram(i, &m.Queries[i]), virtualQueue(i, &m.Queries[i]),
			queryTrace(i, &m.Queries[i]), queryStates(i, &m.Queries[i]))...)
	}
	parts = append(append(parts, tableParts(assertions(m))...), failures(m)...)
	if m.Simulated != "" {
		for _, p := range parts {
			if p.Table != nil { // the title contains the origin of the figures
				p.Table.Title = strings.Replace(p.Table.Title, "measured", "simulated", 1)
			}
			if p.Chart != nil {
				p.Chart.Title = strings.Replace(p.Chart.Title, "measured", "simulated", 1)
			}
		}
	}
	return parts
}

func runKernels(m *result.Measured) *Table {
	t := &Table{ID: "run-kernels",
		Title: "Kernels: measured in the run beside the other kernels (the model's μ: each kernel alone)",
		Columns: []Column{name("kernel"), name("process").spare(1), number("calls").detail(),
			number("firings").spare(2), time("busy").own().detail(), percents("busy"),
			time("service time").about("busy time divided by the number of firings, including other work on the " +
				"processor during the firings"),
			number("scv").about("squared coefficient of variation of the service times of the sampled firings"),
			time("wait").about(waitMeaning).spare(4),
			rate("per busy time").spare(3).about("input bytes per second of busy time; for a source: output bytes"),
			number("gain").about("output bytes per input byte")}}
	for _, k := range m.Kernels {
		scv := dash()
		if k.Service != nil && k.Service.SCV != nil {
			scv = compact(*k.Service.SCV)
		}
		grows := dash()
		if k.Gain != 0 {
			grows = compact(k.Gain)
		}
		busy, used := figure(k.Busy), share(k.Utilization).bar()
		if k.Kernel == m.FaultOf { // its last firing was not measured
			busy, used = dash(), text(unfinished)
		}
		row := t.add(text(k.Kernel), text(k.Process), integer(k.Calls), integer(k.Firings), busy, used,
			figureOrDash(k.ServiceTime), scv, some(k.Wait), figureOrDash(k.ServiceRate), grows)
		row.Hot, row.Load = k.Kernel == m.FaultOf, k.Utilization
	}
	t.Note = strings.TrimSpace(sampledNote(m) + "\n" + joinedNote(m))
	return t.scaled()
}

// unfinished replaces the utilization of a kernel whose fault ended the run.
const unfinished = "did not finish"

// waitMeaning explains the wait of a kernel.
const waitMeaning = "mean time from the send of an element to the start of its firing, including links (release " +
	"time minus service time). For a join: the shortest wait of its inputs"

// joinedNote names the joins, for which the wait is a bound.
func joinedNote(m *result.Measured) string {
	var names []string
	for i := range m.Kernels {
		if m.Kernels[i].WaitAtMost {
			names = append(names, m.Kernels[i].Kernel)
		}
	}
	if len(names) == 0 {
		return ""
	}
	const maximum = 4
	return "(for joins of several inputs, the shown wait is an upper limit: " + strings.Join(first(names, maximum),
		", ") +
		")"
}

func routing(m *result.Measured) *Table {
	t := &Table{ID: "run-routing", Title: "Routing: measured fractions of the bytes that a kernel sends",
		Ranking: "largest fractions", Columns: []Column{name("kernel"), name("port"), number("fraction")}}
	for _, k := range m.Kernels {
		for _, p := range k.Routing {
			t.add(text(k.Kernel), text(p.Port), digits(p.Fraction, 3)).Load = p.Fraction
		}
	}
	return t
}

func runEdges(m *result.Measured) *Table {
	left, initial := false, []string(nil)
	for i := range m.Edges {
		e := &m.Edges[i]
		left = left || e.Left > 0
		if e.Initial > 0 {
			initial = append(initial, fmt.Sprintf("%s %d", e.Edge, e.Initial))
		}
	}
	unread := number("not read").about("elements that were on the edge when the run ended")
	elements := number("elements").spare(1)
	if !left {
		unread, elements = unread.spare(1), elements.spare(2)
	}
	t := &Table{ID: "run-edges", Title: "Edges: measured (latency: from the send of an element to its " +
		"release)", Columns: []Column{name("edge"), elements,
		number("elements/s"), rate("rate"), percents("util").about("utilization of the reading kernel"),
		percents("backpr.").about("backpressure: share of the run in which the writer waited for space"),
		time("latency"),
		time("p99").about("99th percentile"), time("longest").detail(), unread}}
	for _, e := range m.Edges {
		mean, p99, longest := dash(), dash(), dash()
		if d := e.Latency; d != nil {
			q := d.Quantile(0.99)
			mean, p99, longest = figure(d.Mean), some(&q), figure(d.Max)
		}
		row := t.add(text(e.Edge), integer(e.Elements), compact(e.ElementRate), figure(e.Rate),
			share(e.Utilization).bar(), share(e.Backpressure).bar(), mean, p99, longest, integer(e.Left))
		row.Load = e.Utilization
	}
	if left {
		t.Note = "(not read: elements that were on the edge when the run ended)"
	}
	if len(initial) > 0 {
		t.Note = strings.TrimSpace(t.Note + "\n(initial elements, not counted as sent: " +
			strings.Join(initial, ", ") + ")")
	}
	return t.scaled()
}

func runQueues(m *result.Measured) *Table {
	t := &Table{ID: "run-queues", Title: "Queues: measured occupancy in elements, polled every 10 ms",
		Ranking: "fullest buffers", Columns: []Column{name("edge"), number("capacity"), number("mean"),
			number("p50").about("the median"),
			number("p99").about("99th percentile"),
			number("maximum").about("largest value that was polled, or that an arriving element found"),
			number("samples").spare(4),
			name("0 … capacity")}}
	sampled := false
	for _, e := range m.Edges {
		p50, p99, maximum, samples, sketched := dash(), dash(), integer(e.MaxElements()), dash(), ""
		if e.Looks > 0 { // runs in virtual time have no polls
			samples = integer(e.Looks)
		}
		stored := e.MeanOccupancy
		if d := e.Occupancy; d != nil {
			sampled, stored = true, d.Mean
			p50, p99, samples = quantile(d, 0.5), quantile(d, 0.99), integer(d.Samples)
			sketched = sketch(d, float64(e.Capacity)+1)
		}
		row := t.add(text(e.Edge), integer(e.Capacity), compact(stored), p50, p99, maximum, samples, text(sketched))
		row.Load = e.MeanOccupancy / float64(max(e.Capacity, 1))
	}
	if m.Simulated != "" {
		t.Title = "Queues: simulated occupancy in elements; mean and maximum over the complete run"
	} else if sampled {
		t.Title = "Queues: measured occupancy in elements, seen by arriving elements"
	}
	if !sampled { // these columns are empty
		t.spare("0 … capacity", "p50", "p99")
	}
	return t
}

// quantile shows a quantile as a number of elements, or a dash if the bins of the histogram are too wide.
func quantile(d *result.Distribution, p float64) Cell {
	if v := d.CountQuantile(p); !math.IsNaN(v) {
		return compact(v)
	}
	return dash()
}

// sketchCells is the number of characters in the sketch of a histogram.
const sketchCells = 12

// sketch draws a histogram from 0 to a limit in a few characters.
func sketch(d *result.Distribution, limit float64) string {
	var edges [sketchCells + 1]float64
	for i := range edges {
		edges[i] = limit * float64(i) / sketchCells
	}
	cells := rebin(d, edges[:])
	maximum := slices.Max(cells)
	if !(maximum > 0) || math.IsInf(maximum, 1) {
		return ""
	}
	var s strings.Builder
	for _, c := range cells {
		if !(c > 0) { // also true for NaN
			s.WriteRune('·')
			continue
		}
		s.WriteRune([]rune("▁▂▃▄▅▆▇█")[min(int(c/maximum*8), 7)])
	}
	return s.String()
}

// streams shows the counts of stream taps in FPGAs.
func streams(m *result.Measured) *Table {
	t := &Table{ID: "hardware-streams", Title: "Streams on FPGAs: fractions of the cycles in each state, counted by " +
		"taps in the hardware (simulated or real)", Columns: []Column{name("edge"), name("at"),
		number("words"),
		counted("word", "bytes"), number("cycles").detail(), percents("moved").about("cycles in which a word moved"),
		percents("waiting").about("cycles in which a word waited for space"),
		percents("idle").about("cycles without a word")}}
	queued := make(map[string]bool) // edges inside an FPGA
	for i := range m.Hardware {
		if h := &m.Hardware[i]; h.Place == "queue" {
			queued[h.Edge] = true
		}
	}
	for _, h := range m.Hardware {
		if h.Place == "queue" {
			continue
		}
		of := h.FPGA
		if queued[h.Edge] {
			of = "its queue"
		}
		fraction := func(n uint64) Cell { return share(float64(n) / float64(max(h.Cycles, 1))).bar() }
		t.add(text(h.Edge), text(h.Place+" "+of), integer(h.Moved), integer(h.WordBytes), integer(h.Cycles),
			fraction(h.Moved), fraction(h.Waited), fraction(h.Idle))
	}
	return t
}

// linkPackets shows the packets on links in virtual time.
func linkPackets(m *result.Measured) *Table {
	t := &Table{ID: "link-packets", Title: "Packets on links: counted by the link simulation over the complete run",
		Columns: []Column{name("link"), name("edge"),
			name("to").about("resource of the reader"), number("packets"), number("packets/s"),
			size("mean size").own(), size("smallest").own().spare(2),
			size("largest").own().spare(2), time("mean latency").own().about("time from the arrival of a packet's " +
				"first element at the link to the arrival of the packet. It includes the time to fill the packet " +
				"and the wait for other packets"),
			time("shortest latency").own().spare(1), time("longest latency").own().spare(1)}}
	for _, x := range m.Packets {
		mean := float64(x.Bytes) / float64(max(x.Packets, 1))
		t.add(text(x.Link), text(x.Edge), text(x.To), integer(x.Packets), compact(x.Rate), figureOrDash(mean),
			figureOrDash(float64(x.Smallest)), figureOrDash(float64(x.Largest)), figureOrDash(x.Latency),
			figureOrDash(x.Quickest),
			figureOrDash(x.Slowest))
	}
	return t.scaled()
}

// hardwareQueues shows the counts of queue taps in FPGAs.
func hardwareQueues(m *result.Measured) *Table {
	t := &Table{ID: "hardware-queues", Title: "Queues on FPGAs: occupancy in words of the reader, counted by " +
		"taps in the hardware (simulated or real)",
		Columns: []Column{name("edge"), name("on"), number("minimum"), number("mean"), number("maximum"),
			number("cycles").detail()}}
	for _, h := range m.Hardware {
		if h.Place == "queue" {
			t.add(text(h.Edge), text(h.FPGA), integer(h.Min), digits(h.Mean, 3), integer(h.Max), integer(h.Cycles))
		}
	}
	return t
}

// frameRates shows the distribution of rates over frames as quartiles.
func frameRates(m *result.Measured) *Table {
	t := &Table{ID: "frame-boxes", Title: fmt.Sprintf("Rates over %d frames: measured; whiskers: at most 1.5 box "+
		"lengths from the box",
		len(m.Frames)), Ranking: "highest medians", Columns: []Column{name("edge"), rate("minimum"),
		rate("lower whisker"), rate("lower quartile"), rate("median"),
		rate("upper quartile"), rate("upper whisker"), rate("maximum")}}
	if len(m.Frames) == 0 {
		return t
	}
	for e := range m.Edges {
		var rates []float64
		for _, f := range m.Frames {
			if e < len(f.Edges) {
				rates = append(rates, f.Edges[e].Rate)
			}
		}
		if len(rates) == 0 {
			continue
		}
		b := result.NewBox(rates)
		t.add(text(m.Edges[e].Edge), figure(b.Min), figure(b.Low), figure(b.Q1), figure(b.Median), figure(b.Q3),
			figure(b.High), figure(b.Max)).Load = b.Median
	}
	return t.scaled()
}

// measuredAs shows a value of a measure statement with its unit.
func measuredAs[T real](kind timetrial.Type, v T) Cell {
	number, unit, _ := strings.Cut(measure.Quantity(kind, float64(v)), " ")
	if math.IsNaN(float64(v)) {
		return text("no value")
	}
	si := map[timetrial.Type]string{timetrial.Rate: "elements/s", timetrial.Latency: "s",
		timetrial.Occupancy: "elements", timetrial.Size: "B"}[kind]
	return Cell{Text: number, Unit: unit, Value: float64(v), Valued: true, si: si}
}

// answered shows a value of a query.
func answered[T real](q *result.Query, v T) Cell {
	cell := measuredAs(typeOf(q), v)
	if cell.si != "" && q.Unit != "" && cell.si != q.Unit { // the unit is packets
		cell.Unit, cell.si = strings.Replace(cell.Unit, cell.si, q.Unit, 1), q.Unit
	}
	return cell
}

// typeOf returns the measure type of a stored query.
func typeOf(q *result.Query) timetrial.Type {
	for _, t := range timetrial.Types() {
		if t.String() == q.Type {
			return t
		}
	}
	return timetrial.Value
}

// queries lists the measure statements with their results.
func queries(m *result.Measured) *Table {
	t := &Table{ID: "statements", Title: "Measure statements: measured value of the run, with minimum, median and " +
		"maximum of the frames",
		Columns: []Column{name("statement"), number("run"), number("frames").spare(2), number("minimum"),
			number("median"),
			number("maximum"), number("samples").spare(1), name("as written").detail()}}
	for i := range m.Queries {
		q := &m.Queries[i]
		if q.Type == timetrial.States.String() {
			continue // queryStates shows it
		}
		kind := typeOf(q)
		run, frames, samples := text("no value"), integer(max(1, len(q.Frames))), text("all")
		minimum, median, maximum := dash(), dash(), dash()
		if q.Total.Value != nil {
			run = answered(q, *q.Total.Value)
		}
		if q.Statistic == timetrial.Hist.String() || q.Statistic == timetrial.Trace.String() && !kind.PerFrame() {
			run = run.before("mean ")
		}
		if q.Total.Samples != nil {
			samples = integer(q.Total.Samples.Samples)
		}
		if q.Total.Looks > 0 {
			samples = text(fmt.Sprintf("%d of %d polls", q.Total.Held, q.Total.Looks))
		}
		if b := q.Box; b != nil {
			minimum, median, maximum = answered(q, b.Min), answered(q, b.Median), answered(q, b.Max)
		}
		t.add(text(q.Name), run, frames, minimum, median, maximum, samples, text(strings.TrimSpace(q.Text)))
	}
	return t
}

// shownBins is the default maximum number of displayed bins of a histogram. maxShown is the maximum if the measure
// statement requests a number of bins. Rows merge adjacent bins if the histogram has more bins.
const (
	shownBins = 16
	maxShown  = 64
)

// queryHistogram shows the histogram of the complete run; nil if the run did not request one.
func queryHistogram(i int, q *result.Query) *Table {
	if q.Statistic != timetrial.Hist.String() || q.Total.Samples == nil || len(q.Total.Samples.Bins) == 0 {
		return nil
	}
	kind, d := typeOf(q), q.Total.Samples
	what := cmp.Or(q.Of, "elements")
	of := units.Count(d.Elements) + " " + what
	if float64(d.Samples) != d.Elements {
		of = fmt.Sprintf("%s samples, which represent %s", units.Count(float64(d.Samples)), of)
	}
	t := &Table{ID: fmt.Sprintf("histogram-%d", i+1), Title: q.Name + ": measured histogram of " + of,
		Columns: []Column{number("from"), number("to"), number(what), percents("part"), name("")}}
	shown := shownBins
	if q.Bins > 0 {
		shown = maxShown
	}
	group := max((len(d.Bins)+shown-1)/shown, 1)
	if group > 1 {
		t.Note = fmt.Sprintf("(each row combines %d bins; empty rows are omitted; the result file has every "+
			"bin)", group)
	}
	var bins []result.Bin
	maximum := 0.0
	for i := 0; i < len(d.Bins); i += group {
		last := min(i+group, len(d.Bins)) - 1
		b := result.Bin{From: d.Bins[i].From, To: d.Bins[last].To}
		for _, x := range d.Bins[i : last+1] {
			b.Elements += x.Elements
		}
		maximum = max(maximum, b.Elements)
		bins = append(bins, b)
	}
	for _, b := range bins {
		drawn := ""
		if maximum > 0 {
			drawn = strings.Repeat("█", int(math.Ceil(20*b.Elements/maximum)))
		}
		fraction := b.Elements / max(d.Elements, 1e-300)
		t.add(measuredAs(kind, b.From), measuredAs(kind, b.To), compact(b.Elements),
			value(units.Digits(100*fraction, 3), fraction), text(drawn))
	}
	return t
}

// shownEntries is the maximum number of displayed entries of a trace.
const shownEntries = 10

// queryTrace shows the first entries of a trace.
func queryTrace(i int, q *result.Query) *Table {
	entries, index := units.Elements(len(q.Trace)), "element"
	switch q.Of {
	case "":
	case "packets":
		entries, index = units.Counted(len(q.Trace), "packet", "packets"), "packet"
	default: // signals
		entries, index = units.Counted(len(q.Trace), "change", "changes"), "cycle"
	}
	t := &Table{ID: fmt.Sprintf("trace-%d", i+1), Title: fmt.Sprintf("%s: measured, first entries of a trace "+
		"of %s (--csv writes all entries)", q.Name, entries), Columns: []Column{number(index),
		time("time").own(),
		number("value")}}
	for _, e := range q.Trace[:min(shownEntries, len(q.Trace))] {
		seen := measuredAs(typeOf(q), e.Value)
		if e.Stops {
			seen = text("not counted")
		}
		t.add(integer(e.Index), figure(e.Time), seen)
	}
	if q.Lost > 0 {
		t.Note = fmt.Sprintf("(%d more entries were not stored)", q.Lost)
	}
	return t.scaled()
}

// assertions returns a table of the results of assert statements.
func assertions(m *result.Measured) *Table {
	t := &Table{ID: "assertions", Title: "Assertions: tested in the run", Ranking: "most failures",
		Columns: []Column{name("assertion"),
			name("verdict"), number("frames"), number("failed"), number("unknown").spare(2),
			name("failed part").spare(1).about("part of the tested elements or polls that failed"),
			name("as written").detail()}}
	for _, a := range m.Assertions {
		verdict := "holds"
		switch {
		case !a.Holds:
			verdict = "FAILED"
		case a.Frames == 0:
			verdict = "unknown"
		}
		wrong := dash()
		if a.Tested > 0 {
			wrong = value(fmt.Sprintf("%s of %s", units.Percent(float64(a.Wrong/a.Tested)),
				units.Count(a.Tested)),
				float64(a.Wrong/a.Tested))
		}
		row := t.add(text(a.Name), text(verdict), integer(a.Frames), integer(a.Failed), integer(a.Unknown), wrong,
			text(strings.TrimSpace(a.Text)))
		row.Hot, row.Load = !a.Holds, float64(a.Failed)
	}
	return t
}

// failures describes the first failures of assertions.
func failures(m *result.Measured) []Part {
	const shown = 3
	var parts []Part
	for _, a := range m.Assertions {
		for i, f := range a.Failures {
			if i == units.Shown(len(a.Failures), shown) {
				parts = append(parts, Part{Text: fmt.Sprintf("%s failed in %d more frames", a.Name, a.Failed-shown)})
				break
			}
			parts = append(parts, Part{Text: fmt.Sprintf("%s failed in %s", a.Name, f.Text)})
		}
	}
	return parts
}

// sampledUnlike is the relative difference between the mean of a kernel's sampled firings and the mean of all firings
// above which xopt shows a note.
const sampledUnlike = 0.1

// sampledNote names the kernels whose scv and service time come from different firings; "" if there are none.
// Interruptions affect few firings, and samples can miss these firings.
func sampledNote(m *result.Measured) string {
	var list []string
	for i := range m.Kernels {
		k := &m.Kernels[i]
		if k.Service == nil || k.Service.SCV == nil || !(k.ServiceTime > 0) {
			continue
		}
		if unlike := float64(k.Service.Mean/k.ServiceTime) - 1; math.Abs(unlike) > sampledUnlike {
			list = append(list, fmt.Sprintf("%s has a mean of %s over %d samples", k.Kernel, units.Time(k.Service.Mean),
				k.Service.Samples))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "(scv describes only the sampled firings. Their mean differs from the mean of all firings, which include " +
		"interruptions: " + strings.Join(first(list, maxNamed), ", ") + ")"
}
