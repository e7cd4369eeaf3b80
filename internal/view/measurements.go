package view

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"xopt/calibrate/profile"
	"xopt/internal/report"
	"xopt/internal/units"
)

// measurements shows what was measured: kernels alone, and a run.
func measurements(r *report.Result) Section {
	s := Section{ID: "measurements", Title: "Measurements"}
	if r.Profile != nil {
		s.Parts = append(s.Parts, kernelsAlone(r.Profile)...)
	}
	if m := r.Measured; m != nil {
		how := "Measured"
		if m.Simulated != "" {
			how = "Simulated in virtual time"
		}
		s.Parts = append(s.Parts, Part{Text: fmt.Sprintf("%s in one run of %s on %s; the figures of kernels are of "+
			"the run, beside the others, not alone.", how, units.Time(float64(m.Seconds)), m.Machine.CPU)})
		s.Parts = append(s.Parts, Part{Table: runKernels(m)}, Part{Table: runEdges(m)})
		if t := hardware(m); t != nil {
			s.Parts = append(s.Parts, Part{Table: t})
		}
		s.Parts = append(s.Parts, histograms(m)...)
		s.Parts = append(s.Parts, frames(m)...)
		s.Parts = append(s.Parts, statements(m)...)
	}
	return s
}

// kernelsAlone shows kernels that were measured alone (box plots as Lancaster 2011, Fig. 6.4).
func kernelsAlone(p *profile.Profile) []Part {
	var rates []float64
	for i := range p.Kernels {
		if f := p.Kernels[i].ServiceRate; f != nil {
			rates = append(rates, f.Value)
		}
	}
	rate := scaleOf("B/s", rates...)
	t := &Table{ID: "profile", Title: "Kernels alone: service rate μ with its 95 % confidence interval",
		Columns: []Column{name("kernel"), rate.column("μ"), rate.column("from"), rate.column("to"),
			number("windows", ""), number("gain γ", ""), number("scv", ""), name("how")}}
	chart := &Chart{ID: "windows", Title: "Service rates of windows, of their median; measured",
		Note: "Box: quartiles; whiskers: the furthest within 1.5 times the box.", X: Axis{Name: "kernel"},
		Y: Axis{Name: "of the median (%)"}}
	boxes := Series{Name: "windows", Kind: Boxes}
	for i := range p.Kernels {
		k := &p.Kernels[i]
		f := k.ServiceRate
		if f == nil {
			continue
		}
		label := k.Label()
		figure := func(f *profile.Figure) Cell {
			if f == nil {
				return text("-")
			}
			return compact(f.Value)
		}
		from, to := text("-"), text("-") // no interval of few windows
		if low, high, ok := f.Interval(); ok {
			from, to = rate.cell(report.Number(low)), rate.cell(report.Number(high))
		}
		how := k.How
		if how == "" {
			how = "on a core of this machine"
		}
		t.Rows = append(t.Rows, Row{Cells: []Cell{text(label), atLeast(rate.cell(report.Number(f.Value)),
			f).marked("measured"), from, to, whole(float64(f.N)), figure(k.Gain), figure(k.ServiceSCV), text(how)}})
		if len(f.Windows) > 1 && f.Value > 0 {
			b := report.NewBox(f.Windows)
			boxes.Boxes = append(boxes.Boxes, [5]float64{100 * b.Low / f.Value, 100 * b.Q1 / f.Value,
				100 * b.Median / f.Value, 100 * b.Q3 / f.Value, 100 * b.High / f.Value})
			chart.X.Categories = append(chart.X.Categories, label)
		}
	}
	parts := []Part{{Table: t}}
	if len(boxes.Boxes) > 0 {
		chart.Series = []Series{boxes}
		parts = append(parts, Part{Chart: chart})
	}
	if len(p.Links) > 0 {
		l := &Table{ID: "links", Title: "Links, measured", Columns: []Column{name("linktype"), name("where"),
			number("bandwidth", "B/s"), number("each message", "s")}}
		for i := range p.Links {
			x := &p.Links[i]
			row := Row{Cells: []Cell{text(x.Linktype), text(x.Where), text("-"), text("-")}}
			if x.Bandwidth != nil {
				row.Cells[2] = Cell{Text: units.Rate(x.Bandwidth.Value), Value: x.Bandwidth.Value, Valued: true}
			}
			if x.TransferCost != nil {
				row.Cells[3] = Cell{Text: units.Time(x.TransferCost.Value), Value: x.TransferCost.Value, Valued: true}
			}
			l.Rows = append(l.Rows, row)
		}
		parts = append(parts, Part{Table: l})
	}
	return parts
}

