package apps_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"xopt/bench/apps/apptest"
	"xopt/deploy/board"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/hdl"
	"xopt/internal/testkit"
)

// exportOf runs an application with an FPGA, with taps or without, and exports it.
func exportOf(t *testing.T, app apptest.App, mapping string, taps bool) (dir string, d *design.Design, out []byte,
	m *run.Measurement) {
	t.Helper()
	d = app.Load(t, mapping)
	dir = filepath.Join(t.TempDir(), "board")
	p, err := board.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	app.Simulate.Record = p.Run()
	o := program.Options{}
	if taps {
		o.Taps = program.StandardTaps(d.Program, 0)
	}
	out, m = app.Deploy(t, mapping, o)
	h, err := xsim.NewHardware(context.Background(), d, o, xsim.Options{}, xsim.FPGAs(d)[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Finish(context.Background(), &board.Run{Design: d, Hardware: h, Measurement: m}); err != nil {
		t.Fatal(err)
	}
	return dir, d, out, m
}

// makeIn runs make in a project.
func makeIn(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	text, err := exec.Command(testkit.Tool(t, "make", "make"), append([]string{"-C", dir, "OPT=-O0"},
		args...)...).CombinedOutput()
	return string(text), err
}

// simulated runs make simulate in an exported project, and compares the data that its host received with the run.
func simulated(t *testing.T, dir string, d *design.Design, m *run.Measurement) {
	t.Helper()
	if text, err := makeIn(t, dir, "simulate"); err != nil ||
		!strings.Contains(text, "stream shell: outputs and records equal those") ||
		!strings.Contains(text, "lite shell: outputs equal those of the exported run") {
		t.Fatalf("make simulate: %v\n%s", err, text)
	}
	a, err := board.Read(filepath.Join(dir, "out", "stream"), d)
	if err != nil {
		t.Fatal(err)
	}
	if !a.Model {
		t.Errorf("a model is taken for a board: %v", a.Where)
	}
	if diff := cmp.Diff(m.Hardware, a.Measurement.Hardware); diff != "" {
		t.Errorf("taps have counted otherwise than in the run that was exported:\n%s", diff)
	}
	for e := range m.Edges {
		if got, want := a.Measurement.Edges[e].Elements, m.Edges[e].Elements; got != want {
			t.Errorf("edge %d carried %d elements, in the run %d", e, got, want)
		}
	}
	for i := range a.Measurement.Taps {
		x := &a.Measurement.Taps[i]
		for j := range m.Taps {
			y := &m.Taps[j]
			if y.Kind != x.Kind || y.Edge != x.Edge {
				continue
			}
			if diff := cmp.Diff(y.Total, x.Total, cmpopts.EquateNaNs(), cmpopts.EquateApprox(1e-9, 0)); diff != "" {
				t.Errorf("%s of edge %d is otherwise than in the run that was exported:\n%s", x.Kind, x.Edge, diff)
			}
		}
	}
}

// spoil changes the last byte of a file.
func spoil(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil || len(data) == 0 {
		t.Fatalf("%s holds %d bytes: %v", path, len(data), err)
	}
	data[len(data)-1] ^= 1
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// later replays a project's run with different stop cycles. Outputs are complete, whenever the host reads last.
func later(t *testing.T, dir, output string) {
	t.Helper()
	in := t.TempDir()
	if err := os.CopyFS(in, os.DirFS(filepath.Join(dir, "run"))); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(in, "schedule")
	text, rerr := os.ReadFile(path)
	want, oerr := os.ReadFile(filepath.Join(in, output+".data"))
	if err := errors.Join(rerr, oerr); err != nil {
		t.Fatal(err)
	}
	before, _, found := strings.Cut(string(text), "\nend ")
	lines := strings.Split(before, "\n")
	var last uint64 // cycle of the host's last read of the output
	if _, err := fmt.Sscanf(lines[len(lines)-1], "limit "+output+" %d", &last); err != nil || !found {
		t.Fatalf("the schedule does not end with the output: %v\n%s", err, text)
	}
	for stop := last; stop < last+3000; stop += 300 {
		out := t.TempDir()
		if err := os.WriteFile(path, fmt.Appendf(nil, "%s\nend %d\n", before, stop), 0o644); err != nil {
			t.Fatal(err)
		}
		host := exec.Command("build/host", "--board", "model:build/stream.so,schedule="+path, "--in", in, "--out", out,
			"--replay")
		host.Dir = dir
		if printed, err := host.CombinedOutput(); err != nil {
			t.Fatalf("replay: %v\n%s", err, printed)
		}
		got, err := os.ReadFile(filepath.Join(out, output+".data"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("the run ends in cycle %d: of %d bytes %d are received", stop, len(want), len(got))
		}
	}
}

// registersInFile lets the host's program find registers in a file, by mapping it and as a device. The program must
// reject files without this design. It must write the start of the kernels, and report that they do not start.
func registersInFile(t *testing.T, dir string) {
	t.Helper()
	var about struct{ Design uint32 }
	text, err := os.ReadFile(filepath.Join(dir, "design.json"))
	if err = errors.Join(err, json.Unmarshal(text, &about)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "registers")
	for _, c := range []struct {
		magic, design uint32
		want          string
	}{{0, about.Design, "contains no xopt design"}, {hdl.BoardMagic, about.Design + 1, "load the bitstream"},
		{hdl.BoardMagic, about.Design, "do not leave reset"}} {
		for _, kind := range []string{"map:", "device:"} {
			registers := make([]byte, 1<<16)
			binary.LittleEndian.PutUint32(registers, c.magic)
			binary.LittleEndian.PutUint32(registers[4:], c.design)
			if err := os.WriteFile(path, registers, 0o644); err != nil {
				t.Fatal(err)
			}
			host := exec.Command("build/host", "--board", kind+path, "--in", "run", "--out", t.TempDir(),
				"--frame", "777")
			host.Dir = dir
			if text, err := host.CombinedOutput(); err == nil || !strings.Contains(string(text), c.want) {
				t.Errorf("%s: %v\n%s\nwant %q", kind, err, text, c.want)
			}
			if registers, err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
			started := binary.LittleEndian.Uint32(registers[8:]) == 1 &&
				binary.LittleEndian.Uint32(registers[24:]) == 777
			if started != strings.Contains(c.want, "reset") {
				t.Errorf("%s: the kernels were started: %t, where %q is said", kind, started, c.want)
			}
		}
	}
}

// oneCoreOfQueens returns a small design with one kernel.
func oneCoreOfQueens() (app apptest.App, mapping string) {
	return apptest.App{Dir: "queens", Files: []string{"app.x", "hybrid.x"}, Elements: 36,
			Set: map[string]string{"top.n": "6", "top.cores": "1"}},
		"map { top.prefixes, top.split, top.total } to proc; map { top.queens } to fpga;"
}

// TestExport checks that an exported design gives the same output as the run, through the registers of every shell. A
// project with a different recorded run must fail, and no project may overwrite another.
func TestExport(t *testing.T) {
	testkit.Long(t, "it compiles four simulations")
	testkit.Tools(t, "verilator", "g++", "make")
	t.Parallel()
	app, mapping := oneCoreOfQueens()
	dir, d, _, m := exportOf(t, app, mapping, false)
	simulated(t, dir, d, m)
	if text, err := makeIn(t, dir, "simulate-serial"); err != nil {
		t.Fatalf("make simulate-serial: %v\n%s", err, text)
	}
	if _, err := board.New(dir); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("a project is written over another: %v", err)
	}
	outputs, err := filepath.Glob(filepath.Join(dir, "out", "lite", "*.data"))
	if err != nil || len(outputs) != 1 {
		t.Fatalf("the host has written %q, %v", outputs, err)
	}
	later(t, dir, strings.TrimSuffix(filepath.Base(outputs[0]), ".data"))
	spoil(t, filepath.Join(dir, "run", filepath.Base(outputs[0])))
	if text, err := makeIn(t, dir, "simulate"); err == nil || !strings.Contains(text, "differ") {
		t.Errorf("an output that differs passes: %v\n%s", err, text)
	}
}

// TestExportTools checks that the tools for a small FPGA accept an exported design, and that the host's program
// recognizes a board with it.
func TestExportTools(t *testing.T) {
	testkit.Long(t, "it places a design")
	testkit.Tools(t, "verilator", "g++", "make", "yosys", "nextpnr-ice40")
	t.Parallel()
	testkit.Tool(t, "icepack", "fpga-icestorm")
	app, mapping := oneCoreOfQueens()
	dir, _, _, _ := exportOf(t, app, mapping, false)
	if text, err := makeIn(t, dir, "host", "ice40"); err != nil {
		t.Fatalf("make host ice40: %v\n%s", err, text)
	}
	image, err := os.ReadFile(filepath.Join(dir, "build", "ice40.bin"))
	if synchronizes := []byte{0x7e, 0xaa, 0x99, 0x7e}; err != nil || !bytes.Contains(image, synchronizes) {
		t.Errorf("the bitstream has %d bytes and no preamble: %v", len(image), err)
	}
	registersInFile(t, dir)
}

// onBoard runs a design with the model of its board, and returns its sink's output.
func onBoard(t *testing.T, dir string, d *design.Design, input string) []byte {
	t.Helper()
	live, err := board.NewLive(d, dir, board.DefaultBoard(dir))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "output")
	prog, err := program.New(context.Background(), live.Design, program.Options{Input: input, Output: path,
		Taps: live.Taps(program.StandardTaps(live.Design.Program, 0))}, "")
	if err != nil {
		t.Fatal(err)
	}
	m, err := run.Once(context.Background(), prog, run.Options{Stall: 5 * time.Minute})
	if rerr := prog.Remove(); rerr != nil {
		t.Error(rerr)
	}
	if err != nil {
		t.Fatal(err)
	}
	if m.Failure != nil {
		t.Fatal(m.Failure)
	}
	a, err := live.Measured(m)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Measurement.Hardware) == 0 || len(a.Measurement.Edges) != len(d.Program.Edges) {
		t.Errorf("the board has sent %d taps, and %d edges are reported", len(a.Measurement.Hardware),
			len(a.Measurement.Edges))
	}
	out, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestExportJPEG exports kernels with edges between them, histograms and a full queue.
func TestExportJPEG(t *testing.T) {
	testkit.Long(t, "it compiles three simulations of a larger design")
	testkit.Tools(t, "verilator", "g++", "make")
	t.Parallel()
	input := filepath.Join(t.TempDir(), "in.ppm")
	if err := os.WriteFile(input, ppm(picture(0, 101, 67)), 0o644); err != nil {
		t.Fatal(err)
	}
	app := apptest.App{Dir: "jpeg", Files: []string{"app.x", "hybrid.x"}, Input: input,
		Simulate: xsim.Options{FromProfile: true, Seed: 1}}
	dir, d, out, m := exportOf(t, app, heldBack(), true)
	simulated(t, dir, d, m)
	if len(m.Hardware) == 0 {
		t.Error("the run has no taps")
	}
	want, _ := apptest.App{Dir: "jpeg", Input: input}.Deploy(t, oneCore, program.Options{})
	if got := onBoard(t, dir, d, input); !bytes.Equal(got, want) {
		t.Errorf("with the board, the picture has %d bytes, which are not the %d of a run on one core", len(got),
			len(want))
	}
	if !bytes.Equal(out, want) {
		t.Errorf("the run that was exported gives %d bytes, which are not the %d of a run on one core", len(out),
			len(want))
	}
}
