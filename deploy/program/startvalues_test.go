package program

import (
	"runtime"
	"testing"

	"xopt/flow/xlang"
)

// TestSameStart: the initial elements of edges of one port are compared without allocating implicit zeros,
// which may be gigabytes.
func TestSameStart(t *testing.T) {
	p := &plan{program: &xlang.Program{Edges: []xlang.Edge{{Initial: 1 << 29}, {Initial: 4}, {Initial: 4},
		{Initial: 2}}},
		element: []uint64{8, 1, 1, 1}, values: [][]byte{nil, {0, 0, 7, 8}, {0, 0, 0, 0}, {7, 8}}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if !p.sameStart(0, 0) {
		t.Error("an edge is not the same as itself")
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes to compare zeros", n)
	}
	for _, c := range []struct {
		e, other int
		want     bool
	}{{3, 1, true}, {3, 2, false}, {1, 2, false}} {
		if got := p.sameStart(c.e, c.other); got != c.want {
			t.Errorf("edges %d and %d: %v, want %v", c.e, c.other, got, c.want)
		}
	}
	p.values[3] = nil // two zeros
	if p.sameStart(3, 1) || !p.sameStart(3, 2) {
		t.Error("zeros are not told from values")
	}
}
