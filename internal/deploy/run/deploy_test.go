package run

import (
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"xopt/internal/deploy/build"
	"xopt/internal/design"
	"xopt/internal/testkit"
)

const test1 = "../../../bench/apps/test1/"

// load reads an application with a map given as text.
func load(t *testing.T, dir, files, mapping string) *design.Design {
	t.Helper()
	return testkit.X{Dir: dir, Files: strings.Fields(files), More: mapping}.Design(t,
		design.Options{Purpose: design.ForCheck})
}

// deploy builds and runs, and checks that nothing is left behind.
func deploy(t *testing.T, d *design.Design, o build.Options, limits Options) *Measurement {
	t.Helper()
	o.CPUs = 2
	prog, err := build.New(context.Background(), d, o, "")
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
	const elements = 3000
	var want [32]byte
	for i, mapping := range []string{
		"map { top } to proc[1];",
		"map { top.gen1, top.gen2 } to proc[1]; map { top.sum, top.half, top.store } to proc[2];",
		"map { top.gen1, top.sum, top.store } to proc[1]; map { top.gen2, top.half } to proc[2];",
		"map { top.store, top.half } to proc[1]; map { top.gen1, top.gen2, top.sum } to proc[2]; buffer { top.e1, " +
			"top.e2, top.e3, top.e4 } = 1;",
	} {
		for _, style := range []build.Style{build.PerCore, build.PerKernel} {
			out := filepath.Join(t.TempDir(), "out")
			m := deploy(t, load(t, test1, "app.x arch.x", mapping), build.Options{Style: style, Elements: elements,
				Output: out}, Options{Stall: 20 * time.Second})
			if m.Failure != nil {
				t.Fatalf("%s, per %s: %v", mapping, style, m.Failure)
			}
			for _, e := range m.Edges {
				if e.Elements != elements || e.Left != 0 || e.MaxOccupancy > uint64(e.Capacity) {
					t.Errorf("%s, per %s: edge %d carried %+v", mapping, style, e.Edge, e)
				}
			}
			if g := m.Kernels[2].Gain; g != 0.5 {
				t.Errorf("gain of sum is %g, want 0.5", g)
			}
			data, err := os.ReadFile(out)
			if err != nil || len(data) != 4000*elements {
				t.Fatalf("output of %d bytes, %v", len(data), err)
			}
			if sum := sha256.Sum256(data); i == 0 && style == build.PerCore {
				want = sum
			} else if sum != want {
				t.Errorf("%s, per %s: another output", mapping, style)
			}
		}
	}
}

// faulty is a pipeline whose middle kernel is given.
const faulty = `#include "std.x"
block G { config SIGNED64 elements = 100000; output UNSIGNED32 y; };
block F { input UNSIGNED32 x; output UNSIGNED32 y; };
block S { input UNSIGNED32 x; };
block top { G g; F f; S s; e1: g -> f; e2: f -> s; };
use top;
platform C { impl G (src="g.c"); impl F (src="f.c"); impl S (src="s.c"); };
resource proc[2] is C;
resource mem is memory ({ proc }, bandwidth="10GB/s");
map { top.g, top.f } to proc[1];
map { top.s } to proc[2];
`

const (
	goodG = `#include "X_G.h"
static long left;
void X_G_init(X_G *d) { left = d->config.elements; }
int X_G_go(X_G *d) { *X_G_y(d, 1) = (uint32_t)left; X_G_y_send(d, 1); return --left == 0; }
void X_G_destroy(X_G *d) { (void)d; }
`
	goodS = `#include "X_S.h"
void X_S_init(X_S *d) { (void)d; }
void X_S_push(X_S *d) { X_S_x_release(d, X_S_x_avail(d)); }
void X_S_destroy(X_S *d) { (void)d; }
`
	frameF = `#include <stdlib.h>
#include <signal.h>
#include <unistd.h>
#include "X_F.h"
static int n;
void X_F_init(X_F *d) { (void)d; }
void X_F_destroy(X_F *d) { (void)d; }
void X_F_push(X_F *d) { while (X_F_x_avail(d)) { n++; BODY; *X_F_y(d, 1) = *X_F_x(d); X_F_x_release(d, 1); X_F_y_send(d, 1); } }
`
)