func runKernels(m *report.Measured) *Table {
	var times, rates []float64
	for _, k := range m.Kernels {
		times, rates = append(times, float64(k.ServiceTime)), append(rates, float64(k.ServiceRate))
	}
	time, rate := scaleOf("s", times...), scaleOf("B/s", rates...)
	t := &Table{ID: "run-kernels", Title: "Kernels in the run", Columns: []Column{name("kernel"), name("process"),
		number("firings", ""), number("busy", ""), time.column("service time"), number("scv", ""),
		rate.column("per busy time"), number("gain", "")}}
	for _, k := range m.Kernels {
		scv := text("-")
		if k.Service != nil && k.Service.SCV != nil {
			scv = compact(float64(*k.Service.SCV))
		}
		t.Rows = append(t.Rows, Row{Hot: k.Kernel == m.FaultOf, Cells: []Cell{text(k.Kernel), text(k.Process),
			whole(float64(k.Firings)), bar(k.Utilization), time.cell(k.ServiceTime), scv, rate.cell(k.ServiceRate),
			compact(float64(k.Gain))}})
	}
	return t
}

func runEdges(m *report.Measured) *Table {
	var rates, times []float64
	for _, e := range m.Edges {
		rates = append(rates, float64(e.Rate))
		if e.Latency != nil {
			times = append(times, float64(e.Latency.Mean))
		}
	}
	rate, time := scaleOf("B/s", rates...), scaleOf("s", times...)
	t := &Table{ID: "run-edges", Title: "Edges in the run: backpressure is the part of the time that the writer " +
		"waited for room", Columns: []Column{name("edge"), number("elements", ""), rate.column("rate"),
		number("backpressure", ""), number("capacity (elements)", ""), number("mean held", ""), number("most held", ""),
		time.column("latency, mean"), time.column("99 %")}}
	for _, e := range m.Edges {
		held, mean, tail := compact(float64(e.MeanHeld)), text("-"), text("-")
		if e.Occupancy != nil {
			held = compact(float64(e.Occupancy.Mean))
		}
		if e.Latency != nil {
			mean = time.cell(e.Latency.Mean)
			if q := e.Latency.Quantile(0.99); q == q {
				tail = time.cell(report.Number(q))
			}
		}
		t.Rows = append(t.Rows, Row{Cells: []Cell{text(e.Edge), whole(float64(e.Elements)), rate.cell(e.Rate),
			bar(e.Backpressure), whole(float64(e.Capacity)), held, whole(float64(e.MostHeld)), mean, tail}})
	}
	return t
}

