package predict

import (
	"testing"

	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/flow/xlang"
)

// TestEvenCopies checks that all copies of an edge have the largest recommended size, as in a map file.
func TestEvenCopies(t *testing.T) {
	d := &design.Design{Program: &xlang.Program{Edges: []xlang.Edge{{Name: "top.e#1", Origin: 1},
		{Name: "top.f"}, {Name: "top.e#2", Origin: 1}}}}
	sizes := []buffers.Size{{Elements: 66, By: "few"}, {Elements: 9, By: "own"}, {Elements: 821, By: "most"}}
	evenCopies(d, sizes)
	for e, want := range []buffers.Size{{Elements: 821, By: "most"}, {Elements: 9, By: "own"},
		{Elements: 821, By: "most"}} {
		if got := sizes[e]; got.Elements != want.Elements || got.By != want.By {
			t.Errorf("edge %d: %g by %s, want %g by %s", e, got.Elements, got.By, want.Elements, want.By)
		}
	}
}
