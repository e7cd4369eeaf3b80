//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"xopt/internal/safetext"
	"xopt/internal/testkit"
)

// TestFullDevice checks that every command reports output that cannot be printed as an error.
func TestFullDevice(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("there is no full device here: %v", err)
	}
	defer full.Close()
	dir := t.TempDir()
	t.Chdir(dir)
	var stderr bytes.Buffer
	if code := run(t.Context(), []string{"examples", "beard-fig7", "."}, &stderr, &stderr); code != exitDone {
		t.Fatalf("examples ends with %d: %s", code, stderr.String())
	}
	for _, line := range []string{
		"--help", "search --help", "config show", "version", "--version", "examples", "help eval", "completion bash",
		"check app.x arch.x", "eval app.x arch.x map.x", "eval app.x arch.x map.x --json",
		"search app.x arch.x --time 100ms -o found --report r",
		"report found.result.json --format md", "report found.result.json --format json",
		"report found.result.json --format csv", "diff found.result.json found.result.json",
		"sweep app.x arch.x --vary mem.bandwidth=2MB/s,4MB/s --evals 10 --csv s.csv",
	} {
		stderr.Reset()
		code := run(t.Context(), strings.Fields(line), full, &stderr)
		if code != exitFailed || !strings.Contains(stderr.String(), "writing to standard output: write /dev/full: "+
			"no space left on device") {
			t.Errorf("xopt %s ends with %d: %s", line, code, stderr.String())
		}
	}
	// Files must be saved anyway.
	for _, name := range []string{"found.result.json", "found.1.map.x", "r/found.html", "s.csv"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// hostileX is an application with a kernel that prints escape sequences and fails.
const hostileX = `#include "std.x"
block G { output UNSIGNED8 y; };
block S { input UNSIGNED8 x; };
platform C { impl G (src="g.c"); impl S (src="s.c"); };
block top { G g; S s; g -> s; };
resource proc is C;
map { top } to proc;
`

const hostileC = `#include <stdio.h>
#include <stdlib.h>
#include "X_G.h"
void X_G_init(X_G *d) { (void)d; }
int X_G_go(X_G *d) {
	(void)d;
	fputs("\033[2J\033]0;owned\007 \xff \xe2\x80\xae said\n", stderr);
	if (getenv("HOSTILE_FAILS"))
		X_fail("\033[33m\xc2\x9b failed");
	abort();
}
void X_G_destroy(X_G *d) { (void)d; }
`

const quietC = `#include "X_S.h"
void X_S_init(X_S *d) { (void)d; }
void X_S_push(X_S *d) { (void)d; }
void X_S_drain(X_S *d) { (void)d; }
void X_S_destroy(X_S *d) { (void)d; }
`

// TestHostileText checks that neither a kernel's output nor file names reach a terminal raw.
func TestHostileText(t *testing.T) {
	testkit.Tool(t, "cc", "gcc")
	t.Chdir(t.TempDir())
	var out bytes.Buffer
	name := "a\x1b[2J\u202e\xff.x"
	for path, text := range map[string]string{"g.c": hostileC, "s.c": quietC, name: hostileX,
		"bad\x1b[2J.x": "block \x1b[2J"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	prints := func(want string, args ...string) {
		t.Helper()
		out.Reset()
		run(t.Context(), args, &out, &out)
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q does not print %q:\n%s", args, want, out.String())
		}
		if text := out.String(); safetext.Clean(text) != text {
			t.Errorf("%q prints %q", args, text)
		}
	}
	prints("top.g", "check", name)
	prints("missing?[2J.x", "eval", "missing\x1b[2J.x")
	prints("bad?[2J.x:1:7", "check", "bad\x1b[2J.x")
	prints("a?[2J??.x", "report", name)
	prints(`\x1b[2Jnone`, "\x1b[2Jnone")
	prints("--?[2J", "search", "--\x1b[2J")
	prints("owned? ? ? said", "deploy", name)
	t.Setenv("HOSTILE_FAILS", "1")
	prints("?[33m? failed", "deploy", name)
	prints(`"tool": "xopt"`, "deploy", name, "--json")
}

// TestEndFails checks that, if a device is full at the end, the answer is printed anyway, and no incomplete set of
// files is left.
func TestEndFails(t *testing.T) {
	t.Setenv("XOPT_FULL", "true")
	test1, err := filepath.Abs(filepath.Join("..", "..", "bench", "apps", "test1"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	var out bytes.Buffer
	if code := run(t.Context(), []string{"examples", "beard-jpeg", "."}, &out, &out); code != exitDone {
		t.Fatalf("%d: %s", code, out.String())
	}
	small := filepath.Join(dir, "small")
	if err := os.Mkdir(small, 0o755); err != nil {
		t.Fatal(err)
	}
	// Enough for the test write before the work starts, and not for a result.
	if err := unix.Mount("tmpfs", small, "tmpfs", 0, "size=68k"); err != nil {
		t.Skipf("cannot mount a small device: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(small, unix.MNT_DETACH) })
	var stderr bytes.Buffer
	lines := []string{"search app.x arch.x --evals 2000 --threads 1 --top 20 -o small/found",
		"search app.x arch.x --evals 2000 --threads 1 -o ours --report small"}
	if _, err := exec.LookPath("cc"); err == nil {
		lines = append(lines, fmt.Sprintf("deploy %[1]s/app.x %[1]s/arch.x %[1]s/map.x --elements 5 -o run.json "+
			"--report small", test1))
	}
	for _, line := range lines {
		out.Reset()
		stderr.Reset()
		if code := run(t.Context(), strings.Fields(line), &out, &stderr); code != exitFailed ||
			!strings.Contains(stderr.String(), "no space left") {
			t.Errorf("xopt %s ends with %d: %s", line, code, stderr.String())
		}
		if !strings.Contains(out.String(), "Throughput") && !strings.Contains(out.String(), "out of the sources") {
			t.Errorf("xopt %s does not print the answer:\n%s", line, out.String())
		}
		left, err := filepath.Glob(filepath.Join(small, "*map.x"))
		hidden, err2 := filepath.Glob(filepath.Join(small, ".*"))
		if err != nil || err2 != nil || len(left)+len(hidden) > 0 {
			t.Errorf("xopt %s leaves %q %q", line, left, hidden)
		}
	}
	for _, name := range []string{"ours.1.map.x", "ours.result.json"} {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
}
