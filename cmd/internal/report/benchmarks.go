package report

import (
	"fmt"
	"slices"
	"strings"
	clock "time"

	"xopt/bench/micro"
	"xopt/bench/paper"
	"xopt/bench/search"
	"xopt/calibrate"
	"xopt/flow/profile"
	"xopt/hdl/rtl"
	"xopt/internal/units"
)

// interval formats the 95 % confidence interval of a median.
func interval(m *profile.Median, print func(float64) string) Cell {
	if !m.Covered() { // too few samples for a 95 % interval of order statistics
		return text(fmt.Sprintf("too few runs: %d more needed", m.Missing()))
	}
	return text(print(m.Low) + " to " + print(m.High))
}

// shareText formats a fraction like [part].
func shareText(v float64) string {
	c := part(v)
	return c.String()
}

// turns describes the samples of a benchmark.
func turns(runs int, window clock.Duration) string {
	return fmt.Sprintf("measured, medians of %d alternating runs of %v", runs, window)
}

// Rings compares methods to send messages between two cores.
func Rings(cases []micro.RingCase, runs int, window clock.Duration) *Table {
	t := &Table{ID: "rings", Title: "Messages between two cores: " + turns(runs, window), Columns: []Column{
		size("message").own(), number("batch"), name("method"), number("messages/s"), name("95 % interval"),
		rate("rate").own(), number("relative to ring")}}
	for i := range cases {
		x := &cases[i]
		for j, way := range micro.RingWays() {
			r := &x.Rates[j]
			t.add(figure(float64(x.Bytes)), integer(x.Batch), text(way), compact(r.Value), interval(r, units.Count),
				figure(r.Value*float64(x.Bytes)), decimals(r.Value/x.Rates[0].Value, 2))
		}
	}
	return t.scaled()
}

// Network compares the throughput of TCP in several configurations.
func Network(cases []micro.NetworkCase, runs int, window clock.Duration) *Table {
	t := &Table{ID: "network", Title: "Messages over TCP on the loopback interface: " + turns(runs, window),
		Columns: []Column{size("message").own(), name("method"), number("messages/s"), name("95 % interval"),
			rate("rate").own(), number("relative to iperf3")}}
	for i := range cases {
		x := &cases[i]
		for j, way := range micro.NetworkWays() {
			r := &x.Rates[j]
			if r.Value == 0 {
				t.add(figure(float64(x.Bytes)), text(way), text("not installed"), text(""), text(""), text(""))
				continue
			}
			to := dash()
			if base := x.Rates[1].Value; base > 0 {
				to = decimals(r.Value/base, 2)
			}
			t.add(figure(float64(x.Bytes)), text(way), compact(r.Value), interval(r, units.Count),
				figure(r.Value*float64(x.Bytes)), to)
		}
	}
	return t.scaled()
}

// Taps returns a table of the costs of taps in a chain of kernels.
func Taps(cases []micro.TapsCase, runs int, window clock.Duration) *Table {
	t := &Table{ID: "taps", Title: "Chain of eleven kernels on two cores: " + turns(runs, window), Columns: []Column{
		size("message").own(), time("work").own(), name("taps"), rate("rate").own(), number("messages/s"),
		number("loss"),
		name("95 % interval"), number("events in trace").about("share of the events that the trace contains")}}
	for i := range cases {
		x := &cases[i]
		variants := micro.TapsVariants()
		for j, variant := range variants {
			through, messages, loss, inside, kept := text(""), text(""), dash(), dash(), text("")
			if j == 0 {
				through, messages = figure(x.Base.Value), compact(x.Base.Value/float64(x.Bytes))
			} else {
				loss = part(x.Loss[j].Value)
				inside = interval(&x.Loss[j], shareText)
			}
			if j == len(variants)-1 {
				kept = part(x.Kept.Value)
			}
			t.add(figure(float64(x.Bytes)), figure(x.Work*1e-6), text(variant), through, messages, loss, inside, kept)
		}
	}
	return t.scaled()
}

