package buffers

import (
	"math/rand/v2"
	"slices"
	"testing"

	"xopt/flow"
)

// TestAncestors compares ancestors with a search along the edges backwards from each kernel.
func TestAncestors(t *testing.T) {
	graphs := uint64(200)
	if testing.Short() {
		graphs = 50
	}
	for seed := range graphs {
		r := rand.New(rand.NewPCG(seed, 0))
		app := flow.Application{Kernels: make([]flow.Kernel, 1+r.IntN(150))}
		for range r.IntN(2 * len(app.Kernels)) {
			app.Edges = append(app.Edges, flow.Edge{From: r.IntN(len(app.Kernels)), To: r.IntN(len(app.Kernels))})
		}
		above := ancestorsOf(&app)
		want := make([]map[int]bool, len(app.Kernels))
		for k := range want {
			want[k] = make(map[int]bool)
			var back func(int)
			back = func(x int) {
				if want[k][x] {
					return
				}
				want[k][x] = true
				for _, e := range app.Edges {
					if e.To == x {
						back(e.From)
					}
				}
			}
			back(k)
		}
		for a := range want {
			for b := range want {
				if above.has(a, b) != want[a][b] {
					t.Fatalf("seed %d: %d is above %d: %v", seed, b, a, !want[a][b])
				}
				var both []int
				for k := range want {
					if want[a][k] && want[b][k] {
						both = append(both, k)
					}
				}
				if got := slices.Collect(above.common(a, b)); !slices.Equal(got, both) {
					t.Fatalf("seed %d: %d and %d both get data from %v, want %v", seed, a, b, got, both)
				}
			}
		}
	}
}
