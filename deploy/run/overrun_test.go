package run

import (
	"path/filepath"
	"testing"

	"xopt/deploy/program"
)

// testOverruns runs a program once with each fault.
func testOverruns(t *testing.T, options program.Options, cases []injected) {
	options.CPUs = 2
	prog, err := program.New(t.Context(), load(t, "testdata/overruns", "app.x", ""), options,
		filepath.Join(t.TempDir(), "kept"))
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		cases = ofEachKind(cases)
	}
	t.Run("all", func(t *testing.T) { // ends with the last of them
		for _, c := range cases {
			t.Run(c.fault, func(t *testing.T) {
				t.Parallel()
				m, err := Once(t.Context(), prog, Options{Stall: stall, Env: []string{"FAULT=" + c.fault}})
				if err != nil {
					t.Fatal(err)
				}
				c.check(t, m.Failure)
				checkFigures(t, m)
			})
		}
	})
}

// checkFigures checks for impossible measurements.
func checkFigures(t *testing.T, m *Measurement) {
	t.Helper()
	for _, e := range m.Edges {
		if e.Elements > 5000 || e.Left > uint64(e.Capacity) || e.MaxOccupancy > uint64(e.Capacity) ||
			!(e.Blocked >= 0 && e.Blocked < 1000) {
			t.Errorf("edge %s is said to have carried %+v", e.Edge, e)
		}
	}
	for _, k := range m.Kernels {
		if !(k.Busy >= 0 && k.Busy < 1000) {
			t.Errorf("kernel %s is said to have worked %+v", k.Kernel, k)
		}
	}
}

// TestOverwritten: whatever a kernel writes to shared memory, the run ends, xopt continues, no other kernel is
// blamed, and figures remain plausible.
func TestOverwritten(t *testing.T) {
	const by = "shared memory was overwritten by "
	testOverruns(t, program.Options{}, []injected{
		{"none", "", "", ""},
		{"truncate", "", "", ""},
		{"scribble", "overwritten", "", by},
		{"processes", "overwritten", "", by},
		{"edges", "overwritten", "", by},
		{"producer", "overwritten", "", by},
		{"own", "overwritten", "top.f", by + "kernel top.f (block F)"},
		{"all", "overwritten", "", by},
		{"zero", "overwritten", "", by},
		{"hole", "overwritten", "", by},
		{"loop", "overwritten", "", by},
		{"far", "overrun", "top.f", "f.c) wrote past the end of its buffer, output y (edge " +
			"top.e2), in its firing 500"},
		{"room", "overrun", "top.f", "f.c) wrote past the end of its buffer, output y (edge " +
			"top.e2), in its firing 1"},
	})
}

// TestBeyondRoom: where an edge uses its ring, writes of a kernel beyond its space are found, too.
func TestBeyondRoom(t *testing.T) {
	testOverruns(t, program.Options{Schedule: program.ScheduleSinks}, []injected{
		{"room", "overrun", "top.f", "f.c) wrote beyond its space on output y (edge " +
			"top.e2), in its firing "},
	})
}

// TestGuard: a guarded run finds every write past an element, and reports of the compiler's sanitizers.
func TestGuard(t *testing.T) {
	t.Parallel()
	testOverruns(t, program.Options{Guard: true}, []injected{
		{"none", "", "", ""},
		{"one", "overrun", "top.f", "wrote past the end of the elements that it had requested space for, output y " +
			"(edge " +
			"top.e2), in its firing 500, at byte 0 after the end"},
		{"before", "overrun", "top.f", "wrote before the start of the elements that it had requested, output y " +
			"(edge top.e2), in its firing 501 or before"},
		{"room", "overrun", "top.f", "wrote past the end of the elements that it had requested space for, output y " +
			"(edge " +
			"top.e2), in its firing 1,"},
		{"heap", "crash", "top.f", "it printed: "},
		{"index", "crash", "top.f", "runtime error: index 4 out of bounds"},
		{"over", "crash", "top.f", "runtime error: signed integer overflow"},
	})
}
