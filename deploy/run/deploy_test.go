package run

import (
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"xopt/deploy/program"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
)

const test1 = "../../bench/apps/test1/"

// load reads an application with a map given as text.
func load(t *testing.T, dir, files, mapping string) *design.Design {
	t.Helper()
	return flowtest.X{Dir: dir, Files: strings.Fields(files), More: mapping}.Design(t,
		design.Options{Purpose: design.ForCheck})
}

// deploy builds and runs, and checks that nothing is left behind.
func deploy(t *testing.T, d *design.Design, o program.Options, limits Options) *Measurement {
	t.Helper()
	o.CPUs = 2
	prog, err := program.New(context.Background(), d, o, "")
	if err != nil {
		t.Fatal(err)
	}
	m, err := Once(context.Background(), prog, limits)
	if err != nil {
		t.Fatal(err)
	}
	if err := prog.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(prog.Command(0)[0])); err == nil {
		t.Error("the build folder is left")
	}
	checkNoProcess(t, prog.Command(0)[0])
	return m
}

// checkNoProcess looks for processes of a program that was run.
func checkNoProcess(t *testing.T, path string) {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if target, err := os.Readlink(e); err == nil && strings.HasPrefix(target, path) {
			t.Errorf("process %s still runs", e)
		}
	}
}

// TestMappingsAgree runs test1 in several mappings and both styles: every number
// and every output is the same.
func TestMappingsAgree(t *testing.T) {
	t.Parallel()
	const elements = 3000
	var want [32]byte
	for i, mapping := range []string{
		"map { top } to proc[1];",
		"map { top.gen1, top.gen2 } to proc[1]; map { top.sum, top.half, top.store } to proc[2];",
		"map { top.gen1, top.sum, top.store } to proc[1]; map { top.gen2, top.half } to proc[2];",
		"map { top.store, top.half } to proc[1]; map { top.gen1, top.gen2, top.sum } to proc[2]; buffer { top.e1, " +
			"top.e2, top.e3, top.e4 } = 1;",
	} {
		for _, style := range []program.Style{program.PerCore, program.PerKernel} {
			out := filepath.Join(t.TempDir(), "out")
			m := deploy(t, load(t, test1, "app.x arch.x", mapping), program.Options{Style: style, Elements: elements,
				Output: out}, Options{Stall: 20 * time.Second})
			if m.Failure != nil {
				t.Fatalf("%s, per %s: %v", mapping, style, m.Failure)
			}
			for _, e := range m.Edges {
				if e.Elements != elements || e.Left != 0 || e.MaxOccupancy > uint64(e.Capacity) {
					t.Errorf("%s, per %s: edge %s carried %+v", mapping, style, e.Edge, e)
				}
			}
			if g := m.Kernels[2].Gain; g != 0.5 {
				t.Errorf("gain of sum is %g, want 0.5", g)
			}
			data, err := os.ReadFile(out)
			if err != nil || len(data) != 4000*elements {
				t.Fatalf("output of %d bytes, %v", len(data), err)
			}
			if sum := sha256.Sum256(data); i == 0 && style == program.PerCore {
				want = sum
			} else if sum != want {
				t.Errorf("%s, per %s: another output", mapping, style)
			}
		}
	}
}

