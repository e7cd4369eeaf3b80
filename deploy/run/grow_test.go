package run

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"xopt/deploy/program"
	"xopt/internal/testkit"
)

// joinApp is a source of two streams and a kernel whose declaration does not state its consumption.
const joinApp = `#include "std.x"
block G { config SIGNED64 elements = 100000; output UNSIGNED32 a, b; };
block J { config STRING output = ""; input UNSIGNED32 x, y; };
block top { G g; J j; e1: g.a -> j.x; e2: g.b -> j.y; };
use top;
platform C { impl G (src="g.c"); impl J (src="j.c"); };
resource proc[2] is C;
resource mem is memory ({ proc }, bandwidth="10GB/s");
`

// joinKernels returns an application that consumes n of b with each of a, and adds them up; the source sends m of a
// before the n of b.
func joinKernels(rounds, m, n int) map[string]string {
	return map[string]string{"app.x": joinApp,
		"g.c": fmt.Sprintf(`#include "X_G.h"
void X_G_init(X_G *d) { (void)d; }
void X_G_destroy(X_G *d) { (void)d; }
static uint32_t next;
int X_G_go(X_G *d) {
    static int round;
    for (int i = 0; i < %[1]d; i++) {
        *X_G_a(d, 1) = next++;
        X_G_a_send(d, 1);
    }
    for (int i = 0; i < %[1]d * %[2]d; i++) {
        *X_G_b(d, 1) = next++;
        X_G_b_send(d, 1);
    }
    return ++round == %[3]d;
}
`, m, n, rounds),
		"j.c": fmt.Sprintf(`#include "X_J.h"
#include <stdio.h>
static uint64_t sum;
void X_J_init(X_J *d) { (void)d; }
void X_J_destroy(X_J *d) {
    FILE *f = fopen(d->config.output, "w");
    if (f) {
        fprintf(f, "%%llu", (unsigned long long)sum);
        fclose(f);
    }
}
void X_J_push(X_J *d) {
    while (X_J_x_avail(d) >= 1 && X_J_y_avail(d) >= %[1]d) {
        const uint32_t *y = X_J_y(d);
        sum = sum * 31 + *X_J_x(d);
        for (int i = 0; i < %[1]d; i++)
            sum = sum * 31 + y[i];
        X_J_x_release(d, 1);
        X_J_y_release(d, %[1]d);
    }
}
`, n)}
}

// joinSum returns the checksum that the kernel should compute.
func joinSum(rounds, m, n int) string {
	sum, next := uint64(0), uint32(0)
	for range rounds {
		a, b := next, next+uint32(m)
		next += uint32(m + m*n)
		for range m {
			sum = sum*31 + uint64(a)
			a++
			for range n {
				sum = sum*31 + uint64(b)
				b++
			}
		}
	}
	return fmt.Sprint(sum)
}

// TestStuckBuffersGrow: a run in which every kernel waits for space recovers, and its results are unchanged. It
// covers one core and two, a process for each kernel, guarded runs, one element at a time, and virtual time.
func TestStuckBuffersGrow(t *testing.T) {
	t.Parallel()
	const rounds, m, n = 20, 30, 100
	dir := testkit.Files(t, joinKernels(rounds, m, n))
	for i, c := range []struct {
		maps string
		o    program.Options
	}{
		{"map { top.g } to proc[1]; map { top.j } to proc[2];", program.Options{}},
		{"map { top } to proc[1];", program.Options{}},
		{"map { top } to proc[1];", program.Options{Style: program.PerKernel, Wait: program.WaitYield}},
		{"map { top.g } to proc[1]; map { top.j } to proc[2];", program.Options{Guard: true}},
		{"map { top.g } to proc[1]; map { top.j } to proc[2];", program.Options{Exact: true}},
	} {
		d := load(t, dir, "app.x", c.maps+"buffer { top.e1 } = 8; buffer { top.e2 } = 23;")
		c.o.Output = filepath.Join(t.TempDir(), "sum")
		c.o.Growth.MaxBytes = 1 << 20
		c.o.Taps = program.StandardTaps(d.Program, 1)
		began := time.Now()
		got := deploy(t, d, c.o, Options{Stall: 20 * time.Second})
		if got.Failure != nil {
			t.Errorf("case %d: %v", i, got.Failure)
			continue
		}
		text, err := os.ReadFile(c.o.Output)
		if err != nil {
			t.Fatal(err)
		}
		if want := joinSum(rounds, m, n); string(text) != want {
			t.Errorf("case %d: the sum is %s, want %s", i, text, want)
		}
		b := got.Buffers
		if len(b.Grown) == 0 || got.Edges[1].Capacity < n || b.Max < b.Start {
			t.Errorf("case %d: %+v, capacity %d", i, b, got.Edges[1].Capacity)
		}
		t.Logf("case %d: %v, %+v", i, time.Since(began), b)
	}
}

// TestGrowthHasALimit: a run that no memory could save ends at the limit, and its message names the remedy.
func TestGrowthHasALimit(t *testing.T) {
	t.Parallel()
	files := joinKernels(1, 30, 100)
	files["g.c"] = strings.Replace(files["g.c"], "return ++round == 1", "return 0", 1)
	files["j.c"] = strings.Replace(files["j.c"], "X_J_y_avail(d) >= 100", "X_J_y_avail(d) >= 1000000", 1)
	d := load(t, testkit.Files(t, files), "app.x", "map { top } to proc[1]; buffer { top.e1, top.e2 } = 8;")
	m := deploy(t, d, program.Options{Growth: program.Growth{MaxBytes: 64 << 10}}, Options{Stall: 20 * time.Second})
	if m.Failure == nil || m.Failure.Kind != "memory" || !strings.Contains(m.Failure.Text, "top.e") ||
		!strings.Contains(m.Failure.Text, "buffers may use 65.5 kB") || m.Buffers.Max > 64<<10 {
		t.Errorf("got %v, %+v", m.Failure, m.Buffers)
	}
	o := program.Options{Growth: program.Growth{MaxBytes: 4 << 10}}
	if _, err := program.New(context.Background(), d, o, ""); err == nil || !strings.Contains(err.Error(),
		"the buffers need 8.2 kB at the start, but may use only 4.1 kB") {
		t.Errorf("got %v", err)
	}
}

