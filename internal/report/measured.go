package report

import (
	"fmt"
	"math"
	"strings"

	"xopt/internal/units"
)

// write prints what was measured in a run.
func (m *Measured) write(t *textWriter, predicted *Candidate) {
	partial, how := "", "measured"
	if m.Simulated != "" {
		how = "simulated"
	}
	if m.Partial != "" {
		partial = "; partial, for the run did not end by itself"
	}
	t.lead("Throughput", "%s out of the sources, %s into the sinks (%s in one run%s)",
		units.Rate(float64(m.Throughput)), units.Rate(float64(m.SinkRate)), how, partial)
	if m.Disturbed != "" {
		t.lead("Disturbed", "%s: run it again when the machine is quiet", m.Disturbed)
	}
	if predicted != nil {
		t.predicted(predicted, m)
	}
	if m.Simulated == "" {
		t.lead("Run time", "%s", units.Time(float64(m.Seconds)))
	} else {
		t.lead("Run time", "%s of virtual time, simulated in %s here", units.Time(float64(m.Seconds)),
			units.Time(float64(m.WallSeconds)))
		t.lead("Simulation", "%s: kernels on cores run natively, those on FPGAs in RTL simulation, links as servers",
			m.Simulated)
	}
	t.lead("Machine", "%s, %d cores, %s, %s; times by %s", m.Machine.CPU, m.Machine.Cores, m.Machine.Kernel,
		m.Machine.Compiler, m.Clock.text())
	var on []string
	for _, p := range m.Processes {
		where := "any processor"
		if p.Processor >= 0 {
			where = fmt.Sprintf("processor %d", p.Processor)
		}
		on = append(on, fmt.Sprintf("%s on %s (wait %s, scheduler %s)", p.Name, where, p.Wait, p.Scheduler))
		if len(on) == 8 && len(m.Processes) > 9 {
			on = append(on, fmt.Sprintf("and %d more", len(m.Processes)-8))
			break
		}
	}
	t.lead("Processes", "%s", strings.Join(on, ", "))
	if predicted != nil {
		t.besideTable(predicted, m)
	}
	m.kernelTable(t)
	m.routingTable(t)
	m.edgeTable(t)
	m.queueTable(t)
	m.writeHardware(t)
	m.frameTable(t)
	m.queryTable(t)
	m.assertionTable(t)
}

// text names the clock, with its frequency where that was measured or is by definition.
func (c Clock) text() string {
	if c.Hertz == 0 {
		return c.Name
	}
	return c.Name + " at " + units.Frequency(float64(c.Hertz))
}

// dash prints a figure, or a dash where there is none.
func dash(v Number, print func(float64) string) string {
	if v == 0 {
		return "-"
	}
	return print(float64(v))
}

func compact(v float64) string { return units.Count(v) }

func (m *Measured) kernelTable(t *textWriter) {
	var times, rates []float64
	for _, k := range m.Kernels {
		times = append(times, float64(k.ServiceTime))
		rates = append(rates, float64(k.ServiceRate))
	}
	time, rate := columnScale("s", times), columnScale("B/s", rates)
	g := grid{title: "Kernels: measured in the run, beside the others; not alone, as the model's μ is",
		headings: []string{"kernel", "process", "firings", "busy (%)", time.Heading("service time"), "scv",
			rate.Heading("per busy time"), "gain"}, spare: []int{1, 2, 6}}
	for _, k := range m.Kernels {
		scv := "-"
		if k.Service != nil && k.Service.SCV != nil {
			scv = compact(float64(*k.Service.SCV))
		}
		g.rows = append(g.rows, []string{k.Kernel, k.Process, fmt.Sprint(k.Firings),
			fmt.Sprintf("%.2f", 100*k.Utilization), dash(k.ServiceTime, time.Format), scv,
			dash(k.ServiceRate, rate.Format), dash(k.Gain, compact)})
		g.load = append(g.load, float64(k.Utilization))
	}
	t.grid(g)
}

func (m *Measured) routingTable(t *textWriter) {
	g := grid{title: "Routing: measured fractions of the bytes that a kernel sends", headings: []string{"kernel",
		"port", "fraction"}}
	for _, k := range m.Kernels {
		for _, p := range k.Routing {
			g.rows = append(g.rows, []string{k.Kernel, p.Port, fmt.Sprintf("%.6f", p.Fraction)})
			g.load = append(g.load, float64(p.Fraction))
		}
	}
	t.grid(g)
}

