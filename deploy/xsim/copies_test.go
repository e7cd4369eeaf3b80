package xsim_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"xopt/bench/apps/apptest"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/xsim"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
)

// copiesInHardware returns a mapping of bench/apps/copies with the given numbers of copies of mix and pair on the FPGA.
func copiesInHardware(mix, pair int) string {
	on := func(n int) string { return "fpga" + string(bytes.Repeat([]byte(" & fpga"), n-1)) }
	return fmt.Sprintf("map { top.mix } to %s; map { top.pair } to %s; map { top.source, top.count } to proc[1]; "+
		"map { top.vary, top.store } to proc[2];", on(mix), on(pair))
}

// TestCopiesInHardware: the output of a run with copies on an FPGA equals that without, byte for byte, also when the
// stream ends within a turn or a firing. Copies of the only bottleneck shorten the run by their number, minus the
// time of moving words. Kernels on cores have the times of their figures, independent of this machine.
func TestCopiesInHardware(t *testing.T) {
	testkit.Tools(t, "verilator", "g++")
	t.Parallel()
	const elements, figures = 1501, `impl Source on C (mu="2GB/s", scv=0); impl Count on C (mu="2GB/s", scv=0);
impl Vary on C (mu="2GB/s", scv=0); impl Store on C (mu="2GB/s", scv=0);
impl Mix on HDL (mu="100MB/s"); impl Pair on HDL (mu="100MB/s");
`
	app := apptest.App{Dir: "../../bench/apps/copies", Files: []string{"app.x", "hybrid.x"}, Elements: elements,
		Set: map[string]string{"top.source.elements": fmt.Sprint(elements)}}
	want, _ := app.Deploy(t, "map { top } to proc[1];", program.Options{})
	if len(want) == 0 {
		t.Fatal("no output on a core")
	}
	times := make(map[int]float64)
	for _, c := range [][2]int{{1, 1}, {4, 1}, {5, 3}} {
		if testing.Short() && c != [2]int{5, 3} {
			continue
		}
		d := flowtest.X{Dir: app.Dir, Files: app.Files, Set: app.Set, More: figures + copiesInHardware(c[0], c[1])}.
			Design(t, design.Options{Purpose: design.ForMapping})
		got, m := virtually(t, d, elements)
		if !bytes.Equal(got, want) {
			t.Errorf("%d copies of mix and %d of pair: %d bytes of output are not the %d wanted", c[0], c[1], len(got),
				len(want))
		}
		times[c[0]] = m.Frames[len(m.Frames)-1].End
	}
	if ratio := times[1] / times[4]; !testing.Short() && (ratio < 3.6 || ratio > 4.05) {
		t.Errorf("one kernel takes %g s, and four copies %g s: %g times less", times[1], times[4], ratio)
	}
}

// copiesInTime returns mappings of the application onto copies on cores of every kind: of one kernel and of units, in
// turn and by key, in sequence, and with unequal turns.
func copiesInTime() []string {
	return []string{
		"map { top.mix } to proc[1] & proc[2]; " +
			"map { top.source, top.pair, top.count, top.vary, top.store } to proc[1];",
		"map { top.mix, top.pair } to proc[1..3]; map { top.source, top.count, top.vary, top.store } to proc[4];",
		"map { top.mix } to 3 proc[1] & proc[2]; map { top.pair } to proc[2..4]; " +
			"map { top.source, top.count, top.vary, top.store } to proc[1];",
		"map { top.count, top.vary } to proc[1] & 2 proc[2]; " +
			"map { top.source, top.mix, top.pair, top.store } to proc[3];",
		"map { top.mix, top.pair } to proc[1] & proc[2]; map { top.count } to proc[1]; " +
			"map { top.vary } to proc[2] & proc[3] & proc[4]; map { top.source, top.store } to proc[2];",
	}
}

