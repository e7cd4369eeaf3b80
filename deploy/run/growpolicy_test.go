package run

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"xopt/deploy/abi"
	"xopt/deploy/program"
	"xopt/internal/testkit"
)

// TestBlockedWritersGrow: a buffer doubles after four looks at which its writer was blocked for at least 80 % of the
// time, in any sequence. A buffer sized by the application does not.
func TestBlockedWritersGrow(t *testing.T) {
	t.Parallel()
	d := load(t, testkit.Files(t, joinKernels(1, 1, 1)), "app.x", "map { top } to proc[1]; buffer { top.e2 } = 64;")
	p, err := program.Describe(d, program.Options{Buffers: map[int]int{0: program.RaftLibElements},
		Growth: program.Growth{Policy: program.GrowWhenBlocked, MaxBytes: 1 << 20, Fixed: []int{1}}})
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(p, make([]byte, p.Bytes), Options{})
	now := time.Unix(1, 0)
	look := func(blocked time.Duration) {
		now = now.Add(3 * time.Millisecond)
		for e := range p.Edges {
			at := p.Edges[e].Control + abi.RingBlocked
			r.store64(at, r.load64(at)+uint64(blocked)) // without a measured clock, a tick is 1 ns
		}
		r.grower.lookBlocked(now)
	}
	settle := func() { // as both ends do
		for e := range p.Edges {
			c := p.Edges[e].Control
			r.store32(c+abi.RingArea, r.load32(c+abi.RingGrow))
			r.store32(c+abi.RingFollows, r.load32(c+abi.RingGrow))
		}
	}
	const all, maximum, less = 3 * time.Millisecond, 2410 * time.Microsecond, 2300 * time.Microsecond
	for i, c := range []struct {
		blocked time.Duration
		want    uint64
	}{{all, 64}, // no look was before it
		{maximum, 64}, {less, 64}, {all, 64}, {0, 64}, {maximum, 64}, {less, 64}, {all, 128},
		{all, 128}, {all, 128}, {all, 128}, {all, 256}} {
		look(c.blocked)
		if got := r.capacity(0); got != c.want || r.capacity(1) != 64 {
			t.Fatalf("look %d: the buffers hold %d and %d elements, want %d and 64", i, got, r.capacity(1), c.want)
		}
		settle()
	}
}

// TestWorkIsNotWaiting: slow kernels, and a writer that waits for them, do not count as a run in which every kernel
// waits.
func TestWorkIsNotWaiting(t *testing.T) {
	t.Parallel()
	files := joinKernels(20, 1, 2)
	files["j.c"] = strings.Replace(files["j.c"], "const uint32_t *y", "usleep(15000);\n        const uint32_t *y", 1)
	files["j.c"] = strings.Replace(files["j.c"], "#include <stdio.h>", "#include <stdio.h>\n#include <unistd.h>", 1)
	d := load(t, testkit.Files(t, files), "app.x",
		"map { top.g } to proc[1]; map { top.j } to proc[2]; buffer { top.e1, top.e2 } = 2;")
	for _, style := range []program.Style{program.PerCore, program.PerKernel} {
		m := deploy(t, d, program.Options{Style: style, Growth: program.Growth{MaxBytes: 1 << 20}}, Options{})
		if m.Failure != nil || len(m.Buffers.Grown) > 0 {
			t.Errorf("a process per %s: %v, %+v", style, m.Failure, m.Buffers)
		}
		if m.Edges[1].Waits == 0 {
			t.Errorf("a process per %s: no writer has waited", style)
		}
	}
}

// lateKernels returns three kernels: a source; a kernel that forwards its input to one port, and one element to the
// other at its end; and a kernel that consumes nothing before that.
func lateKernels(elements int) map[string]string {
	return map[string]string{"app.x": `#include "std.x"
block S { output UNSIGNED8 y; };
block F { input UNSIGNED8 x; output UNSIGNED8 a, b; };
block T { input UNSIGNED8 a, b; };
block top { S s; F f; T t; c: s.y -> f.x; a: f.a -> t.a; b: f.b -> t.b; };
use top;
platform C { impl S (src="s.c"); impl F (src="f.c"); impl T (src="t.c"); };
resource core[2] is C;
resource mem is memory ({ core }, bandwidth="6GB/s");
map { top.s } to core[1];
map { top.f, top.t } to core[2];
`, "s.c": fmt.Sprintf(`#include "X_S.h"
void X_S_init(X_S *d) { (void)d; }
void X_S_destroy(X_S *d) { (void)d; }
int X_S_go(X_S *d) {
    static unsigned n;
    if (n++ == %d)
        return 1;
    *X_S_y(d, 1) = 1;
    X_S_y_send(d, 1);
    return 0;
}
`, elements), "f.c": `#include "X_F.h"
void X_F_init(X_F *d) { (void)d; }
void X_F_destroy(X_F *d) { (void)d; }
void X_F_push(X_F *d) {
    while (X_F_x_avail(d)) {
        *X_F_a(d, 1) = 1;
        X_F_a_send(d, 1);
        X_F_x_release(d, 1);
    }
}
void X_F_drain(X_F *d) { *X_F_b(d, 1) = 1; X_F_b_send(d, 1); }
`, "t.c": `#include "X_T.h"
void X_T_init(X_T *d) { (void)d; }
void X_T_destroy(X_T *d) { (void)d; }
void X_T_push(X_T *d) {
    if (!X_T_b_avail(d))
        return;
    while (X_T_a_avail(d))
        X_T_a_release(d, 1);
    X_T_b_release(d, 1);
}
`}
}