// QueuesByTheory compares measured queues with the results of queueing theory.
func QueuesByTheory(cases []micro.QueueCase, elements uint64) *Table {
	t := &Table{ID: "theory", Title: fmt.Sprintf("Queues: measured on %d elements each, compared with theory at "+
		"the measured utilization", elements), Columns: []Column{name("queue"), number("ρ").about("utilization"),
		number("arrival scv").about("squared coefficient of variation of the times between arrivals"),
		time("service").own(), number("scv").about("squared coefficient of variation of the service time"),
		number("mean occupancy"), name("95 % interval"), number("theory"),
		number("distance").about("total variation distance between the measured histogram and the theory"),
		number("of noise").about("expected distance if only noise causes it"),
		name("replay differs").about("elements whose occupancy differs from a replay of the recorded arrivals"),
		number("ties").about("elements of \"replay differs\" that arrived less than 2 µs before or after a departure"),
		number("omitted").about("elements omitted because the machine was disturbed")}}
	for i := range cases {
		x := &cases[i]
		t.add(text(x.Name), decimals(x.Utilization, 3), decimals(x.ArrivalSCV, 3), figure(x.ServiceTime),
			decimals(x.ServiceSCV, 3), decimals(x.Mean.Value, 3).withInterval(x.Mean.Low, x.Mean.High),
			text(fmt.Sprintf("%.3f to %.3f", x.Mean.Low, x.Mean.High)), decimals(x.Theory, 3), decimals(x.Distance, 4),
			decimals(x.Noise, 4), text(fmt.Sprintf("%d of %d", x.Replay, x.Samples)), integer(x.Ties),
			integer(x.Disturbed))
	}
	return t.scaled()
}

// SharedCores compares measured sharing of a core with two models.
func SharedCores(cases []calibrate.SharingCase, runs int, window clock.Duration) *Table {
	t := &Table{ID: "shared-cores", Title: "Kernels on one core: " + turns(runs, window), Columns: []Column{
		name("kernels"), name("process for each"), name("wait"), name("scheduler"), number("elements/s"),
		number("conserving").about(conservingMeaning), number("equal").about(equalMeaning),
		time("cost of sharing").own().about("time per element and kernel, in addition to the kernels' own times")}}
	for i := range cases {
		x := &cases[i]
		through, conserving, equal, cost := text("failed"), dash(), dash(), dash()
		if x.Fail == "" {
			r := x.Rate.Value
			through, conserving, equal = compact(r), errorCell(x.Conserving/r-1), errorCell(x.Equal/r-1)
			cost = figure(max(x.Cost, 0))
		}
		t.add(text(Pipeline(x)), text(string(x.Style)), text(string(x.Wait)), text(string(x.Scheduler)), through,
			conserving, equal, cost)
	}
	return t.scaled()
}

// Explanations of the errors of two sharing models.
const (
	conservingMeaning = "error of a model in which kernels use the time that other kernels do not use"
	equalMeaning      = "error of a model in which each of n kernels gets 1/n of the core"
)

// Pipeline describes a pipeline by the work of its kernels in µs.
func Pipeline(x *calibrate.SharingCase) string {
	const named = 3
	if len(x.Times) > named {
		return fmt.Sprintf("%d of %g us", len(x.Times), x.Times[0])
	}
	return strings.Trim(fmt.Sprint(x.Times), "[]") + " us"
}

// Searches compares search methods.
func Searches(rows []search.Row, length clock.Duration, threads int) *Table {
	t := &Table{ID: "searches", Title: fmt.Sprintf("Best throughput at each time relative to the overall best: "+
		"measured, medians of alternating runs of %v, %s", length, count(threads, "thread")),
		Columns: []Column{name("problems"),
			name("method")}}
	for _, moment := range search.Moments() {
		t.Columns = append(t.Columns, number(units.Time(moment*length.Seconds())))
	}
	t.Columns = append(t.Columns, number("worst"), name("proven"), number("mappings/s"))
	for i := range rows {
		r := &rows[i]
		cells := []Cell{text(r.Group), text(r.Method)}
		if r.Runs > 0 { // the method applies
			for _, q := range r.Quality {
				cells = append(cells, part(q))
			}
			cells = append(cells, part(r.Worst[len(r.Worst)-1]),
				text(fmt.Sprintf("%d of %d", r.Proven, r.Runs)), compact(r.Rate))
		}
		for len(cells) < len(t.Columns) {
			cells = append(cells, dash())
		}
		t.add(cells...)
	}
	return t
}

