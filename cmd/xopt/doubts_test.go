package main

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"xopt/calibrate/fresh"
	"xopt/cmd/internal/report"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/flow/profile"
	"xopt/internal/cache"
	"xopt/internal/testkit"
)

// doubted is an application whose kernel has sources for cores and for an FPGA.
const doubted = `#include "std.x"
block In { output UNSIGNED32 y; };
block Half { input UNSIGNED32 x; output UNSIGNED32 y; config UNSIGNED32 n = 3; };
block Out { input UNSIGNED32 x; };
block top { In in; Half half; Out out; e1: in -> half; e2: half -> out; };
use top;
platform C { impl In (src="in.c"); impl Half (src="half.c"); impl Out (src="out.c"); };
platform HDL { impl Half (src="half.v"); };
resource proc[2] is C;
resource fpga is HDL (clock="100MHz");
resource mem is memory ({ proc }, bandwidth="10GB/s");
resource PCI is bus ({ proc[1], fpga }, bandwidth="1GB/s");
`

// doubtedFiles writes the application, its sources and their profile into a new working folder.
func doubtedFiles(t *testing.T, edit func(*profile.Profile)) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv(cache.Variable, t.TempDir())
	files := map[string]string{"app.x": doubted, "in.c": "in", "half.c": "half", "out.c": "out", "half.v": "half",
		"core.x": "map { top.in, top.half } to proc[1]; map { top.out } to proc[2];",
		"fpga.x": "map { top.in, top.out } to proc[1]; map { top.half } to fpga;"}
	for name, text := range files {
		testkit.Write(t, name, text)
	}
	p := flowtest.X{Files: []string{"app.x"}}.Program(t)
	figure := func(v float64) *profile.Figure {
		return &profile.Figure{Value: v, N: 7, CI95: [2]float64{v, v}}
	}
	measured := &profile.Profile{Schema: profile.Schema, Machine: profile.Machine{CPU: "a test"}}
	for _, x := range []struct {
		kernel, resource int
		platform         string
		rate             float64
	}{{0, 0, "C", 400e6}, {1, 0, "C", 100e6}, {2, 0, "C", 400e6}, {1, 2, "HDL", 300e6}} {
		source, err := fresh.Of(p, x.kernel, x.resource)
		if err != nil {
			t.Fatal(err)
		}
		k := &p.Kernels[x.kernel]
		measured.Kernels = append(measured.Kernels, profile.Kernel{Block: k.Block, Instance: k.Name,
			Platform: x.platform, ServiceRate: figure(x.rate), Gain: figure(1), Source: source})
	}
	if edit != nil {
		edit(measured)
	}
	var text bytes.Buffer
	if err := measured.Encode(&text); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("app.profile.json", text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// typedLine runs the program and returns its output.
func typedLine(t *testing.T, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if got := run(t.Context(), args, &out, &errs); got != code {
		t.Fatalf("xopt %v ended with %d, want %d\n%s\n%s", args, got, code, out.String(), errs.String())
	}
	return out.String(), errs.String()
}

// has reports every text that is missing or, with a leading "!", present.
func has(t *testing.T, what, text string, wanted ...string) {
	t.Helper()
	for _, w := range wanted {
		w, not := strings.CutPrefix(w, "!")
		if strings.Contains(text, w) == not {
			t.Errorf("%s: %q (unwanted: %v):\n%.2000s", what, w, not, text)
		}
	}
}

// TestStaleProfile checks that predictions from stale figures are marked, reported on standard error with the command
// that measures them, and rejected with --fresh.
func TestStaleProfile(t *testing.T) {
	t.Setenv("XOPT_FULL", "true")
	doubtedFiles(t, nil)
	eval := []string{"eval", "app.x", "core.x", "--profile", "app.profile.json"}
	out, errs := typedLine(t, 0, append(eval, "--fresh")...)
	has(t, "fresh", out, "80 MB/s, predicted from 4 measured and 2 assumed figures\n")
	if errs != "" {
		t.Errorf("fresh figures are remarked on: %s", errs)
	}
	if err := os.WriteFile("half.c", []byte("ten times the work"), 0o644); err != nil {
		t.Fatal(err)
	}
	const warning = "warning: these figures of app.profile.json are stale; measure them again with:\n    xopt " +
		"calibrate app.x core.x -o app.profile.json\n    top.half on proc[1]: half.c changed\n"
	out, errs = typedLine(t, 0, eval...)
	has(t, "eval", out, "80 MB/s, predicted from 4 measured and 2 assumed figures, 2 of them stale\n",
		"app.profile.json, a test; stale: half.c changed")
	has(t, "eval", errs, warning)
	out, errs = typedLine(t, 0, append(eval, "--json")...)
	var r struct {
		Stale      []struct{ Kernel, Why string }
		Remeasure  string
		Candidates []struct{ Stale int }
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Stale) != 1 || r.Stale[0].Why != "half.c changed" || r.Candidates[0].Stale != 2 ||
		!strings.HasPrefix(r.Remeasure, "xopt calibrate ") {
		t.Errorf("the result has %+v", r)
	}
	has(t, "eval --json", errs, warning)
	_, errs = typedLine(t, 2, append(eval, "--fresh")...)
	has(t, "eval --fresh", errs, "--fresh rejects", "figures of 1 kernel are stale",
		"xopt calibrate app.x core.x -o app.profile.json")
	if strings.Count(errs, "xopt calibrate") != 1 {
		t.Errorf("eval --fresh tells the cure more than once:\n%s", errs)
	}
	out, _ = typedLine(t, 0, "check", "app.x", "core.x", "--profile", "app.profile.json")
	has(t, "check", out, "xopt calibrate app.x core.x -o app.profile.json", "!xopt search")
	for _, line := range [][]string{{"search", "--evals", "100"}, {"sweep", "--vary", "PCI.bandwidth=1MB/s,1GB/s"},
		{"sweep", "--vary", "PCI.bandwidth=1GB/s", "--vary", "proc=2..4"}} {
		args := append([]string{line[0], "app.x", "--profile", "app.profile.json"}, line[1:]...)
		out, errs := typedLine(t, 0, args...)
		has(t, line[0], errs, "these figures of app.profile.json are stale", "top.half on proc[1..2]: half.c changed")
		if strings.Count(errs, "half.c changed") != 1 || strings.Count(errs, "measure them again") != 1 {
			t.Errorf("%s tells it more than once:\n%s", line[0], errs)
		}
		has(t, line[0], out, "stale")
		typedLine(t, 2, append(args, "--fresh")...)
	}
	if err := os.Remove("half.c"); err != nil {
		t.Fatal(err)
	}
	_, errs = typedLine(t, 0, eval...)
	has(t, "a missing source", errs, "half.c", "[source-missing]", "!stale")
}

// TestStaleSet checks that, if --set makes figures stale, the command to measure them contains it. It appears once
// although a run reads the files twice.
func TestStaleSet(t *testing.T) {
	doubtedFiles(t, nil)
	_, errs := typedLine(t, 0, "eval", "app.x", "core.x", "--profile", "app.profile.json", "--set", "top.half.n=4")
	has(t, "eval --set", errs, "measure them again with:\n    xopt calibrate app.x core.x --set top.half.n=4 -o "+
		"app.profile.json\n    top.half on proc[1]: ")
	var remarked report.Remarked
	var lines []string
	for _, on := range [][]string{{"core[1]", "core[2]"}, {"core[2]"}} {
		doubt := design.Doubt{Kernel: "top.half", Resources: on, Why: "half.c changed"}
		lines = append(lines, remarked.Doubts([]design.Doubt{doubt}, "warning: stale")...)
	}
	if want := []string{"warning: stale", "    top.half on core[1..2]: half.c changed"}; !slices.Equal(lines, want) {
		t.Errorf("%q, want %q", lines, want)
	}
}

// TestMismatch checks that a search does not place a kernel on an FPGA if its results differ there, and that such
// mappings are neither scored nor run, unless allowed.
func TestMismatch(t *testing.T) {
	t.Setenv("XOPT_FULL", "true")
	doubtedFiles(t, func(p *profile.Profile) { p.Kernels[3].Mismatch = "output y differs at byte 8" })
	const why = "top.half on fpga differs from the output on a core: output y differs at byte 8"
	_, errs := typedLine(t, 2, "eval", "app.x", "fpga.x", "--profile", "app.profile.json")
	has(t, "eval", errs, why, "--allow-mismatch")
	_, errs = typedLine(t, 2, "deploy", "app.x", "fpga.x") // by the profile that calibrate writes
	has(t, "deploy", errs, why, "--allow-mismatch")
	out, errs := typedLine(t, 0, "search", "app.x", "--profile", "app.profile.json", "--report", "page")
	has(t, "search", out, "Throughput  100 MB/s") // on two cores
	has(t, "search", errs, "top.half on fpga: output y differs at byte 8", "does not place the kernels there")
	page, err := os.ReadFile("page/app.html")
	if err != nil {
		t.Fatal(err)
	}
	has(t, "page", string(page), "output y differs at byte 8")
	out, errs = typedLine(t, 0, "search", "app.x", "--profile", "app.profile.json", "--allow-mismatch")
	has(t, "search --allow-mismatch", out, "Throughput  300 MB/s", "!warning: ")
	has(t, "search --allow-mismatch", errs, "warning: output of kernel "+why)
	_, errs = typedLine(t, 0, "eval", "app.x", "fpga.x", "--profile", "app.profile.json", "--allow-mismatch")
	has(t, "eval --allow-mismatch", errs, "warning: output of kernel "+why)
	if err := os.WriteFile("half.v", []byte("mended"), 0o644); err != nil {
		t.Fatal(err)
	}
	out, errs = typedLine(t, 0, "eval", "app.x", "fpga.x", "--profile", "app.profile.json")
	has(t, "mended", out, "stale", "!differs from the output on a core")
	has(t, "mended", errs, "top.half on fpga: half.v changed")
}

// TestDisturbedProfile checks that a prediction from a disturbed profile says so in its headline.
func TestDisturbedProfile(t *testing.T) {
	doubtedFiles(t, func(p *profile.Profile) {
		p.Conditions = &profile.Conditions{Disturbed: "other processes used 1.68 processors meanwhile"}
	})
	out, errs := typedLine(t, 0, "eval", "app.x", "core.x", "--profile", "app.profile.json")
	has(t, "eval", out, "predicted from 4 measured and 2 assumed figures; ", "profile disturbed: calibrate again")
	has(t, "eval", out+errs, "!measured on a disturbed machine", "!was disturbed")
	out, errs = typedLine(t, 0, "eval", "app.x", "core.x", "--profile", "app.profile.json", "--full")
	has(t, "eval", out, "predicted from 4 measured and 2 assumed figures, 4 measured on a disturbed machine")
	has(t, "eval", errs, "warning: the machine was disturbed while app.profile.json was measured: other processes "+
		"used 1.68 processors")
	// The first screen of the page says so too: next to the throughput, on its own card, and with the remedy.
	typedLine(t, 0, "eval", "app.x", "core.x", "--profile", "app.profile.json", "--report", "out")
	page, err := os.ReadFile("out/core.html")
	if err != nil {
		t.Fatal(err)
	}
	cards, _, _ := strings.Cut(string(page), "</section>")
	has(t, "the cards", cards, "4 measured on a disturbed machine", ">How sure<", ">disturbed profile<",
		"other processes used 1.68 processors meanwhile")
	has(t, "the page", string(page), "calibrate again on a quiet machine")
}

// TestSimulatedCard checks that the page of a prediction counts figures from RTL simulation separately.
func TestSimulatedCard(t *testing.T) {
	doubtedFiles(t, func(p *profile.Profile) {
		for i := range p.Kernels {
			if p.Kernels[i].Platform != "C" {
				p.Kernels[i].How = "RTL simulation"
			}
		}
	})
	out, _ := typedLine(t, 0, "eval", "app.x", "fpga.x", "--profile", "app.profile.json", "--report", "out")
	has(t, "eval", out, "3 measured, 1 simulated and 3 assumed figures", "!disturbed")
	page, err := os.ReadFile("out/fpga.html")
	if err != nil {
		t.Fatal(err)
	}
	cards, _, _ := strings.Cut(string(page), "</section>")
	has(t, "the cards", cards, "3 measured, 1 simulated and 3 assumed figures")
}

// TestStalePoints checks that a sweep of a kernel's config names a calibration of its point, into another profile, and
// that a changed source has the usual one.
func TestStalePoints(t *testing.T) {
	doubtedFiles(t, nil)
	sweep := []string{"sweep", "app.x", "--profile", "app.profile.json", "--vary"}
	out, errs := typedLine(t, 0, append(sweep, "top.half.n=3,4")...)
	has(t, "sweep of a config", errs, "xopt calibrate app.x --set top.half.n=4 -o point.profile.json\n")
	has(t, "sweep of a config", out, "optimal for these figures")
	testkit.Write(t, "half.c", "ten times the work")
	_, errs = typedLine(t, 0, append(sweep, "PCI.bandwidth=1GB/s,2GB/s")...)
	has(t, "sweep with a changed source", errs, "xopt calibrate app.x -o app.profile.json\n")
}