// TestBlockedWritersGrowAtTheEnd: a buffer grows though another process has ended; where its writer may not
// decide that, or time stands still, because every kernel waits.
func TestBlockedWritersGrowAtTheEnd(t *testing.T) {
	t.Parallel()
	dir := testkit.Files(t, lateKernels(1000))
	for _, c := range []struct {
		name  string
		fixed []int
		exact bool
		why   string
	}{
		{"blocked", nil, false, "its writer was blocked"},
		{"fixed", []int{0, 1, 2}, false, "every kernel waited"},
		{"exact", []int{0, 1, 2}, true, "every kernel waited"},
	} {
		m := deploy(t, load(t, dir, "app.x", ""), program.Options{Buffers: map[int]int{0: 2000, 1: 64, 2: 64},
			Exact: c.exact, Growth: program.Growth{Policy: program.GrowWhenBlocked, MaxBytes: 1 << 20, Fixed: c.fixed}},
			Options{Stall: 20 * time.Second})
		if m.Failure != nil || len(m.Buffers.Grown) == 0 || !strings.Contains(m.Buffers.Grown[0].Why, c.why) {
			t.Errorf("%s: %v, %+v", c.name, m.Failure, m.Buffers)
		}
	}
}

// TestGrowthKeepsToItsLimit: all areas in use stay within the limit, whatever makes buffers grow, also while elements
// move. The error names the edge, and a limit that suffices.
func TestGrowthKeepsToItsLimit(t *testing.T) {
	t.Parallel()
	dir := testkit.Files(t, lateKernels(20000))
	for _, policy := range []program.GrowthPolicy{program.GrowWhenStuck, program.GrowWhenBlocked} {
		o := program.Options{Buffers: map[int]int{0: 8192, 1: 64, 2: 64},
			Growth: program.Growth{Policy: policy, MaxBytes: 40 << 10}}
		m := deploy(t, load(t, dir, "app.x", ""), o, Options{Stall: 20 * time.Second})
		if m.Failure == nil || m.Failure.Kind != "memory" || !strings.Contains(m.Failure.Text, "top.a") ||
			m.Buffers.Max > 40<<10 || len(m.Buffers.Grown) == 0 {
			t.Errorf("policy %d: %v, %+v", policy, m.Failure, m.Buffers)
		}
	}
}

// TestOccupancyBins: counts of an edge are in the right bins, also after its buffer has grown.
func TestOccupancyBins(t *testing.T) {
	t.Parallel()
	const elements = 3000
	o := program.Options{Buffers: map[int]int{0: 4096, 1: 8, 2: 8}, Growth: program.Growth{MaxBytes: 1 << 20},
		Taps: []program.Tap{{Kind: program.Occupancy, Edge: 1, Every: 1, Histogram: &program.Bins{}}}}
	m := deploy(t, load(t, testkit.Files(t, lateKernels(elements)), "app.x", ""), o, Options{Stall: 20 * time.Second})
	if m.Failure != nil {
		t.Fatal(m.Failure)
	}
	x, total := &m.Taps[0], 0.0 // each element finds those sent before it
	for i, n := range x.Total.Histogram {
		from, to := x.Bins.From(i), x.Bins.From(i+1)
		if want := max(min(to, elements)-from, 0); n != want || to-from > max(1, from/16) {
			t.Errorf("bin %d, from %g to %g, holds %g, want %g", i, from, to, n, want)
		}
		total += n
	}
	if total != elements || x.Bins.From(x.Bins.N) <= 1<<20 || x.Bins.N > 512 {
		t.Errorf("%g elements in %d bins up to %g", total, x.Bins.N, x.Bins.From(x.Bins.N))
	}
}