// Proofs returns a table of the progress of optimality proofs during searches.
func Proofs(rows []search.ProofRow, length clock.Duration, threads int) *Table {
	seconds := func(s string) Column { return number(s).in("s") }
	t := &Table{ID: "proofs", Title: fmt.Sprintf("Gap between the best mapping and the proven bound, relative to the "+
		"throughput of this mapping, and search time (limit: %v): measured, %s", length, count(threads, "thread")),
		Columns: []Column{name("problems"), name("proven"), number("gap, median"), number("gap, worst"),
			seconds("time, median"), seconds("time, worst")}}
	for i := range rows {
		r := &rows[i]
		t.add(text(r.Group), text(fmt.Sprintf("%d of %d", r.Proven, len(r.Cases))), part(r.Gap),
			part(r.WorstGap), figure(r.Seconds), figure(r.WorstSeconds))
	}
	return t.scaled()
}

func middle(values []float64) float64 { return profile.MedianOf(values).Value }

// TapCosts returns tables of the area of hardware taps and their effect on the clock.
func TapCosts(list []micro.TapCost) (areas, clocks *Table) {
	areas = &Table{ID: "tap-areas", Title: "Area of monitors and agent, synthesized out of context; block RAM is 36 " +
		"kbit on xc7, 4 kbit on iCE40, 18 kbit on the Virtex-4 LX100 of Lancaster 2011, Table 4.3 (published)",
		Columns: []Column{name("configuration"), number("xc7 LUT"), number("FF"), number("BRAM"), number("iCE40 LUT"),
			number("FF"), number("BRAM"), number("published LUT"), number("FF"), number("BRAM")}}
	hertz := func(s string) Column { return number(s).in("Hz").own() }
	clocks = &Table{ID: "tap-clocks",
		Title: "f_max of the chain on an iCE40 HX8K (median of seven seeds), and of the Virtex-4 of Table 4.2 " +
			"(published); cycles for a thousand words in RTL simulation", Columns: []Column{
			name("configuration"), hertz("without taps"), hertz("with taps"), number("ratio"), hertz("published"),
			number("cycles without taps"), number("cycles with taps")}}
	for i := range list {
		c := &list[i]
		xc7, ice40 := c.Area["xc7"], c.Area["ice40hx"]
		row := areas.add(text(c.Name))
		for _, x := range []*rtl.Area{&xc7, &ice40, c.Theirs} {
			if x == nil {
				row.Cells = append(row.Cells, dash(), dash(), dash())
				continue
			}
			row.Cells = append(row.Cells, integer(x.LUT), integer(x.FF), digits(x.BRAM, 3))
		}
		if c.Module != "" {
			continue
		}
		with, without, ratio := dash(), dash(), text(c.NotPlaced)
		if c.Plain != nil {
			without = figure(middle(c.Plain))
		}
		if c.Clock != nil {
			with, ratio = figure(middle(c.Clock)), percent(middle(c.Clock)/middle(c.Plain))
		}
		clocks.add(text(c.Name), without, with, ratio, figure(c.TheirClock), integer(c.PlainCycles), integer(c.Cycles))
	}
	return areas, clocks.scaled()
}

// QueensCosts compares the area of monitors in N-queens devices with published values.
func QueensCosts(list []micro.QueensCost) *Table {
	hertz := func(s string) Column { return number(s).in("Hz").own() }
	t := &Table{ID: "queens-costs", Title: "N queens with cycle monitors and an agent, compared with Koehler 2007, " +
		"Table 2 (published, in slices): synthesized LUT and FF; f_max after placement, median of five seeds",
		Columns: []Column{name("design"), name("device"), number("LUT without").about("without monitors and agent"),
			number("with").about("with monitors and agent"), percents("added share of device"), number("FF without"),
			number("with"), number("BRAM without"), number("with"), hertz("f_max without"), hertz("lowest of seeds"),
			hertz("highest"), hertz("with"), hertz("lowest of seeds"), hertz("highest")}}
	for i := range list {
		c := &list[i]
		label := c.Name
		if c.Published {
			label += " (published)"
		}
		row := t.add(text(label), text(c.Device), integer(c.Plain.LUT), integer(c.Area.LUT),
			share((c.Area.LUT-c.Plain.LUT)/c.LUT))
		if c.Published {
			row.Cells = append(row.Cells, dash(), dash())
		} else {
			row.Cells = append(row.Cells, integer(c.Plain.FF), integer(c.Area.FF))
		}
		row.Cells = append(row.Cells, digits(c.Plain.BRAM, 3), digits(c.Area.BRAM, 3))
		for _, hertz := range [][]float64{c.PlainClock, c.Clock} {
			if len(hertz) == 0 {
				row.Cells = append(row.Cells, text(c.NotPlaced), dash(), dash())
				continue
			}
			row.Cells = append(row.Cells, figure(middle(hertz)), figure(slices.Min(hertz)), figure(slices.Max(hertz)))
		}
	}
	return t.scaled()
}

