package flow

import "testing"

// TestRings: the edges of one port share a ring on a core, as large as the largest of their buffers, and have one each
// on an FPGA.
func TestRings(t *testing.T) {
	p := &Problem{Application: Application{Kernels: make([]Kernel, 4), Edges: []Edge{
		{From: 0, To: 1, FromPort: "y", ElementBytes: 10}, {From: 0, To: 2, FromPort: "y", ElementBytes: 10},
		{From: 0, To: 3, FromPort: "z", ElementBytes: 4}, {From: 1, To: 3, FromPort: "y", ElementBytes: 1},
		{From: 2, To: 3, FromPort: "y", ElementBytes: 1}}},
		Architecture: Architecture{Resources: []Resource{{}, {Sharing: Sharing{Rule: AreaOnly}}}}}
	sizes := []float64{3, 5, 2, 7, 11}
	elements := func(e int) float64 { return sizes[e] }
	r := NewRings(p)
	for place, want := range map[int]float64{0: 50 + 8 + 7 + 11, 1: 30 + 50 + 8 + 7 + 11} {
		at := &Mapping{Place: []int{place, 0, 0, 0}}
		if got := r.Memory(at, elements); got != want || r.Shared(at) != (place == 0) {
			t.Errorf("on %d: %g bytes, want %g; shared %v", place, got, want, r.Shared(at))
		}
		if n := testing.AllocsPerRun(10, func() { r.Memory(at, elements) }); n > 0 {
			t.Errorf("%g allocations", n)
		}
	}
}
