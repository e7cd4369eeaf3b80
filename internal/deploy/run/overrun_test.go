package run

import (
	"path/filepath"
	"testing"
	"time"

	"xopt/internal/deploy/build"
	"xopt/internal/testkit"
)

// overrunApp is a pipeline whose middle kernel writes where it may not, as FAULT says.
const overrunApp = `#include "std.x"
block G { config SIGNED64 elements = 5000; output FLOAT32[256] y; };
block F { input FLOAT32[256] x; output FLOAT32[256] y; };
block S { input FLOAT32[256] x; };
block top { G g; F f; S s; e1: g.y -> f.x; e2: f.y -> s.x; };
use top;
platform C { impl G (src="g.c"); impl F (src="f.c"); impl S (src="s.c"); };
resource proc[2] is C;
resource mem is memory ({ proc }, bandwidth="10GB/s");
map { top.g } to proc[1];
map { top.f, top.s } to proc[2];
buffer { top.e1, top.e2 } = 8;
`

const overrunG = `#include "X_G.h"
static long left;
void X_G_init(X_G *d) { left = d->config.elements; }
void X_G_destroy(X_G *d) { (void)d; }
int X_G_go(X_G *d) { float *y = X_G_y(d, 1); for (int i = 0; i < 256; i++) y[i] = left; X_G_y_send(d, 1); return --left == 0; }
`

const overrunF = `#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <fcntl.h>
#include "X_F.h"
extern uint8_t *x_shared;
static long n;
static int table[4]; volatile int idx;
void X_F_init(X_F *d) { (void)d; }
void X_F_destroy(X_F *d) { (void)d; }
#define IS(name) (!strcmp(what, name))
void X_F_push(X_F *d) {
    const char *what = getenv("FAULT") ? getenv("FAULT") : "";
    while (X_F_x_avail(d)) {
        float *y = X_F_y(d, 1); const float *x = X_F_x(d);
        for (int i = 0; i < 256; i++) y[i] = x[i];
        if (++n == 500) {
            if (IS("truncate")) { if (ftruncate(3, 0)) perror("ftruncate"); if (ftruncate(3, 1 << 30)) perror("ftruncate"); }
            if (IS("scribble")) memset(x_shared, 0x41, 1 << 12);
            if (IS("processes")) memset(x_shared + (1 << 12), 0x41, 1 << 12);
            if (IS("edges")) memset(x_shared + (2 << 12), 0x41, 1 << 12);
            if (IS("producer")) memset(x_shared + (3 << 12), 0x41, 1 << 12);
            if (IS("own")) memset(x_shared + (4 << 12), 0x41, 1 << 12);
            if (IS("all")) memset(x_shared, 0x41, 1 << 15);
            if (IS("zero")) memset(x_shared, 0, 5 << 12);
            if (IS("hole")) fallocate(3, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 1 << 20);
            if (IS("loop")) { memset(x_shared + (2 << 12), 0x41, 1 << 12); for (;;); }
            if (IS("far")) for (int i = 0; i < 1 << 20; i++) y[i] = 1;
            if (IS("one")) y[256 + idx] = 1;
            if (IS("before")) y[-1 + idx] = 1;
            if (IS("heap")) { volatile char *p = malloc(16); p[16 + idx] = 1; }
            if (IS("index")) table[4 + idx] = 1;
            if (IS("over")) { int big = 2147483647; idx = big + (idx + 1); }
        }
        if (IS("room")) for (int i = 0; i < 4000; i++) y[i] = 1;
        X_F_x_release(d, 1); X_F_y_send(d, 1);
    }
}
`

// overrunS fails on an element that somebody else has written to.
const overrunS = `#include "X_S.h"
void X_S_init(X_S *d) { (void)d; }
void X_S_destroy(X_S *d) { (void)d; }
void X_S_push(X_S *d) { while (X_S_x_avail(d)) { const float *x = X_S_x(d); for (int i = 1; i < 256; i++) if (x[i] != x[0]) X_fail("got %g at %d", x[i], i); X_S_x_release(d, 1); } }
`

