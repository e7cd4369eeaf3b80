package buffers_test

import (
	"context"
	"testing"

	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
)

// TestFrontMost: smaller sizes that are better with the draws of a search do not replace the large buffers that
// throughput is compared with. Service times vary widely, and the second limit is near.
func TestFrontMost(t *testing.T) {
	testkit.Long(t, "it simulates many sizes; TestFrontKeep compares large buffers with the bound, too")
	const app = `#include "std.x"
block S { output SIGNED32[256] y; };
block M { input SIGNED32[256] x; output SIGNED32[256] y; };
block P { input SIGNED32[256] x; output SIGNED32[2] y; };
block R { input SIGNED32[2] x; };
block top { S s; M m; P p; R r; e1: s -> m; e2: m -> p; e3: p -> r; };
use top;
resource p[2] is C;
resource mem is memory ({ p }, bandwidth="3GB/s", from="published: in this test");
impl S on C (mu="1GB/s", scv=30);
impl M on C (mu="3.1GB/s", scv=30, gain=1);
impl P on C (mu="750MB/s", scv=30, gain=0.001);
impl R on C (mu="3GB/s", scv=30);
map { top.s, top.m } to p[1]; map { top.p, top.r } to p[2];
`
	d := flowtest.X{Files: []string{}, More: app}.Design(t, design.Options{Purpose: design.ForMapping})
	n, s := solve(t, d.Problem, d.Mapping)
	sizes, err := buffers.Verified(context.Background(), n, s)
	if err != nil {
		t.Fatal(err)
	}
	var start []int
	for e := range sizes {
		start = append(start, int(sizes[e].Elements))
	}
	find := func(seed uint64) (*buffers.Front, error) {
		return buffers.NewFront(context.Background(), n, s, start, buffers.FrontOptions{Seed: seed})
	}
	const seeds = 3
	sameForSeeds(t, seeds, find, func(seed uint64, front *buffers.Front) {
		at := &front.Points[front.Chosen]
		t.Logf("seed %d: %.0f bytes keep %.4f of %.4g B/s, %.0f are too little", seed, at.Memory,
			front.Low/front.Max, front.Max, front.Insufficient)
		if front.Max < .985*front.Bound || front.MaxInterval[1] < .99*front.Bound {
			t.Errorf("seed %d: large buffers give %.4g B/s (%.4g), want the bound %.4g", seed, front.Max,
				front.MaxInterval, front.Bound)
		}
		if front.Insufficient >= at.Memory {
			t.Errorf("seed %d: %.0f bytes are too little, but %.0f are chosen", seed, front.Insufficient, at.Memory)
		}
	})
}