// TestEndlessSource: the time limit or the context stops an endless source.
func TestEndlessSource(t *testing.T) {
	t.Parallel()
	d := load(t, test1, "app.x arch.x", "map { top.gen1, top.gen2 } to proc[1]; map { top.sum, top.half, top.store "+
		"} to proc[2];")
	var m *Measurement
	for limit := 200 * time.Millisecond; limit < 5*time.Minute; limit *= 4 { // a busy machine may not run it at all
		if m = deploy(t, d, program.Options{Elements: 1 << 60}, Options{Time: limit}); m.Edges[3].Elements > 0 {
			break
		}
	}
	if m.Failure == nil || m.Failure.Kind != "stopped" || m.Edges[3].Elements == 0 || !(m.Throughput > 0) {
		t.Errorf("got %+v", m)
	}
	prog, err := program.New(context.Background(), d, program.Options{Elements: 1 << 60, CPUs: 2}, "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	going := Options{Frame: 50 * time.Millisecond, OnFrame: func(*FrameData) { cancel() }}
	if m, err := Once(ctx, prog, going); err != nil || m.Failure == nil || m.Failure.Text != "interrupted" {
		t.Errorf("got %+v, %v", m, err)
	}
	checkNoProcess(t, prog.Command(0)[0])
	if err := prog.Remove(); err != nil {
		t.Error(err)
	}
}

// TestBuiltHere: a program that is built in the folder that one is in runs as any other.
func TestBuiltHere(t *testing.T) {
	d := load(t, testkit.App(t, "test1"), "app.x arch.x", "map { top } to proc[1];")
	t.Chdir(t.TempDir())
	prog, err := program.New(t.Context(), d, program.Options{CPUs: 2, Elements: 5}, ".")
	if err != nil {
		t.Fatal(err)
	}
	if m, err := Once(t.Context(), prog, Options{}); err != nil || m.Failure != nil {
		t.Errorf("got %+v, %v", m, err)
	}
}

// TestHostileNames: nothing in an X file reaches a shell or breaks the C.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a b; touch pwned $(touch pwned) 'x'")
	if err := os.Rename(testkit.Copy(t, "testdata/pipeline", map[string]string{
		"app.x": strings.Replace(testkit.Read(t, "testdata/pipeline/app.x"), "block S { ",
			"block S { config STRING text = \"%s \\n ??/ $(touch pwned) */ // é\"; ", 1)}), dir); err != nil {
		t.Fatal(err)
	}
	d := load(t, dir, "app.x", "")
	keep := filepath.Join(t.TempDir(), "kept")
	prog, err := program.New(context.Background(), d, program.Options{CPUs: 2}, keep)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := Once(context.Background(), prog, Options{}); err != nil || m.Failure != nil {
		t.Errorf("got %+v, %v", m, err)
	}
	for _, name := range []string{"main.c", "X_F.h", "Makefile", "app"} {
		if _, err := os.Stat(filepath.Join(keep, name)); err != nil {
			t.Error(err)
		}
	}
	for _, place := range []string{dir, keep, "."} {
		if _, err := os.Stat(filepath.Join(place, "pwned")); err == nil {
			t.Errorf("a name reached a shell in %s", place)
		}
	}
}

// TestInputAndOutput: files that cannot be read or written end the run with the
// kernel's words.
func TestInputAndOutput(t *testing.T) {
	t.Parallel()
	d := load(t, "../../bench/apps/des", "app.x arch.x", "map { top } to proc[1];")
	for _, c := range []struct{ input, output, kernel, want string }{
		{"/nonexistent/input", "", "top.blocks", "cannot read /nonexistent/input: No such file or directory"},
		{t.TempDir(), "", "top.blocks", "Is a directory"},
		{"", "/nonexistent/output", "top.store", "cannot write /nonexistent/output: No such file or directory"},
		{"", "/dev/full", "top.store", "cannot write /dev/full: No space left on device"},
	} {
		m := deploy(t, d, program.Options{Input: c.input, Output: c.output}, Options{})
		if m.Failure == nil || m.Failure.Kind != "failed" || m.Failure.Kernel != c.kernel ||
			!strings.Contains(m.Failure.Text, c.want) {
			t.Errorf("got %v, want %s", m.Failure, c.want)
		}
	}
}

// TestCpp links a kernel in C++. An uncaught exception is a crash with the exception's text.
func TestCpp(t *testing.T) {
	t.Parallel()
	for _, throws := range []bool{false, true} {
		throw := ""
		if throws {
			throw = `if (++*static_cast<int *>(d->state) == 50) throw std::runtime_error("too hot");`
		}
		dir := testkit.Copy(t, "testdata/pipeline", map[string]string{
			"app.x": strings.Replace(testkit.Read(t, "testdata/pipeline/app.x"), `src="f.c"`, `src="f.cc"`, 1),
			"f.cc": `#include <stdexcept>
#include "X_F.h"
extern "C" void X_F_init(X_F *d) { d->state = new int(0); }
extern "C" void X_F_destroy(X_F *d) { delete static_cast<int *>(d->state); }
extern "C" void X_F_push(X_F *d) {
    while (X_F_x_avail(d)) {
        ` + throw + `
        *X_F_y(d, 1) = *X_F_x(d);
        X_F_x_release(d, 1);
        X_F_y_send(d, 1);
    }
}
`})
		m := deploy(t, load(t, dir, "app.x", ""), program.Options{}, Options{})
		switch f := m.Failure; {
		case !throws && (f != nil || m.Edges[1].Elements != 100000):
			t.Errorf("got %v after %d elements", f, m.Edges[1].Elements)
		case throws && (f == nil || f.Kind != "crash" || f.Kernel != "top.f" ||
			!strings.Contains(f.Text, "what():  too hot")):
			t.Errorf("got %v", f)
		}
	}
}