// TestCopiesInTime: in virtual time, copies on cores send the same bytes as one, with large and small buffers. With
// the times of the figures, the throughput is the predicted one.
func TestCopiesInTime(t *testing.T) {
	t.Parallel()
	const elements, figures = 48001, `impl Source on C (mu="2GB/s", scv=0); impl Mix on C (mu="20MB/s", scv=0);
impl Pair on C (mu="300MB/s", scv=0); impl Count on C (mu="400MB/s", scv=0);
impl Vary on C (mu="100MB/s", scv=0); impl Store on C (mu="2GB/s", scv=0);
`
	app := apptest.App{Dir: "../../bench/apps/copies", Elements: elements}
	want, _ := app.Deploy(t, "map { top } to proc[1];", program.Options{})
	for i, mapping := range copiesInTime() {
		if testing.Short() && i%2 == 1 {
			continue
		}
		for _, buffers := range []string{"", "buffer { top.raw, top.mixed } = 7; buffer { top.varied } = 3;"} {
			d := flowtest.X{Dir: app.Dir, Files: []string{"app.x", "arch.x"},
				More: figures + mapping + buffers}.Design(t, design.Options{Purpose: design.ForMapping})
			got, m := virtually(t, d, elements)
			if !bytes.Equal(got, want) {
				t.Errorf("%s %s: %d bytes of output are not the %d wanted", mapping, buffers, len(got), len(want))
			}
			if buffers == "" {
				agrees(t, mapping, d, m)
			}
		}
	}
}

// agrees fails a test if the throughput of a run in its steady state differs from the model's prediction.
func agrees(t *testing.T, what string, d *design.Design, m *run.Measurement) {
	t.Helper()
	n, err := flow.NewNetwork(d.Problem, d.Mapping)
	if err != nil {
		t.Fatal(err)
	}
	s, err := flow.Fast{}.Solve(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	if m.Steady == nil || m.Steady.Short != "" {
		t.Errorf("%s: the run was too short", what)
		return
	}
	// Batches of 8 KiB start and end in the steady state of about 300 KiB.
	if err := s.Throughput/m.Steady.Throughput - 1; math.Abs(err) > 0.03 {
		t.Errorf("%s: %.4g B/s in virtual time, and %.4g predicted, %+.2f %%", what, m.Steady.Throughput, s.Throughput,
			100*err)
	}
}

// virtually runs a mapping in virtual time, with the times of its figures, and returns the output of its sink.
func virtually(t *testing.T, d *design.Design, elements uint64) ([]byte, *run.Measurement) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	prog, _, err := xsim.Build(t.Context(), d, program.Options{Elements: elements, Output: out},
		xsim.Options{FromProfile: true, Seed: 3}, "")
	if err != nil {
		t.Fatal(err)
	}
	m, err := run.Well(t.Context(), prog, run.Options{Stall: atEase})
	if err = errors.Join(err, prog.Remove()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return got, m
}

// TestCopiesOverLinks: a link carries only the part of the stream for each copy, although each copy sees the complete
// stream. The throughput over a limiting bus is the predicted one, element by element and in bulks.
func TestCopiesOverLinks(t *testing.T) {
	t.Parallel()
	const elements, figures = 60001, `impl Source on C (mu="2GB/s", scv=0); impl Mix on C (mu="200MB/s", scv=0);
impl Pair on C (mu="300MB/s", scv=0); impl Count on C (mu="400MB/s", scv=0);
impl Vary on C (mu="100MB/s", scv=0); impl Store on C (mu="2GB/s", scv=0);
map { top.source } to proc[1]; map { top.mix } to proc[2] & 2 proc[3];
map { top.pair, top.count, top.vary, top.store } to proc[4];
buffer { top.raw } = 2048;
#include "std.x"
resource proc[4] is C;
resource fast is memory ({ proc[2], proc[3], proc[4] }, bandwidth="10GB/s");
`
	for _, bus := range []string{
		`resource slow is bus ({ proc[1], proc[2], proc[3] }, bandwidth="5MB/s"); map { top.raw } to slow;`,
		`resource slow is bus ({ proc[1], proc[2], proc[3] }, bandwidth="6MB/s", bulk="512B", overhead="2us"); ` +
			`map { top.raw } to slow;`,
	} {
		d := flowtest.X{Dir: "../../bench/apps/copies", Files: []string{"app.x"}, More: figures + bus}.Design(t,
			design.Options{Purpose: design.ForMapping})
		_, m := virtually(t, d, elements)
		agrees(t, bus, d, m)
	}
}
