package run

import (
	"strings"

	"xopt/deploy/faults"
	"xopt/internal/units"
)

// noteLeft adds a note on every kernel outside loops that ended and left elements unread. Such a run ends without an
// error, but may not have done its work.
func (r *run) noteLeft() {
	for k := range r.prog.Kernels {
		if left := r.unread(k); len(left) > 0 {
			r.notes = append(r.notes, faults.ElementsUnread.Notef("%s ended and left %s unread, after %s",
				r.kernelText(k), strings.Join(left, " and "), r.lastProgress(k)))
		}
	}
}

// unread returns the elements that a kernel outside loops could have consumed when it ended, with their ports. A kernel
// with a join could have consumed only complete sets of its inputs.
func (r *run) unread(k int) []string {
	kernel := &r.prog.Kernels[k]
	var left []string
	for _, port := range kernel.Inputs {
		held := uint64(0)
		for _, e := range port.Edges {
			if r.prog.Edges[e].Loop >= 0 {
				return nil
			}
			held += r.held(e)
		}
		if kernel.Joined && held < port.Needs {
			return nil
		}
		if held > 0 && !port.Once {
			left = append(left, units.Elements(held)+" of "+port.Name)
		}
	}
	return left
}