// overrunCase is a fault, and what is said of it.
// testOverruns runs a program once with each fault.
func testOverruns(t *testing.T, guard bool, cases []injected) {
	dir := testkit.Files(t, map[string]string{"app.x": overrunApp, "g.c": overrunG, "f.c": overrunF, "s.c": overrunS})
	prog, err := build.New(t.Context(), load(t, dir, "app.x", ""), build.Options{CPUs: 2, Guard: guard},
		filepath.Join(t.TempDir(), "kept"))
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		cases = ofEachKind(cases)
	}
	t.Run("all", func(t *testing.T) { // ends with the last of them
		for _, c := range cases {
			t.Run(c.fault, func(t *testing.T) {
				t.Parallel()
				m, err := Once(t.Context(), prog, Options{Stall: 2 * time.Second, Env: []string{"FAULT=" + c.fault}})
				if err != nil {
					t.Fatal(err)
				}
				c.check(t, m.Failure)
				checkFigures(t, m)
			})
		}
	})
}

// checkFigures looks for what no run of the program can have measured.
func checkFigures(t *testing.T, m *Measurement) {
	t.Helper()
	for _, e := range m.Edges {
		if e.Elements > 5000 || e.Left > uint64(e.Capacity) || e.MaxOccupancy > uint64(e.Capacity) ||
			!(e.Blocked >= 0 && e.Blocked < 1000) {
			t.Errorf("edge %d is said to have carried %+v", e.Edge, e)
		}
	}
	for _, k := range m.Kernels {
		if !(k.Busy >= 0 && k.Busy < 1000) {
			t.Errorf("kernel %d is said to have worked %+v", k.Kernel, k)
		}
	}
}

// TestOverwritten: whatever a kernel does to shared memory, the run ends, xopt goes on, nobody
// else is blamed for what a kernel has done, and no figure is nonsense.
func TestOverwritten(t *testing.T) {
	const by = "shared memory was overwritten, by "
	testOverruns(t, false, []injected{
		{"none", "", "", ""},
		{"truncate", "", "", ""},
		{"scribble", "overwritten", "", by},
		{"processes", "overwritten", "", by},
		{"edges", "overwritten", "", by},
		{"producer", "overwritten", "", "or a neighbour"},
		{"own", "overwritten", "top.f", by + "kernel top.f (block F)"},
		{"all", "overwritten", "", by},
		{"zero", "overwritten", "", by},
		{"hole", "overwritten", "", by},
		{"loop", "overwritten", "", by},
		{"far", "overrun", "top.f", "kernel top.f (block F) wrote past the end of its buffer, output y (edge " +
			"top.e2), in its firing 500"},
		{"room", "overrun", "top.f", "kernel top.f (block F) wrote past the room that it had on output y (edge " +
			"top.e2), in its firing "},
	})
}

// TestGuard: a guarded run finds every write past an element, and what the compiler's
// sanitizers find.
func TestGuard(t *testing.T) {
	testOverruns(t, true, []injected{
		{"none", "", "", ""},
		{"one", "overrun", "top.f", "wrote past the end of the elements that it had asked room for, output y (edge " +
			"top.e2), in its firing 500, at byte 0 behind it"},
		{"before", "overrun", "top.f", "wrote before the start of the elements that it had asked room for, output y " +
			"(edge top.e2), at the latest in its firing 501"},
		{"room", "overrun", "top.f", "wrote past the end of the elements that it had asked room for, output y (edge " +
			"top.e2), in its firing 1,"},
		{"heap", "crash", "top.f", "it said: "},
		{"index", "crash", "top.f", "runtime error: index 4 out of bounds"},
		{"over", "crash", "top.f", "runtime error: signed integer overflow"},
	})
}
