package run

import (
	"xopt/deploy/faults"
	"xopt/internal/fault"
	"xopt/internal/units"
)

// emits returns warnings about kernels that violated their emit statements, because buffer sizes and figures derived
// from these statements are then wrong.
func (r *run) emits(m *Measurement) []fault.Note {
	var notes []fault.Note
	for k := range r.prog.Kernels {
		kernel := &r.prog.Kernels[k]
		if kernel.Once {
			continue
		}
		fired, slack, isKnown := m.Kernels[k].Firings, uint64(0), true
		if m.Failure != nil {
			slack = r.unfinished(k)
		}
		if kernel.IsSource() {
			fired, isKnown = r.sourceFirings(k)
		}
		for _, port := range kernel.Outputs {
			if port.Emit == 0 || !isKnown || len(port.Edges) == 0 {
				continue
			}
			sent, emit := r.sent(port.Edges[0]), uint64(port.Emit)
			if minimum, maximum := since(fired, slack)*emit, (fired+slack)*emit; sent < minimum || sent > maximum {
				notes = append(notes, faults.EmitDiffers.Notef("%s sent %s on %s in %s, but its emit states %s per "+
					"firing, so minimum buffer sizes and derived figures are wrong (correct the emit, the join or "+
					"the kernel)",
					kernel.Name, units.Elements(sent), port.Name, units.Counted(int(fired), "firing", "firings"),
					units.Elements(emit)))
			}
		}
	}
	return notes
}

// unfinished returns the maximum number of unfinished firings of a kernel in a stopped run. An unfinished firing has
// received its input, but not sent its output. The maximum is the capacity of the input buffers in firings, plus the
// current firing.
func (r *run) unfinished(k int) uint64 {
	n := uint64(1)
	for i, port := range r.prog.Kernels[k].Inputs {
		if firing := r.prog.Kernels[k].Inputs[i].Firing; firing > 0 {
			for _, e := range port.Edges {
				n += r.capacity(e) / uint64(firing)
			}
		}
	}
	return n
}

// sourceFirings returns the number of complete firings of a source, counted at its first port with emit; false if no
// port has emit.
func (r *run) sourceFirings(k int) (uint64, bool) {
	for _, port := range r.prog.Kernels[k].Outputs {
		if port.Emit > 0 && len(port.Edges) > 0 {
			return r.sent(port.Edges[0]) / uint64(port.Emit), true
		}
	}
	return 0, false
}