// QueensSpeeds returns a table of the simulation speed of N-queens cores with and without monitors.
func QueensSpeeds(list []micro.QueensSpeed) *Table {
	t := &Table{ID: "queens-speeds", Title: "Simulation speed of N-queens cores on this machine (Verilator; " +
		"medians of alternating rounds)", Columns: []Column{name("design"), number("rounds"), number("cycles"),
		number("cycles/s"), number("relative to unmonitored").about("median over rounds of the speed relative to the " +
			"design without monitors in the same round"), number("minimum").about("lowest relative speed of a round"),
		number("maximum").about("highest relative speed of a round")}}
	for i := range list {
		s := &list[i]
		speeds, of := make([]float64, len(s.Seconds)), make([]float64, len(s.Seconds))
		for j, seconds := range s.Seconds {
			speeds[j] = float64(s.Cycles) / seconds
			of[j] = speeds[j] / (float64(list[0].Cycles) / list[0].Seconds[j])
		}
		t.add(text(s.What), integer(len(speeds)), integer(s.Cycles), compact(middle(speeds)), decimals(middle(of), 2),
			decimals(slices.Min(of), 2), decimals(slices.Max(of), 2))
	}
	return t
}

// OverTheBus returns a table of the predicted and simulated throughput of two mappings versus the bus bandwidth.
func OverTheBus(points []paper.BusPoint) *Table {
	own := func(s string) Column { return rate(s).own() }
	t := &Table{ID: "over-the-bus", Title: "Throughput of VERITAS in fixed point versus the bus bandwidth, " +
		"with Chopper on the second core (A) or on the FPGA (B): predicted with unlimited buffers, and simulated " +
		"in virtual time with mean service times on cores (error: (predicted - simulated) / simulated)",
		Columns: []Column{number("pipes"), own("bus"), own("A predicted"),
			own("A simulated"), number("A error"), name("A bottleneck"), own("B predicted"), own("B simulated"),
			number("B error"), name("B bottleneck"), number("B / A").about("simulated throughput of B relative to A")}}
	for i := range points {
		p := &points[i]
		row := t.add(integer(p.Pipes), figure(p.Bandwidth))
		for _, r := range []*paper.BusRun{&p.A, &p.B} {
			row.Cells = append(row.Cells, figure(r.Predicted), figure(r.Simulated),
				errorCell(r.Predicted/r.Simulated-1),
				text(r.Bottleneck))
		}
		row.Cells = append(row.Cells, decimals(p.B.Simulated/p.A.Simulated, 2))
	}
	return t.scaled()
}

// Speeds returns a table of simulation speeds.
func Speeds(list []paper.SimulationSpeed) *Table {
	t := &Table{ID: "speeds", Title: "Simulation speed on this machine (Verilator; one run each)",
		Columns: []Column{name("simulation"), number("cycles/s"), number("elements/s"), time("duration").own()}}
	for i := range list {
		s := &list[i]
		t.add(text(s.What), compact(float64(s.Cycles)/s.Seconds), compact(float64(s.Elements)/s.Seconds),
			figure(s.Seconds))
	}
	return t.scaled()
}