func (m *Measured) edgeTable(t *textWriter) {
	var rates, means []float64
	left := false
	for _, e := range m.Edges {
		rates = append(rates, float64(e.Rate))
		left = left || e.Left > 0
		if e.Latency != nil {
			means = append(means, float64(e.Latency.Mean))
		}
	}
	rate, time := columnScale("B/s", rates), columnScale("s", means)
	g := grid{title: "Edges: measured; latency from send to release; backpressure is the part of the run that the " +
		"writer waited for room",
		headings: []string{"edge", "elements", "elements/s", rate.Heading("rate"), "util (%)", "backpr. (%)",
			time.Heading("latency"), time.Heading("p99"), "not read"}, spare: []int{1}}
	if !left {
		g.spare = []int{8, 1}
	}
	for _, e := range m.Edges {
		mean, p99 := "-", "-"
		if e.Latency != nil {
			mean, p99 = time.Format(float64(e.Latency.Mean)), quantile(e.Latency, 0.99, time.Format)
		}
		g.rows = append(g.rows, []string{e.Edge, fmt.Sprint(e.Elements), units.Count(float64(e.ElementRate)),
			rate.Format(float64(e.Rate)),
			fmt.Sprintf("%.2f", 100*e.Utilization), fmt.Sprintf("%.2f", 100*e.Backpressure), mean, p99,
			fmt.Sprint(e.Left)})
		g.load = append(g.load, float64(e.Utilization))
	}
	t.grid(g)
	if left {
		t.remark("(not read: elements that were on the edge when the run ended)")
	}
}

// quantile prints a quantile, or a dash where there is no histogram.
func quantile(d *Distribution, p float64, print func(float64) string) string {
	if v := d.Quantile(p); !math.IsNaN(v) {
		return print(v)
	}
	return "-"
}

// sketchCells is how many cells the sketch of a histogram has.
const sketchCells = 12

func (m *Measured) queueTable(t *textWriter) {
	g := grid{headings: []string{"edge", "capacity", "mean", "p50", "p99", "most", "samples", "0 … capacity"},
		spare: []int{6}}
	sampled := false
	for _, e := range m.Edges {
		row := []string{e.Edge, fmt.Sprint(e.Capacity), compact(float64(e.MeanHeld)), "-", "-", fmt.Sprint(e.MostHeld),
			fmt.Sprint(e.Looks), ""}
		if d := e.Occupancy; d != nil {
			sampled = true
			whole := func(v float64) string { return compact(math.Floor(v)) }
			row = []string{e.Edge, fmt.Sprint(e.Capacity), compact(float64(d.Mean)), quantile(d, 0.5, whole),
				quantile(d, 0.99, whole), fmt.Sprint(uint64(d.Max)), fmt.Sprint(d.Samples),
				d.sketch(float64(e.Capacity) + 1)}
		}
		g.rows = append(g.rows, row)
		g.load = append(g.load, float64(e.MeanHeld)/float64(e.Capacity))
	}
	g.title = "Queues: measured occupancy in elements, as an element finds it when it is sent"
	if !sampled {
		g.title = "Queues: measured occupancy in elements, from looks every 10 ms"
		g.spare = []int{7, 3, 4, 6}
	}
	t.grid(g)
}

// sketch draws the histogram from 0 to a limit in a few cells.
func (d *Distribution) sketch(limit float64) string {
	var cells [sketchCells]float64
	most := 0.0
	for _, b := range d.Bins {
		from, to := float64(b.From), max(float64(b.To), float64(b.From)+1e-12)
		for i := range cells {
			low, high := limit*float64(i)/sketchCells, limit*float64(i+1)/sketchCells
			if part := min(high, to) - max(low, from); part > 0 {
				cells[i] += float64(b.Elements) * part / (to - from)
			}
		}
	}
	for _, c := range cells {
		most = max(most, c)
	}
	if most == 0 {
		return ""
	}
	var s strings.Builder
	for _, c := range cells {
		switch {
		case c == 0 || most == 0:
			s.WriteRune('·')
		default:
			s.WriteRune([]rune("▁▂▃▄▅▆▇█")[min(int(8*c/most), 7)])
		}
	}
	return s.String()
}

// frameTable prints the spread of rates over frames, as box-and-whisker plots draw it.
func (m *Measured) frameTable(t *textWriter) {
	if len(m.Frames) == 0 {
		return
	}
	var all []float64
	boxes := make([]Box, len(m.Edges))
	for e := range m.Edges {
		var rates []float64
		for _, f := range m.Frames {
			rates = append(rates, float64(f.Edges[e].Rate))
		}
		boxes[e] = NewBox(rates)
		all = append(all, boxes[e].Median)
	}
	rate := columnScale("B/s", all)
	g := grid{title: fmt.Sprintf("Rates over %d frames: measured; whiskers at 1.5 times the box", len(m.Frames)),
		headings: []string{"edge", rate.Heading("least"), rate.Heading("whisker"), rate.Heading("quartile"),
			rate.Heading("median"), rate.Heading("quartile"), rate.Heading("whisker"), rate.Heading("most")}}
	for e, b := range boxes {
		g.rows = append(g.rows, []string{m.Edges[e].Edge, rate.Format(b.Min), rate.Format(b.Low), rate.Format(b.Q1),
			rate.Format(b.Median), rate.Format(b.Q3), rate.Format(b.High), rate.Format(b.Max)})
		g.load = append(g.load, b.Median)
	}
	t.grid(g)
}
