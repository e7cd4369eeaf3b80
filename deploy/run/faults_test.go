package run

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"xopt/deploy/program"
)

// injected is a fault, with the expected kind of failure, kernel and text. Kind "" means no failure.
type injected struct{ fault, kind, kernel, text string }

// injectedFaults returns faults in every function of a kernel.
func injectedFaults() []injected {
	return []injected{
		{"g:init:null", "crash", "top.g", "signal 11 (segmentation fault), after consuming 0 elements and sending "},
		{"g:init:fail", "failed", "top.g", "kernel top.g (block G): it is wrong"},
		{"g:init:exit0", "exit", "top.g", "exit code 0"},
		{"g:init:pause", "hang", "top.g", "has not returned, after consuming 0 elements and sending 0"},
		{"g:go:abort", "crash", "top.g", "signal 6 (aborted)"},
		{"g:go:exit7", "exit", "top.g", ".c) ended its process with exit code 7"},
		{"g:go:fail", "failed", "top.g", "it is wrong"},
		{"g:go:loop", "hang", "top.g", "has not returned"},
		{"g:go:kill", "crash", "top.g", "signal 9 (killed)"},
		{"g:destroy:null", "crash", "top.g", "signal 11"},
		{"g:destroy:fail", "failed", "top.g", "it is wrong"},
		{"g:destroy:sleep", "hang", "top.g", "has not returned"},
		{"f:init:abort", "crash", "top.f", "signal 6"},
		{"f:init:loop", "hang", "top.f", "has not returned"},
		{"f:push:null", "crash", "top.f", "after consuming 49 elements and sending 49 elements"},
		{"f:push:divide", "crash", "top.f", "signal 8 (floating point exception)"},
		{"f:push:illegal", "crash", "top.f", "elements; a run with --guard"},
		{"f:push:bus", "crash", "top.f", "signal 7 (bus error)"},
		{"f:push:kill", "crash", "top.f", "signal 9 (killed) (Linux kills a process"},
		{"f:push:traced", "crash", "top.f", "was stopped by signal 5"},
		{"f:push:term", "crash", "top.f", "signal 15 (terminated)"},
		{"f:push:pipe", "crash", "top.f", "signal 13 (broken pipe)"},
		{"f:push:cpu", "crash", "top.f", "signal 9"},
		{"f:push:filesize", "crash", "top.f", "signal 25 (file size limit exceeded)"},
		{"f:push:exit0", "exit", "top.f", "exit code 0, after consuming 49"},
		{"f:push:_exit", "exit", "top.f", "exit code 9"},
		{"f:push:fail", "failed", "top.f", "it is wrong"},
		{"f:push:loop", "hang", "top.f", ".c) has not returned, after consuming 49"},
		{"f:push:pause", "hang", "top.f", "has not returned"},
		{"f:push:sleep", "hang", "top.f", "has not returned"},
		{"f:push:read", "hang", "top.f", "has not returned"},
		{"f:push:mutex", "hang", "top.f", "has not returned"},
		{"f:push:recursion", "crash", "top.f", "signal 11"},
		{"f:push:free", "crash", "top.f", "it printed: free(): double free"},
		{"f:push:heap", "crash", "top.f", "signal 6"},
		{"f:push:memory", "failed", "top.f", "out of memory"},
		{"f:push:files", "failed", "top.f", "cannot open: Too many open files"},
		{"f:push:close", "", "", ""},
		{"f:push:unmap", "crash", "", "signal 11"},
		{"f:push:child", "", "", ""},
		{"f:push:busychild", "", "", ""},
		{"f:push:childcrash", "", "", ""},
		{"f:push:ignore", "hang", "top.f", "has not returned"},
		{"f:push:block", "hang", "top.f", "has not returned"},
		{"f:push:talk", "crash", "top.f", "last words"},
		{"f:push:print", "", "", ""},
		{"f:push:thread", "", "", ""},
		{"f:push:stop", "hang", "top.f", "has not returned"},
		{"f:misuse:release", "failed", "top.f", "releases 1000000 elements, but only"},
		{"f:misuse:fork", "failed", "top.f", "kernel top.f, input x; a copy of the process (fork)"},
		{"f:misuse:room", "failed", "top.f", "requests space for 10000000 elements, but the buffer has"},
		{"f:misuse:send", "failed", "top.f", "sends 10000000 elements, but has space for"},
		{"f:misuse:nothing", "deadlock", "", "top.e1 is full with"},
		{"f:drain:null", "crash", "top.f", "signal 11"},
		{"f:drain:fail", "failed", "top.f", "it is wrong"},
		{"f:drain:loop", "hang", "top.f", "has not returned, after consuming 100000"},
		{"f:destroy:atexit", "hang", "", "registered with atexit may hang"},
		{"f:destroy:exit0", "exit", "top.f", "exit code 0"},
		{"s:init:exit7", "exit", "top.s", ".c) ended its process with exit code 7"},
		{"s:push:exit0", "exit", "top.s", "exit code 0"},
		{"s:push:null", "crash", "top.s", "signal 11"},
		{"s:push:loop", "hang", "top.s", "has not returned"},
		{"s:drain:abort", "crash", "top.s", "signal 6"},
		{"s:destroy:fail", "failed", "top.s", "it is wrong"},
		{"s:destroy:null", "crash", "top.s", "signal 11"},
	}
}

