package report

import (
	"fmt"
	"io"

	"xopt/internal/deploy"
	"xopt/internal/design"
	"xopt/internal/units"
)

// Measured prints what was measured in a run.
func Measured(w io.Writer, d *design.Design, m *deploy.Measurement, style Style) error {
	t := &textWriter{w: w, style: style}
	for _, n := range m.Notes {
		t.printf("note: %s\n", n)
	}
	partial := ""
	if m.Failure != nil {
		partial = " (partial: the run did not end by itself)"
	}
	t.printf("%s  %s out of the sources, measured%s\n", t.bold("Throughput"), t.bold(units.Rate(m.Throughput)), partial)
	t.printf("%s    %s\n", t.bold("Run time"), units.Time(m.Seconds))
	kernels := d.Program.Kernels
	var busy []float64
	for _, k := range m.Kernels {
		busy = append(busy, k.Busy)
	}
	time := units.ScaleFor("s", busy...)
	var rows [][]string
	for _, k := range m.Kernels {
		gain := "-"
		if k.Gain > 0 {
			gain = fmt.Sprintf("%.4g", k.Gain)
		}
		rows = append(rows, []string{kernels[k.Kernel].Name, k.Process, fmt.Sprint(k.Calls), time.Format(k.Busy), units.Percent(k.Utilization), units.Rate(k.ServiceRate), gain})
	}
	t.table("Kernels (measured in the run, beside the others; not alone)", []string{"kernel", "process", "calls", time.Heading("busy"), "of the run", "per busy time", "gain"}, rows)
	var flows []float64
	for _, e := range m.Edges {
		flows = append(flows, e.Rate)
	}
	flow := units.ScaleFor("B/s", flows...)
	rows = nil
	for _, e := range m.Edges {
		rows = append(rows, []string{d.Program.Edges[e.Edge].Name, fmt.Sprint(e.Elements), units.Count(e.ElementRate), flow.Format(e.Rate),
			fmt.Sprintf("%.4g", e.MeanOccupancy), fmt.Sprint(e.MaxOccupancy), fmt.Sprint(e.Capacity), fmt.Sprint(e.Waits), fmt.Sprint(e.Left)})
	}
	samples := 0
	if len(m.Edges) > 0 {
		samples = m.Edges[0].Looks
	}
	t.table(fmt.Sprintf("Edges (measured; occupancy in elements, from %d samples, one each 10 ms)", samples),
		[]string{"edge", "elements", "elements/s", flow.Heading("rate"), "mean held", "most held", "capacity", "waits for room", "not read"}, rows)
	return t.err
}
