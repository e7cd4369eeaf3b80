package run

import (
	"fmt"
	"strings"

	"xopt/internal/units"
)

// noteLeft tells of kernels outside of loops that have ended and left what they could have taken: of every
// port as many elements as their join takes of it, or where no join is declared, any. A run that ends so has
// gone well for all that can be seen, and perhaps not done its work.
func (r *run) noteLeft() {
	for k := range r.prog.Kernels {
		kernel := &r.prog.Kernels[k]
		var left []string
		enough := true
		for _, port := range kernel.Inputs {
			held, outside := uint64(0), true
			for _, e := range port.Edges {
				held, outside = held+r.held(e), outside && r.prog.Edges[e].Loop < 0
			}
			enough = enough && (!kernel.Joined || held >= port.Needs) && outside
			if held > 0 && !port.Once {
				left = append(left, units.Elements(held)+" of "+port.Name)
			}
		}
		if enough && len(left) > 0 {
			r.notes = append(r.notes, fmt.Sprintf("%s ended and left %s unread, after %s", r.kernelText(k),
				strings.Join(left, " and "), r.lastProgress(k)))
		}
	}
}
