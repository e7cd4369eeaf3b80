package fresh_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"xopt/calibrate/fresh"
	"xopt/deploy/program"
	"xopt/flow/flowtest"
	"xopt/flow/profile"
	"xopt/flow/xlang"
	"xopt/internal/cache"
	"xopt/internal/testkit"
)

// readProgram writes an application of one kernel between a source and a sink, and reads it.
func readProgram(t *testing.T, dir, half, x string) *xlang.Program {
	t.Helper()
	t.Setenv(cache.Variable, filepath.Join(dir, "cache"))
	for name, text := range map[string]string{"half.c": half, "k.h": "#define BY 2\n", "app.x": x} {
		testkit.Write(t, filepath.Join(dir, name), text)
	}
	return flowtest.X{Dir: dir, Files: []string{"app.x"}}.Program(t)
}

const app = `#include "std.x"
block Half { input UNSIGNED32 x; output UNSIGNED32 y; config UNSIGNED32 n = 3; };
block In { output UNSIGNED32 y; };
block Out { input UNSIGNED32 x; };
block top { In in; Half half; Out out; in -> half; half -> out; };
use top;
platform C { impl Half (src="half.c", flags="-O1"); };
resource proc[2] is C;
`

const code = `#include "X_Half.h"
#include "k.h"
void X_Half_init(X_Half *d) { (void)d; }
void X_Half_push(X_Half *d) { X_Half_x_release(d, X_Half_x_avail(d) / BY); }
void X_Half_destroy(X_Half *d) { (void)d; }
`

// measured returns a profile of the kernel as calibrate writes it.
func measured(t *testing.T, p *xlang.Program) *profile.Profile {
	t.Helper()
	s, err := fresh.Of(p, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	object, err := program.CompileBlock(t.Context(), p, "Half", p.Implementation("Half", []string{"C"}))
	if err != nil {
		t.Fatal(err)
	}
	s.Compiler, s.Object = program.CompilerVersion(t.Context()), fresh.Object(object)
	return &profile.Profile{Machine: profile.ThisMachine(),
		Kernels: []profile.Kernel{{Block: "Half", Instance: "top.half", Platform: "C", Source: s}}}
}

// TestStale: whatever the figures of a kernel depend on and a user changes makes them stale,
// and nothing else does.
func TestStale(t *testing.T) {
	testkit.Tools(t, "gcc")
	once := measured(t, readProgram(t, t.TempDir(), code, app))
	for _, c := range []struct {
		name         string
		half, k, x   string
		remove       string
		edit         func(*profile.Profile)
		stale, clear string // expected parts of the answers; "" for none
	}{
		{name: "nothing"},
		{name: "a comment", half: code + "/* a comment */\n"},
		{name: "work", half: strings.Replace(code, "/ BY", "/ BY / 10", 1), stale: "half.c changed"},
		{name: "an included file", k: "#define BY 20\n", stale: "k.h changed"},
		{name: "flags", x: strings.Replace(app, "-O1", "-O0", 1), stale: "its flags are now -O0 (before: -O1)"},
		{name: "flags without effect", x: strings.Replace(app, "-O1", "-O1 -DUNUSED", 1)},
		{name: "a config", x: strings.Replace(app, "Half half;", "Half half (n=4);", 1),
			stale: "its config n is now 4 (before: 3)"},
		{name: "ports", x: strings.ReplaceAll(app, "UNSIGNED32 x", "UNSIGNED32[2] x"), half: code,
			stale: "its ports have changed"},
		{name: "a block", edit: func(p *profile.Profile) { p.Kernels[0].Block = "Third" },
			stale: "its block is now Half (before: Third)"},
		{name: "another compiler", edit: func(p *profile.Profile) {
			p.Kernels[0].Source.Compiler,
				p.Kernels[0].Source.Object = "cc 0.1", "00"
		}, stale: "(before: cc 0.1)"},
		{name: "another compiler, elsewhere", edit: func(p *profile.Profile) {
			p.Machine.CPU,
				p.Kernels[0].Source.Compiler = "another", "cc 0.1"
		}},
		{name: "no source", remove: "half.c", clear: "half.c does not exist"},
		{name: "an old profile", edit: func(p *profile.Profile) { p.Kernels[0].Source = nil },
			clear: "does not record which sources"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			source := *once.Kernels[0].Source
			figures := &profile.Profile{Machine: once.Machine, Kernels: slices.Clone(once.Kernels)}
			figures.Kernels[0].Source = &source
			if c.edit != nil {
				c.edit(figures)
			}
			if c.half == "" {
				c.half = code
			}
			if c.x == "" {
				c.x = app
			}
			if c.x != app && strings.Contains(c.name, "ports") { // both ends
				c.x = strings.ReplaceAll(c.x, "UNSIGNED32 y", "UNSIGNED32[2] y")
			}
			p := readProgram(t, dir, c.half, c.x)
			if c.k != "" {
				if err := os.WriteFile(filepath.Join(dir, "k.h"), []byte(c.k), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if c.remove != "" {
				if err := os.Remove(filepath.Join(dir, c.remove)); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 { // the second time from the cache
				stale, unknown := fresh.NewChecker(t.Context(), p, figures).Check(&figures.Kernels[0], "top.half",
					"proc[2]")
				if !strings.Contains(stale, c.stale) || c.stale == "" && stale != "" {
					t.Errorf("stale is %q, want %q", stale, c.stale)
				}
				if !strings.Contains(unknown, c.clear) || c.clear == "" && unknown != "" {
					t.Errorf("cannot be told: %q, want %q", unknown, c.clear)
				}
			}
		})
	}
}

// TestInterruptedCheck: an interrupted or failed query of the compiler's version makes no figure stale, and the error
// of the context ends the check.
func TestInterruptedCheck(t *testing.T) {
	testkit.Tools(t, "gcc")
	dir := t.TempDir()
	p := readProgram(t, dir, code, app)
	figures := measured(t, p)
	entry := &figures.Kernels[0]
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := fresh.NewChecker(ctx, p, figures)
	if stale, unknown := c.Check(entry, "top.half", "proc[2]"); stale != "" || unknown == "" ||
		!errors.Is(c.Err(), context.Canceled) {
		t.Errorf("an interrupted check returns stale %q, unknown %q, error %v", stale, unknown, c.Err())
	}
	silent := filepath.Join(dir, "silent")
	if err := os.WriteFile(silent, []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CC", silent)
	c = fresh.NewChecker(t.Context(), p, figures)
	if stale, _ := c.Check(entry, "top.half", "proc[2]"); stale != "" || c.Err() != nil {
		t.Errorf("with a compiler of unknown version: stale %q, error %v", stale, c.Err())
	}
}
