package run

import (
	"path/filepath"
	"testing"

	"xopt/deploy/program"
)

// TestPace: a pass of a batch through fused kernels is limited in time. Although a block has space for thousands of
// elements, it contains only a few if a kernel needs 1 ms for each.
func TestPace(t *testing.T) {
	prog, err := program.New(t.Context(), load(t, "testdata/pace", "app.x", ""), program.Options{CPUs: 1},
		filepath.Join(t.TempDir(), "kept"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := Well(t.Context(), prog, Options{})
	if err != nil {
		t.Fatal(err)
	}
	const first = 1024 / 8 // elements of the first batch, before any pass has been measured
	for _, e := range m.Edges {
		if e.Elements != 400 || e.MaxHeld > first {
			t.Errorf("edge %s carried %d elements and held up to %d, want 400 and at most %d", e.Edge, e.Elements,
				e.MaxHeld, first)
		}
	}
}