// ofEachKind returns the first of each kind of failure, for the short ring.
func ofEachKind(cases []injected) []injected {
	seen := make(map[string]bool)
	return slices.DeleteFunc(cases, func(c injected) bool {
		again := seen[c.kind]
		seen[c.kind] = true
		return again
	})
}

// check compares the failure of a run with the expected one.
func (c *injected) check(t *testing.T, f *Failure) {
	t.Helper()
	switch {
	case c.kind == "" && f != nil:
		t.Errorf("got %v", f)
	case c.kind != "" && (f == nil || f.Kind != c.kind || f.Kernel != c.kernel && c.kernel != "" ||
		!strings.Contains(f.Text, c.text)):
		t.Errorf("got %+v, want %s of %s that says %q", f, c.kind, c.kernel, c.text)
	}
}

// stall is the stall limit of runs that do hang: longer than a machine with ten times its load delays a
// process.
const stall = 5 * time.Second

// longest only ends tests that would never end; no machine is so busy that it matters.
const longest = 10 * time.Minute

// TestInjectedFaults injects faults into every function of a kernel, in both styles of deployment. Each run ends
// soon, reports the kernel and the reason, and leaves nothing behind.
func TestInjectedFaults(t *testing.T) {
	const elements = 100000
	d := load(t, "testdata/faults", "app.x", "")
	temp := t.TempDir() // of the processes
	programs := make(map[program.Style]*program.Program)
	for _, style := range []program.Style{program.PerCore, program.PerKernel} {
		prog, err := program.New(t.Context(), d, program.Options{CPUs: 2, Style: style,
			Elements: elements}, filepath.Join(t.TempDir(), "kept"))
		if err != nil {
			t.Fatal(err)
		}
		programs[style] = prog
	}
	cases := injectedFaults()
	if testing.Short() {
		cases = ofEachKind(cases)
	}
	t.Run("all", func(t *testing.T) { // ends with the last of them
		for i, c := range cases {
			style := []program.Style{program.PerCore, program.PerKernel}[i%2]
			t.Run(c.fault+" per "+string(style), func(t *testing.T) {
				t.Parallel()
				limits := Options{Env: []string{"FAULT=" + c.fault, "TMPDIR=" + temp}}
				if c.kind == "hang" || c.kind == "deadlock" {
					limits.Stall = stall
				}
				ctx, cancel := context.WithTimeout(t.Context(), longest)
				defer cancel()
				m, err := Once(ctx, programs[style], limits)
				if err != nil {
					t.Fatal(err)
				}
				checkNoFault(t, c.fault)
				c.check(t, m.Failure)
				if c.kind == "" && m.Edges[1].Elements != elements {
					t.Errorf("%d elements of %d have passed", m.Edges[1].Elements, elements)
				}
			})
		}
	})
	if left, err := filepath.Glob(filepath.Join(temp, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// checkNoFault looks for processes that were given a fault.
func checkNoFault(t *testing.T, fault string) {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(e)
		if err == nil && slices.Contains(strings.Split(string(text), "\x00"), "FAULT="+fault) {
			t.Errorf("process %s still runs", e)
		}
	}
}
