package run

import (
	"path/filepath"
	"strings"
	"testing"

	"xopt/deploy/program"
)

// paced runs 400 elements of 8 bytes through three kernels, the second of which needs 1 ms for each element.
func paced(t *testing.T, maps string) *Measurement {
	t.Helper()
	prog, err := program.New(t.Context(), load(t, "testdata/pace", "app.x", maps), program.Options{CPUs: 2},
		filepath.Join(t.TempDir(), "kept"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := Well(t.Context(), prog, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestPace: a pass of a batch through fused kernels is limited in time. Although a block has space for thousands of
// elements, it contains only a few if a kernel needs 1 ms for each.
func TestPace(t *testing.T) {
	t.Parallel()
	const first = 1024 / 8 // elements of the first batch, before any pass has been measured
	for _, e := range paced(t, "map { top } to proc[1];").Edges {
		if e.Elements != 400 || e.MaxOccupancy > first {
			t.Errorf("edge %s carried %d elements and held up to %d, want 400 and at most %d", e.Edge, e.Elements,
				e.MaxOccupancy, first)
		}
	}
}

// TestPacedClaims: a copy claims as many elements as it processes in a short time. If it claimed 8 KiB, one copy would
// process all 400 elements.
func TestPacedClaims(t *testing.T) {
	t.Parallel()
	maps := "map { top.g, top.s } to proc[1]; map { top.f } to proc[1] & proc[2];"
	sum, copies := uint64(0), 0
	for _, k := range paced(t, maps).Kernels {
		if !strings.HasPrefix(k.Kernel, "top.f") {
			continue
		}
		copies++
		sum += k.Firings
		if k.Firings < 10 {
			t.Errorf("copy %s on %s processed %d elements, want at least 10", k.Kernel, k.Process, k.Firings)
		}
	}
	if copies != 2 || sum != 400 {
		t.Errorf("%d copies processed %d elements, want 2 and 400", copies, sum)
	}
}
