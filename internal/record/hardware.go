package record

import (
	"xopt/hdl"
	"xopt/internal/result"
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
		r.out.Hardware = append(r.out.Hardware, result.HardwareTap{FPGA: h.FPGA,
			Edge:  r.design.Program.Edges[h.Tap.Edge].Name,
			Place: place, WordBytes: h.Tap.Bytes, Cycles: h.Cycles,
			Moved: h.Moved, Waited: h.Waited, Idle: h.Idle, Least: h.Least, Mean: result.Number(h.Mean), Most: h.Most})
	}
}
