package run

import (
	"xopt/deploy/faults"
	"xopt/internal/fault"
	"xopt/internal/units"
)

// emits warns of kernels that did not send what their emit statements say: sizes of buffers and figures that follow
// from them are wrong then.
func (r *run) emits(m *Measurement) []fault.Note {
	var notes []fault.Note
	for k := range r.prog.Kernels {
		kernel := &r.prog.Kernels[k]
		if kernel.Once {
			continue
		}
		fired, slack, known := m.Kernels[k].Firings, uint64(0), true
		if m.Failure != nil {
			slack = r.unfinished(k)
		}
		if kernel.IsSource() {
			fired, known = r.sourceFirings(k)
		}
		for _, port := range kernel.Outputs {
			if port.Emit == 0 || !known || len(port.Edges) == 0 {
				continue
			}
			sent, emit := r.sent(port.Edges[0]), uint64(port.Emit)
			if least, most := since(fired, slack)*emit, (fired+slack)*emit; sent < least || sent > most {
				notes = append(notes, faults.EmitDiffers.Notef("%s sent %s on %s in %s, but its emit says %d in each: "+
					"least sizes and figures that follow from it do not hold; correct the emit, the join or the kernel",
					kernel.Name, units.Elements(sent), port.Name, units.Counted(int(fired), "firing", "firings"), emit))
			}
		}
	}
	return notes
}

// unfinished is how many firings a kernel may have taken for without having sent, or the other way
// round, where a run was stopped: as many as its inputs hold, and the one that it works on.
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

// sourceFirings is how often a source has fired by its first port with emit: what it sent on the
// others must go with that, and be whole firings.
func (r *run) sourceFirings(k int) (uint64, bool) {
	for _, port := range r.prog.Kernels[k].Outputs {
		if port.Emit > 0 && len(port.Edges) > 0 {
			return r.sent(port.Edges[0]) / uint64(port.Emit), true
		}
	}
	return 0, false
}