// SizedBuffers compares methods that size the buffers of applications.
func SizedBuffers(cases []micro.BuffersCase, runs int, window clock.Duration) *Table {
	t := &Table{ID: "sized", Title: "Methods of sizing buffers: " + turns(runs, window), Columns: []Column{
		name("application"), number("kernels").spare(2), number("edges").spare(1), name("buffers"), rate("rate").own(),
		name("measured at").about("sinks if buffers were still filling, otherwise sources"),
		number("rate / default").about("rate relative to the adjacent run with 256 KiB buffers"),
		name("95 % interval"),
		size("memory").own(), number("memory / default").about("memory relative to the adjacent run with 256 KiB " +
			"buffers"),
		time("p99").own().about("99th percentile of the latency from a source to a sink"),
		number("p99 / default").about("p99 relative to the run with 256 KiB buffers"),
		number("grown").about("number of buffers that grew, total over all runs")}}
	for i := range cases {
		x := &cases[i]
		if x.Fail != "" {
			t.add(text(x.Name), integer(x.Kernels), integer(x.Edges), text("not measured: "+x.Fail), dash(), dash(),
				dash(),
				dash(), dash(), dash(), dash(), dash(), dash())
			continue
		}
		at := "sources"
		if x.AtSinks {
			at = "sinks"
		}
		for w, way := range micro.BuffersWays() {
			y := &x.Ways[w]
			excess, inside, memoryOver, p99Over, p99 := dash(), dash(), dash(), dash(), some(y.P99)
			if w > 0 {
				excess, memoryOver = part(y.RateOver.Value), part(y.MemoryOver.Value)
				inside = interval(&y.RateOver, shareText)
				if y.P99Over != nil {
					p99Over = part(*y.P99Over)
				}
			}
			t.add(text(x.Name), integer(x.Kernels), integer(x.Edges), text(way), figure(y.Rate.Value), text(at), excess,
				inside, figure(y.Memory.Value), memoryOver, p99, p99Over, integer(y.Grown))
		}
	}
	t.Note = "(default again: second runs with the default buffers, which show the noise of the machine)"
	return t.scaled()
}

// SizedBuffersInAll returns the median and the worst value of each quantity over all applications.
func SizedBuffersInAll(cases []micro.BuffersCase) *Table {
	t := &Table{ID: "sized-in-all", Title: "All applications: medians and worst values of the table above",
		Columns: []Column{name("buffers"), number("rate"), number("lowest rate"), number("memory"),
			number("highest memory"), number("p99").about("99th percentile of the latency from a source to a sink"),
			number("longest p99").about("p99 in the application with the longest latency"),
			number("hung").about("applications with a hung run")}}
	for w, way := range micro.BuffersWays() {
		var rates, memories, p99s []float64
		hung := 0
		for i := range cases {
			if x := &cases[i]; x.Fail == "" {
				y := &x.Ways[w]
				rates, memories = append(rates, y.RateOver.Value), append(memories, y.MemoryOver.Value)
				if y.P99Over != nil {
					p99s = append(p99s, *y.P99Over)
				}
				if y.Hung != "" {
					hung++
				}
			}
		}
		if len(rates) == 0 {
			continue
		}
		p99, longest := dash(), dash()
		if len(p99s) > 0 {
			p99, longest = part(profile.MedianOf(p99s).Value), part(slices.Max(p99s))
		}
		t.add(text(way), part(profile.MedianOf(rates).Value), part(slices.Min(rates)),
			part(profile.MedianOf(memories).Value), part(slices.Max(memories)), p99, longest, integer(hung))
	}
	t.Note = "(rates, memory and p99 are relative to the runs with default buffers)"
	return t
}

// Replays compares measured runs of mappings with replays in virtual time that use the service times from another
// mapping (Gayen 2008, ch. 6).
func Replays(runs []paper.ReplayRun, realTime bool) *Table {
	class := "in the default scheduling class"
	if realTime {
		class = "in a real-time class, so that other programs cannot interrupt the run"
	}
	t := &Table{ID: "replays", Title: "Throughput of the sources over complete runs: native " + class +
		", and in virtual time with the service times of the recorded mapping (error: (virtual - native) / native)",
		Columns: []Column{name("application"), name("mapping"), number("runs"),
			rate("native").about("median throughput of the native runs").own(),
			number("min to max").about("range of the native runs, relative to their median"),
			rate("replayed").about("throughput with the recorded service times in their order").own(), number("error"),
			rate("drawn").own().about("throughput with service times from gamma distributions of the same mean " +
				"and scv"),
			number("error ").about("error with the drawn service times")}}
	for i := range runs {
		r := &runs[i]
		median := r.Median()
		mapping := r.Mapping
		if r.Recorded {
			mapping += " (recorded)"
		}
		t.add(text(r.App), text(mapping), integer(len(r.Native)), figure(median),
			text(fmt.Sprintf("%.3f to %.3f", slices.Min(r.Native)/median, slices.Max(r.Native)/median)),
			figure(r.Replayed), errorCell(r.Replayed/median-1), figure(r.Drawn), errorCell(r.Drawn/median-1))
	}
	return t.scaled()
}