func hardware(m *report.Measured) *Table {
	if len(m.Hardware) == 0 {
		return nil
	}
	t := &Table{ID: "hardware", Title: "Taps in hardware, read through the agent (RTL simulation)",
		Columns: []Column{name("FPGA"), name("edge"), name("place"), number("cycles", ""), number("moved", ""),
			number("waited", ""), number("idle", ""), number("queue: least", ""), number("mean (words)", ""),
			number("most", "")}}
	for _, h := range m.Hardware {
		row := Row{Cells: []Cell{text(h.FPGA), text(h.Edge), text(h.Place), whole(float64(h.Cycles))}}
		share := func(n uint64) Cell {
			if h.Cycles == 0 {
				return text("-")
			}
			return bar(report.Number(float64(n) / float64(h.Cycles)))
		}
		if h.Place == "queue" {
			row.Cells = append(row.Cells, text(""), text(""), text(""), whole(float64(h.Least)),
				compact(float64(h.Mean)), whole(float64(h.Most)))
		} else {
			row.Cells = append(row.Cells, share(h.Moved), share(h.Waited), share(h.Idle), text(""), text(""), text(""))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// shownHistograms is how many of each kind a report has: those that matter most.
const shownHistograms = 6

// histograms are of the service times of the busiest kernels, and of the fullest queues
// (Lancaster 2011, Fig. 6.5).
func histograms(m *report.Measured) []Part {
	var parts []Part
	kernels := slices.Clone(m.Kernels)
	slices.SortStableFunc(kernels, func(a, b report.MeasuredKernel) int {
		return cmp.Compare(b.Utilization,
			a.Utilization)
	})
	n := 0
	for _, k := range kernels {
		if k.Service == nil || len(k.Service.Bins) < 2 || n == shownHistograms {
			continue
		}
		n++
		parts = append(parts, Part{Chart: histogram(fmt.Sprintf("service-%d", n), "Service time of "+k.Kernel+
			", sampled in the run", "s", k.Service)})
	}
	edges := slices.Clone(m.Edges)
	slices.SortStableFunc(edges, func(a, b report.MeasuredEdge) int { return cmp.Compare(fullness(b), fullness(a)) })
	n = 0
	for _, e := range edges {
		if e.Occupancy == nil || len(e.Occupancy.Bins) < 2 || n == shownHistograms {
			continue
		}
		n++
		parts = append(parts, Part{Chart: histogram(fmt.Sprintf("occupancy-%d", n), fmt.Sprintf("Occupancy of %s, "+
			"of %d elements, as elements find it; measured in the run", e.Edge, e.Capacity), "", e.Occupancy)})
	}
	return parts
}

func fullness(e report.MeasuredEdge) report.Number {
	if e.Occupancy == nil || e.Capacity == 0 {
		return 0
	}
	return e.Occupancy.Mean / report.Number(e.Capacity)
}

// A histogram has so many bins, of which the last holds what lies above a quantile.
const (
	histogramBins = 40
	almostAll     = 0.995
)

// histogram draws a distribution.
func histogram(id, title, unit string, d *report.Distribution) *Chart {
	scale, axis := scaledColumn{}, "elements"
	if unit != "" {
		scale = scaleOf(unit, float64(d.Mean))
		axis = scale.scale.Unit()
	}
	c := &Chart{ID: id, Title: title, X: Axis{Name: axis}, Y: Axis{Name: "of all (%)"}}
	// Bins of one width, from the least to where all but a few lie; the last holds the rest.
	low, high := float64(d.Min), d.Quantile(almostAll)
	if !(high > low) {
		high = float64(d.Max)
	}
	counts := make([]float64, histogramBins+1)
	width := (high - low) / histogramBins
	if unit == "" { // whole elements
		width = math.Max(1, math.Ceil(width))
	}
	for _, b := range d.Bins {
		from, to := float64(b.From), math.Max(float64(b.To), float64(b.From)+1e-12)
		for i := range counts {
			begin, end := low+width*float64(i), low+width*float64(i+1)
			if i == 0 {
				begin = math.Inf(-1)
			}
			if i == histogramBins {
				end = math.Inf(1)
			}
			if part := math.Min(end, to) - math.Max(begin, from); part > 0 {
				counts[i] += float64(b.Elements) * part / (to - from)
			}
		}
	}
	s := Series{Name: "elements", Kind: Bars}
	for i, n := range counts {
		label := scale.scale.Format(low + width*float64(i))
		if i == histogramBins {
			if n == 0 {
				break
			}
			label += " and more"
		}
		c.X.Categories = append(c.X.Categories, label)
		s.X, s.Y = append(s.X, float64(i)), append(s.Y, 100*n/float64(d.Elements))
	}
	c.Series = []Series{s}
	return c
}

// frames shows how rates and queues change through time (Lancaster 2011, Figs. 6.4, 6.7, 6.11).
func frames(m *report.Measured) []Part {
	if len(m.Frames) < 2 {
		return nil
	}
	const shown = 8 // lines of a chart
	var parts []Part
	box := Series{Name: "frames", Kind: Boxes}
	chart := &Chart{ID: "frame-rates", Title: fmt.Sprintf("Rates over %d frames; measured", len(m.Frames)),
		X: Axis{Name: "edge"}, Note: "Box: quartiles; whiskers: the furthest within 1.5 times the box."}
	var all []float64
	for _, f := range m.Frames {
		for _, e := range f.Edges {
			all = append(all, float64(e.Rate))
		}
	}
	rate := scaleOf("B/s", all...)
	chart.Y = Axis{Name: rate.scale.Heading("rate")}
	at := make([]float64, len(m.Frames))
	var last float64
	for i, f := range m.Frames {
		at[i] = float64(f.Start)
		last = float64(f.End)
	}
	time := scaleOf("s", last)
	for i := range at {
		at[i] = time.scale.Of(at[i])
	}
	occupancy := &Chart{ID: "frame-occupancy", Title: "Mean occupancy of the fullest queues, by frame; measured",
		X: Axis{Name: time.scale.Heading("time")}, Y: Axis{Name: "elements"}}
	through := &Chart{ID: "frame-throughput", Title: "Rates by frame; measured", X: occupancy.X, Y: chart.Y}
	for e := range m.Edges {
		values := make([]float64, len(m.Frames))
		line := Series{Name: m.Edges[e].Edge, Kind: Steps, X: at}
		held := Series{Name: m.Edges[e].Edge, Kind: Steps}
		for i, f := range m.Frames {
			if e >= len(f.Edges) {
				continue
			}
			values[i] = float64(f.Edges[e].Rate)
			line.Y = append(line.Y, rate.of(f.Edges[e].Rate))
			if o := f.Edges[e].Occupancy; o != nil {
				held.X, held.Y = append(held.X, at[i]), append(held.Y, float64(*o))
			}
		}
		b := report.NewBox(values)
		box.Boxes = append(box.Boxes, [5]float64{rate.scale.Of(b.Low), rate.scale.Of(b.Q1), rate.scale.Of(b.Median),
			rate.scale.Of(b.Q3), rate.scale.Of(b.High)})
		chart.X.Categories = append(chart.X.Categories, m.Edges[e].Edge)
		if len(line.Y) == len(at) && len(through.Series) < shown {
			through.Series = append(through.Series, line)
		}
		if len(held.Y) > 1 {
			occupancy.Series = append(occupancy.Series, held)
		}
	}
	slices.SortStableFunc(occupancy.Series, func(a, b Series) int {
		return cmp.Compare(slices.Max(b.Y),
			slices.Max(a.Y))
	})
	occupancy.Series = occupancy.Series[:min(len(occupancy.Series), shown)]
	chart.Series = []Series{box}
	parts = append(parts, Part{Chart: chart}, Part{Chart: through})
	if len(occupancy.Series) > 0 {
		parts = append(parts, Part{Chart: occupancy})
	}
	return parts
}

// statements are those of the TimeTrial language, with what they measured.
func statements(m *report.Measured) []Part {
	var parts []Part
	if len(m.Queries) > 0 {
		t := &Table{ID: "statements", Title: "What the measure statements measured", Columns: []Column{name("name"),
			name("statement"), number("value", ""), name("unit")}}
		for _, q := range m.Queries {
			value := text("-")
			if q.Total.Value != nil {
				value = compact(float64(*q.Total.Value))
			}
			t.Rows = append(t.Rows, Row{Cells: []Cell{text(q.Name), text(strings.TrimSpace(q.Text)), value,
				text(q.Unit)}})
		}
		parts = append(parts, Part{Table: t})
	}
	if len(m.Assertions) > 0 {
		t := &Table{ID: "assertions", Title: "Assertions", Columns: []Column{name("name"), name("assertion"),
			name("holds"), number("frames", ""), number("of them failed", "")}}
		for _, a := range m.Assertions {
			holds := "yes"
			if !a.Holds {
				holds = "no"
			}
			t.Rows = append(t.Rows, Row{Hot: !a.Holds, Cells: []Cell{text(a.Name), text(strings.TrimSpace(a.Text)),
				text(holds), whole(float64(a.Frames)), whole(float64(a.Failed))}})
		}
		parts = append(parts, Part{Table: t})
	}
	return parts
}

// atLeast marks a cell of a figure that is a bound from below.
func atLeast(c Cell, f *profile.Figure) Cell {
	if f.AtLeast {
		c.Text = "≥ " + c.Text
	}
	return c
}
