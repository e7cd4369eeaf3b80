package predict

import (
	"fmt"
	"math"
)

// Tuned are the recommended sizes of the buffers of a mapping, in elements, by edge, for a run.
func (z *Sized) Tuned() (map[int]int, error) {
	tuned := make(map[int]int, len(z.sizes))
	for e, x := range z.sizes {
		if !(x.Elements >= 1 && x.Elements <= math.MaxInt32) {
			return nil, fmt.Errorf("%g elements are recommended for %s, more than any memory holds", x.Elements,
				z.design.Program.Edges[e].Name)
		}
		tuned[e] = int(x.Elements)
	}
	return tuned, nil
}