// TestFaults gives the middle kernel one fault after another: the run ends within
// its stall limit, names the kernel and leaves nothing.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ name, body, kind, kernel, text string }{
		{"none", ";", "", "", ""},
		{"null pointer", "if (n == 500) *(volatile int *)0 = 1", "crash", "top.f",
			"signal 11 (segmentation fault), after taking 499 and sending 499 elements"},
		{"abort", "if (n == 500) abort()", "crash", "top.f", "signal 6"},
		{"division", "if (n == 500) raise(SIGFPE)", "crash", "top.f", "signal 8"},
		{"kill -9", "if (n == 500) raise(SIGKILL)", "crash", "top.f", "signal 9"},
		{"exit", "if (n == 500) exit(0)", "exit", "top.f", "ended its process with exit code 0"},
		{"exit 7", "if (n == 500) _exit(7)", "exit", "top.f", "exit code 7"},
		{"X_fail", `if (n == 500) X_fail("number %d is bad", n)`, "failed", "top.f",
			"kernel top.f (block F): number 500 is bad"},
		{"endless loop", "if (n == 500) for (;;) ;", "hang", "top.f", "has not returned, after taking 499"},
		{"sleep", "if (n == 500) pause()", "hang", "top.f", "has not returned"},
		{"consumes nothing", "return", "", "", ""},
		{"releases too much", "X_F_x_release(d, 1000000)", "failed", "top.f", "releases 1000000 elements where"},
		{"forks", "if (fork() == 0) pause(); X_F_x_release(d, 1000000)", "failed", "top.f",
			"kernel top.f, input x; perhaps a copy of the process (fork)"},
		{"asks for too much", "X_F_y(d, 10000000)", "failed", "top.f",
			"asks for room for 10000000 elements where the buffer holds"},
		{"sends unreserved", "X_F_y_send(d, 10000000)", "failed", "top.f",
			"sends 10000000 elements where it has room for"},
		{"stack overflow", "if (n == 500) { extern void deep(void); deep(); }", "crash", "top.f", "signal 11"},
		{"leaves children", "if (n == 500 && fork() == 0) { for (;;) pause(); }", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			f := strings.Replace(frameF, "BODY", c.body, 1)
			if strings.Contains(c.body, "deep") {
				f += "void deep(void) { volatile char big[1 << 16]; big[0] = 1; deep(); big[1] = big[0]; }\n"
			}
			for name, text := range map[string]string{"app.x": faulty, "g.c": goodG, "f.c": f, "s.c": goodS} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			m := deploy(t, load(t, dir, "app.x", ""), build.Options{}, Options{Stall: time.Second})
			if c.name == "consumes nothing" {
				// All of it is left when the source has ended, or the ring is full.
				if m.Failure == nil || m.Failure.Kind != "deadlock" || !strings.Contains(m.Failure.Text,
					"top.e1 is full with") {
					t.Errorf("got %v", m.Failure)
				}
				return
			}
			if c.kind == "" {
				if m.Failure != nil || m.Edges[1].Elements != 100000 {
					t.Errorf("got %v after %d elements", m.Failure, m.Edges[1].Elements)
				}
				return
			}
			if m.Failure == nil || m.Failure.Kind != c.kind || m.Failure.Kernel != c.kernel ||
				!strings.Contains(m.Failure.Text, c.text) {
				t.Errorf("got %+v, want %s of %s that says %q", m.Failure, c.kind, c.kernel, c.text)
			}
		})
	}
}

// TestEndlessSource is stopped by its limit in time and by the context.
func TestEndlessSource(t *testing.T) {
	d := load(t, test1, "app.x arch.x", "map { top.gen1, top.gen2 } to proc[1]; map { top.sum, top.half, top.store "+
		"} to proc[2];")
	m := deploy(t, d, build.Options{Elements: 1 << 60}, Options{Time: 200 * time.Millisecond})
	if m.Failure == nil || m.Failure.Kind != "stopped" || m.Edges[3].Elements == 0 || !(m.Throughput > 0) {
		t.Errorf("got %+v", m)
	}
	prog, err := build.New(context.Background(), d, build.Options{Elements: 1 << 60, CPUs: 2}, "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	if m, err := Once(ctx, prog, Options{}); err != nil || m.Failure == nil || m.Failure.Text != "interrupted" {
		t.Errorf("got %+v, %v", m, err)
	}
	checkNoProcess(t, prog.Command(0)[0])
	if err := prog.Remove(); err != nil {
		t.Error(err)
	}
}

// TestBuildErrors names the block with the compiler's words, and what cannot be
// deployed.
func TestBuildErrors(t *testing.T) {
	dir, temp := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	for name, text := range map[string]string{"app.x": faulty, "g.c": goodG, "s.c": goodS,
		"f.c": "int f(void) { return undeclared; }\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d := load(t, dir, "app.x", "")
	_, err := build.New(context.Background(), d, build.Options{CPUs: 2}, "")
	if err == nil || !strings.Contains(err.Error(), "building block F (") || !strings.Contains(err.Error(),
		"undeclared") {
		t.Errorf("a kernel that does not compile gives %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "f.c")); err != nil {
		t.Fatal(err)
	}
	if _, err := build.New(context.Background(), d, build.Options{CPUs: 2}, ""); err == nil ||
		!strings.Contains(err.Error(),
			"No such file") {
		t.Errorf("a missing source gives %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	t.Setenv("CC", "")
	if _, err := build.New(context.Background(), d, build.Options{CPUs: 2}, ""); err == nil ||
		!strings.Contains(err.Error(),
			"no C compiler is installed (Debian: gcc)") {
		t.Errorf("no compiler gives %v", err)
	}
	left, err := filepath.Glob(filepath.Join(temp, "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestHostileNames: nothing in an X file reaches a shell or breaks the C.
func TestHostileNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b; touch pwned $(touch pwned) 'x'")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	app := strings.Replace(faulty, "block S { ", "block S { config STRING text = \"%s \\n ??/ $(touch pwned) */ // "+
		"é\"; ", 1)
	f := strings.Replace(frameF, "BODY", ";", 1)
	for name, text := range map[string]string{"app.x": app, "g.c": goodG, "f.c": f, "s.c": goodS} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d := load(t, dir, "app.x", "")
	keep := filepath.Join(t.TempDir(), "kept")
	prog, err := build.New(context.Background(), d, build.Options{CPUs: 2}, keep)
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
