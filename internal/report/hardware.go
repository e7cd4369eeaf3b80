package report

import (
	"fmt"

	"xopt/hdl"
)

// hardware takes in what the taps in FPGAs have counted.
func (r *recorder) hardware() {
	for i := range r.from.Hardware {
		h := &r.from.Hardware[i]
		place := "out of"
		switch {
		case h.Tap.Kind == hdl.QueueTap:
			place = "queue"
		case h.Tap.Put:
			place = "into"
		}
		r.out.Hardware = append(r.out.Hardware, HardwareTap{FPGA: h.FPGA, Edge: r.design.Program.Edges[h.Tap.Edge].Name,
			Place: place, WordBytes: h.Tap.Bytes, Cycles: h.Cycles,
			Moved: h.Moved, Waited: h.Waited, Idle: h.Idle, Least: h.Least, Mean: Number(h.Mean), Most: h.Most})
	}
}

// writeHardware prints it.
func (m *Measured) writeHardware(t *textWriter) {
	streams := grid{title: "Streams on FPGAs: counted by taps in the hardware, collected by its agent (RTL " +
		"simulation); in parts of the cycles", headings: []string{"edge", "at", "words", "bytes", "moved (%)",
		"waiting (%)", "idle (%)"}}
	queues := grid{title: "Queues on FPGAs, in words of the reader: likewise", headings: []string{"edge", "on", "least",
		"mean", "most"}}
	for _, h := range m.Hardware {
		if h.Place == "queue" {
			queues.rows = append(queues.rows, []string{h.Edge, h.FPGA, fmt.Sprint(h.Least),
				fmt.Sprintf("%.4g", float64(h.Mean)), fmt.Sprint(h.Most)})
			continue
		}
		part := func(n uint64) string { return fmt.Sprintf("%.2f", 100*float64(n)/float64(max(h.Cycles, 1))) }
		where := "into " + h.FPGA
		if h.Place != "into" {
			where = "out of " + h.FPGA
		}
		if h.inside(m.Hardware) {
			where = map[bool]string{true: "into its queue", false: "out of its queue"}[h.Place == "into"]
		}
		streams.rows = append(streams.rows, []string{h.Edge, where, fmt.Sprint(h.Moved), fmt.Sprint(h.WordBytes),
			part(h.Moved), part(h.Waited), part(h.Idle)})
	}
	for _, g := range []grid{streams, queues} {
		if len(g.rows) > 0 {
			t.grid(g)
		}
	}
}

// inside tells whether the edge stays inside its FPGA: then it has a queue there.
func (h *HardwareTap) inside(all []HardwareTap) bool {
	for i := range all {
		if all[i].Place == "queue" && all[i].Edge == h.Edge {
			return true
		}
	}
	return false
}
