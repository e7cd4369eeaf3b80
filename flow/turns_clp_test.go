//go:build clp

package flow

import (
	"context"
	"testing"
)

// TestTurnsEqualCLP: the edge-by-edge program has turns, too.
func TestTurnsEqualCLP(t *testing.T) {
	p := turnsProblem()
	for _, turns := range []float64{1, 2, 5} {
		p.Application.Kernels[0].Turns = turns
		n, fast := solve(t, p, &Mapping{Place: []int{0, 1, 2, 3}, Route: make([][]int, 3)})
		full, err := (FullLP{}).Solve(context.Background(), n)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, uint64(turns), n, fast, full)
	}
}
