package buffers_test

import (
	"testing"

	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/flow/flowtest"
)

// TestFrontDense checks that a simulated front has enough points for a curve, and that its points have ascending
// memory and throughput. Service times vary, and elements are small, so that many sizes are possible.
func TestFrontDense(t *testing.T) {
	t.Parallel()
	const app = `#include "std.x"
block S { output SIGNED32 y; };
block M { input SIGNED32 x; output SIGNED32 y; };
block R { input SIGNED32 x; };
block top { S s; M m; R r; e1: s -> m; e2: m -> r; };
use top;
resource p[3] is C;
resource mem is memory ({ p }, bandwidth="3GB/s", from="published: in this test");
impl S on C (mu="100MB/s", scv=1);
impl M on C (mu="90MB/s", scv=1, gain=1);
impl R on C (mu="100MB/s", scv=1);
map { top.s } to p[1]; map { top.m } to p[2]; map { top.r } to p[3];
`
	d := flowtest.X{Files: []string{}, More: app}.Design(t, design.Options{Purpose: design.ForMapping})
	n, s := solve(t, d.Problem, d.Mapping)
	front, err := buffers.NewFront(t.Context(), n, s, all(n, 400), buffers.FrontOptions{Seed: 1, Ideal: true})
	if err != nil {
		t.Fatal(err)
	}
	const minimum = 20
	if len(front.Points) < minimum {
		t.Errorf("%d points, want at least %d", len(front.Points), minimum)
	}
	for i := 1; i < len(front.Points); i++ {
		p, before := &front.Points[i], &front.Points[i-1]
		if p.Memory <= before.Memory || p.Throughput <= before.Throughput {
			t.Errorf("point %d has %g bytes and %g B/s, point %d has %g bytes and %g B/s", i-1, before.Memory,
				before.Throughput, i, p.Memory, p.Throughput)
		}
		if i < front.Chosen && p.Throughput >= front.Keep*front.Max && front.Minimal {
			t.Errorf("%g bytes preserve enough, but %g are chosen", p.Memory, front.Points[front.Chosen].Memory)
		}
	}
}
