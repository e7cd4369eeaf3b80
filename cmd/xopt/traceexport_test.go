package main

import (
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"xopt/internal/testkit"
	"xopt/mapper/result"
)

// TestTraceExport checks that rings in an exported design record the same signal changes as the simulation, cycle by
// cycle. It uses a register, a port, and several signals with a trigger. A ring that is too small contains the first
// changes, and reports the number dropped.
func TestTraceExport(t *testing.T) {
	t.Setenv("XOPT_FULL", "true")
	testkit.Long(t, "it builds a simulation and the model of a board")
	testkit.Tools(t, "verilator", "g++", "cc", "yosys", "make")
	t.Chdir(t.TempDir())
	t.Setenv("CXXFLAGS", "-O0")
	typedLine(t, 0, "examples", "queens")
	if err := os.WriteFile("small.x", []byte(smallFPGA), 0o644); err != nil {
		t.Fatal(err)
	}
	deploy := []string{"deploy", "queens/app.x", "small.x", "queens/hardware.x", "--set", "top.n=6", "--set",
		"top.cores=2"}
	run := append(slices.Clone(deploy), "--elements", "36", "--taps", "none", "--export", "board", "-o", "run.json",
		"--measure")
	for statement, want := range map[string]string{
		"measure hist at queens[1]:row":                 "measure trace at queens[1]:row, or",
		"measure trace(entries=65537) at queens[1]:row": "has at most 65536",
		"measure trace(entries=65536) at queens[1]:row; measure trace(entries=65536) at queens[2]:row": "the traces " +
			"need 4194304 bits of block RAM, but fpga has only 1843200",
	} {
		_, errs := typedLine(t, 2, append(slices.Clone(run), statement)...)
		has(t, statement, errs, want)
	}
	typedLine(t, 0, append(slices.Clone(run), `
		state: measure trace(entries=4000) at queens[2]:state
		combined: measure trace(entries=4000) at queens[1]:(row + here) when queens[1]:(state == ATTACK_CHECK)
			after queens[2]:(row == 3)
		valid: measure trace(entries=2000) at queens[2]:m_axis_y_tvalid
		first: measure trace(entries=3) at queens[1]:row
		small: measure trace at queens[1]:state`)...)
	makeHost(t, "stream")
	out, _ := typedLine(t, 0, append(slices.Clone(deploy), "--from", "board:board/out", "-o", "board.json", "--waves",
		"board.vcd")...)
	has(t, "what it shows", out, "state: simulated, first entries of a trace of ", "more entries were not stored",
		"a model in RTL simulation")
	was, is := queriesIn(t, "run.json"), queriesIn(t, "board.json")
	for name, q := range was {
		sameTrace(t, name, q, is[name])
	}
	if small, all := is["small"], was["small"]; small != nil && (len(small.Trace) < 1025 || len(small.Trace) > 1100 ||
		uint64(len(small.Trace))+small.Lost != uint64(len(all.Trace))) {
		t.Errorf("the small ring has %d changes and dropped %d, want %d in all", len(small.Trace), small.Lost,
			len(all.Trace))
	}
	waves, err := os.ReadFile("board.vcd")
	if err != nil || !strings.Contains(string(waves), "$end") || !strings.Contains(string(waves), " state ") {
		t.Errorf("%.200s, error %v", waves, err)
	}
}

// makeHost runs the host of the exported project in the folder board against a model of a shell, in the cycles of the
// run.
func makeHost(t *testing.T, shell string) {
	t.Helper()
	if text, err := exec.Command("make", "-C", "board", "OPT=-O0", "build/host",
		"build/"+shell+".so").CombinedOutput(); err != nil {
		t.Fatalf("make: %v\n%s", err, text)
	}
	if err := os.Mkdir("board/out", 0o755); err != nil {
		t.Fatal(err)
	}
	host := exec.Command("build/host", "--board", "model:build/"+shell+".so,schedule=run/schedule", "--in", "run",
		"--out", "out", "--replay")
	host.Dir = "board"
	if text, err := host.CombinedOutput(); err != nil {
		t.Fatalf("the host: %v\n%s", err, text)
	}
}

// sameTrace checks that a ring has the changes of the simulation, or the first of them. Changes after the end of the
// run are not in the simulation.
func sameTrace(t *testing.T, name string, was, is *result.Query) {
	t.Helper()
	if is == nil {
		t.Errorf("%s is not answered", name)
		return
	}
	n := min(len(was.Trace), len(is.Trace))
	if n < 3 || n < len(was.Trace) && is.Lost == 0 || was.Width != is.Width || was.Text != is.Text || was.Lost > 0 {
		t.Errorf("%s: %d changes of %d bits, %d dropped; the simulation saw %d of %d bits", name, len(is.Trace),
			is.Width, is.Lost, len(was.Trace), was.Width)
	}
	for i := range n {
		a, b := was.Trace[i], is.Trace[i]
		if a.Index != b.Index || a.Value != b.Value || a.Stops != b.Stops ||
			math.Abs(float64(a.Time-b.Time)) > 1e-9*math.Abs(float64(a.Time)) {
			t.Errorf("%s: change %d is %+v, the simulation saw %+v", name, i, b, a)
			return
		}
	}
	t.Logf("%s: %d changes, %d dropped; the simulation saw %d", name, len(is.Trace), is.Lost, len(was.Trace))
}
