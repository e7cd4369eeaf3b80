package apps_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"xopt/bench/apps/apptest"
	"xopt/deploy/program"
	"xopt/internal/testkit"
)

// TestHybridMappings checks that every mapping, including those with kernels on an FPGA, gives the same bytes as one
// core.
func TestHybridMappings(t *testing.T) {
	testkit.Tools(t, "verilator", "g++")
	picturePath := filepath.Join(t.TempDir(), "in.ppm")
	if err := os.WriteFile(picturePath, ppm(picture(0, 101, 67)), 0o644); err != nil {
		t.Fatal(err)
	}
	fixed := []string{"fixed.x", "arch.x"}
	for _, c := range []struct {
		app     apptest.App
		quantum uint64 // of the first run
		times   int    // runs of each mapping with the default quantum, among the long tests
	}{
		// With a quantum of 1, data cross the border a cycle late, and the processes wait for each other in each cycle.
		// Applications that run for long exchange data less often.
		{apptest.App{Dir: "jpeg", Input: picturePath}, 16, 3},
		{apptest.App{Dir: "des", Elements: 300}, 16, 0},
		{apptest.App{Dir: "veritas", Files: fixed, Elements: 1}, 16, 0},
		{apptest.App{Dir: "blastn", Elements: 200, Set: map[string]string{"top.planted": "0.1"}}, 1, 2},
		{apptest.App{Dir: "broadcast", Elements: 300}, 1, 2},
		// cores and FPGA depend on each other cyclically (Gayen 2008, Fig. 3.26)
		{apptest.App{Dir: "test1", Elements: 20}, 1, 2},
	} {
		t.Run(c.app.Dir, func(t *testing.T) {
			t.Parallel()
			if c.app.Dir != "test1" {
				testkit.Long(t, "it compiles a simulation for each mapping")
			}
			want, _ := c.app.Deploy(t, oneCore, program.Options{})
			app := c.app
			app.Files = []string{"app.x", "hybrid.x"}
			if c.app.Files != nil {
				app.Files[0] = c.app.Files[0]
			}
			app.Simulate.Quantum = c.quantum
			app.Agree(t, 1, want)
			if !testing.Short() && c.times > 0 {
				app.Simulate.Quantum = 0
				app.Agree(t, c.times, want)
			}
		})
	}
}

// TestBroadcastHardware checks a port that feeds several edges: on the FPGA, across its border, and from a core to it.
// The bytes must be equal, and the run must confirm the model.
func TestBroadcastHardware(t *testing.T) {
	testkit.Tools(t, "verilator", "g++")
	t.Parallel()
	app := apptest.App{Dir: "broadcast", Elements: 300}
	want, _ := app.Deploy(t, oneCore, program.Options{})
	app.Files = []string{"app.x", "hybrid.x"}
	mappings := []struct{ fpga, cores string }{
		{"top.scale, top.sum, top.peak", "top.source, top.store"}, // two inside, one to a core
		{"top.scale", "top.source, top.store, top.sum, top.peak"}, // three to cores
		{"top.sum, top.peak", "top.source, top.scale, top.store"}, // two from a core, one on the core
	}
	sizes := []string{"", "buffer { top.tosum, top.topeak } = 1; buffer { top.raw } = 64;"}
	if testing.Short() { // each needs to compile a simulation
		mappings, sizes = mappings[:1], sizes[1:]
	}
	for _, c := range mappings {
		for _, buffers := range sizes {
			mapping := fmt.Sprintf("map { %s } to fpga; map { %s } to proc[1]; %s", c.fpga, c.cores, buffers)
			got, m := app.Deploy(t, mapping, program.Options{Taps: program.StandardTaps(app.Load(t, mapping).Program,
				0)})
			if !bytes.Equal(got, want) {
				t.Errorf("%s: %d bytes of output differ from the %d wanted", mapping, len(got), len(want))
			}
			for e, x := range m.Edges {
				if x.Elements != app.Elements || x.Left != 0 {
					t.Errorf("%s: edge %d carried %d elements, and %d are left; want %d", mapping, e, x.Elements,
						x.Left, app.Elements)
				}
			}
		}
	}
}
