package run

import (
	"strings"
	"testing"
	"time"

	"xopt/internal/deploy/abi"
	"xopt/internal/deploy/build"
	"xopt/internal/testkit"
)

// TestBlockedWritersGrow: a buffer doubles at the fourth look at which its writer was blocked for 80 % of
// the time or more, whatever lies between, and one that the application sizes does not.
func TestBlockedWritersGrow(t *testing.T) {
	t.Parallel()
	d := load(t, testkit.Files(t, joinKernels(1, 1, 1)), "app.x", "map { top } to proc[1]; buffer { top.e2 } = 64;")
	p, err := build.Describe(d, build.Options{Buffers: map[int]int{0: build.RaftLibElements},
		Growth: build.Growth{Policy: build.GrowWhenBlocked, MaxBytes: 1 << 20, Fixed: []int{1}}})
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
	const all, most, less = 3 * time.Millisecond, 2410 * time.Microsecond, 2300 * time.Microsecond
	for i, c := range []struct {
		blocked time.Duration
		want    uint64
	}{{all, 64}, // no look was before it
		{most, 64}, {less, 64}, {all, 64}, {0, 64}, {most, 64}, {less, 64}, {all, 128},
		{all, 128}, {all, 128}, {all, 128}, {all, 256}} {
		look(c.blocked)
		if got := r.capacity(0); got != c.want || r.capacity(1) != 64 {
			t.Fatalf("look %d: the buffers hold %d and %d elements, want %d and 64", i, got, r.capacity(1), c.want)
		}
		settle()
	}
}

// TestWorkIsNotWaiting: kernels that only take long, and a writer that waits for them, are not taken for a
// run in which every kernel waits.
func TestWorkIsNotWaiting(t *testing.T) {
	t.Parallel()
	files := joinKernels(20, 1, 2)
	files["j.c"] = strings.Replace(files["j.c"], "const uint32_t *y", "usleep(15000);\n        const uint32_t *y", 1)
	files["j.c"] = strings.Replace(files["j.c"], "#include <stdio.h>", "#include <stdio.h>\n#include <unistd.h>", 1)
	d := load(t, testkit.Files(t, files), "app.x",
		"map { top.g } to proc[1]; map { top.j } to proc[2]; buffer { top.e1, top.e2 } = 2;")
	for _, style := range []build.Style{build.PerCore, build.PerKernel} {
		m := deploy(t, d, build.Options{Style: style, Growth: build.Growth{MaxBytes: 1 << 20}}, Options{})
		if m.Failure != nil || len(m.Buffers.Grown) > 0 {
			t.Errorf("a process per %s: %v, %+v", style, m.Failure, m.Buffers)
		}
		if m.Edges[1].Waits == 0 {
			t.Errorf("a process per %s: no writer has waited", style)
		}
	}
}
