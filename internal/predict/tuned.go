package predict

import (
	"context"
	"fmt"
	"math"

	"xopt/flow"
	"xopt/internal/design"
	"xopt/mapper/buffers"
)

// Tuned are the recommended sizes of the buffers of a design's mapping, in elements, by edge.
func Tuned(ctx context.Context, d *design.Design) (map[int]int, error) {
	n, err := flow.NewNetwork(d.Problem, d.Mapping)
	if err != nil {
		return nil, err
	}
	s, err := flow.Fast{}.Solve(ctx, n)
	if err != nil {
		return nil, err
	}
	sizes, err := buffers.Verified(ctx, n, s)
	if err != nil {
		return nil, err
	}
	tuned := make(map[int]int, len(sizes))
	for e, x := range sizes {
		if !(x.Elements >= 1 && x.Elements <= math.MaxInt32) {
			return nil, fmt.Errorf("%g elements are recommended for %s, which no memory holds", x.Elements,
				d.Program.Edges[e].Name)
		}
		tuned[e] = int(x.Elements)
	}
	return tuned, nil
}