// streamKernels returns a source of distinguishable elements of the given number of words, a kernel that forwards
// them, and sinks that compare them.
func streamKernels(words int) map[string]string {
	const app = `#include "std.x"
block G { output UNSIGNED32[%[1]d] y; };
block F { input UNSIGNED32[%[1]d] x; output UNSIGNED32[%[1]d] y; };
block S { input UNSIGNED32[%[1]d] x, z; join x, z; };
block top { G g; F f; S s, t; e1: g -> f; e2: f -> s.x; e3: f -> t.x; e4: g -> s.z; e5: g -> t.z; };
use top;
platform C { impl G (src="g.c"); impl F (src="f.c"); impl S (src="s.c"); };
resource proc[2] is C;
resource mem is memory ({ proc }, bandwidth="10GB/s");
map { top.g, top.s } to proc[1];
map { top.f, top.t } to proc[2];
buffer { top.e1, top.e2, top.e3, top.e4, top.e5 } = 8;
`
	return map[string]string{"app.x": fmt.Sprintf(app, words), "g.c": fmt.Sprintf(`#include "X_G.h"
void X_G_init(X_G *d) { (void)d; }
void X_G_destroy(X_G *d) { (void)d; }
int X_G_go(X_G *d) {
    static uint32_t next;
    uint32_t n = next %% 3 + 1, *y = X_G_y(d, n);
    for (uint32_t i = 0; i < n * %d; i++)
        y[i] = 7 * next + i;
    next += n;
    X_G_y_send(d, n);
    return 0;
}
`, words), "f.c": fmt.Sprintf(`#include "X_F.h"
#include <string.h>
void X_F_init(X_F *d) { (void)d; }
void X_F_destroy(X_F *d) { (void)d; }
void X_F_push(X_F *d) {
    while (X_F_x_avail(d)) {
        const uint32_t *x = X_F_x(d);
        memcpy(X_F_y(d, 1), x, 4 * %d); /* x stays good while it waits for room */
        X_F_x_release(d, 1);
        X_F_y_send(d, 1);
    }
}
`, words), "s.c": fmt.Sprintf(`#include "X_S.h"
#include <string.h>
#include <stdlib.h>
#include <unistd.h>
void X_S_init(X_S *d) { d->state = calloc(2, sizeof(uint32_t)); }
void X_S_destroy(X_S *d) { free(d->state); }
static uint32_t expected(uint32_t *next, uint32_t *in) { /* what the source writes to the first word */
    uint32_t sent = *next - *in, n = sent %% 3 + 1, v = 7 * sent + *in * %[1]d;
    ++*next;
    if (++*in == n)
        *in = 0;
    return v;
}
void X_S_push(X_S *d) {
    uint32_t *s = d->state;
    while (X_S_x_avail(d) && X_S_z_avail(d)) {
        uint32_t v = expected(&s[0], &s[1]);
        const uint32_t *x = X_S_x(d);
        for (uint32_t i = 0; i < %[1]d; i++)
            if (x[i] != v + i)
                X_fail("word %%u of element %%u is %%u, want %%u", i, s[0] - 1, x[i], v + i);
        if (memcmp(x, X_S_z(d), 4 * %[1]d) != 0)
            X_fail("element %%u differs", s[0] - 1);
        X_S_x_release(d, 1);
        X_S_z_release(d, 1);
        if (s[0] %% 64 == 0)
            usleep(50);
    }
}
`, words)}
}

// TestGrowthUnderWay: buffers of many sizes of elements, and of a port that feeds several, grow again and
// again while elements stream through them; every element arrives as it was sent.
func TestGrowthUnderWay(t *testing.T) {
	t.Parallel()
	seconds, sizes := 1, []int{3, 250}
	if !testing.Short() {
		seconds, sizes = 4, []int{1, 3, 250, 5000}
	}
	for _, words := range sizes {
		dir := testkit.Files(t, streamKernels(words))
		o := program.Options{Growth: program.Growth{MaxBytes: 1 << 30}}
		random, moved := rand.New(rand.NewPCG(1, uint64(words))), 0
		limits := Options{Time: time.Duration(seconds) * time.Second, Stall: 20 * time.Second, Frame: MinFrame,
			grow: func(g *grower) {
				for e := range g.prog.Edges {
					size := g.prog.Edges[e].ElementBytes
					more := uint64(random.IntN(8192))/size + 1
					if random.IntN(2) == 0 && g.settled(e) && g.fits(e, g.capacity(e)+more) {
						before := g.rings[g.prog.Edges[e].Ring].at
						g.grant(e, g.capacity(e)+more, "test")
						if g.rings[g.prog.Edges[e].Ring].at != before {
							moved++
						}
					}
				}
			}}
		m := deploy(t, load(t, dir, "app.x", ""), o, limits)
		if m.Failure == nil || m.Failure.Kind != "stopped" {
			t.Errorf("%d words: %v", words, m.Failure)
		}
		t.Logf("%d words: %d growths, %d to another area, %d elements, %d KiB at the most", words, len(m.Buffers.Grown),
			moved, m.Edges[0].Elements, m.Buffers.Max>>10)
	}
}
