package buffers_test

import (
	"context"
	"testing"

	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
)

// TestFrontTargets: a lower target does not need more memory than a higher one, with any seed. Smaller
// sizes that the search tried are confirmed, too.
func TestFrontTargets(t *testing.T) {
	testkit.Long(t, "it simulates many sizes")
	const app = `#include "std.x"
block S { output SIGNED32[64] y; };
block M { input SIGNED32[64] x; output SIGNED32[16] y; };
block R { input SIGNED32[16] x; };
block top { S s; M m; R r; e1: s -> m; e2: m -> r; };
use top;
resource p[3] is C;
resource mem is memory ({ p }, bandwidth="3GB/s", from="published: in this test");
impl S on C (mu="1GB/s", scv=1);
impl M on C (mu="1.1GB/s", scv=1, gain=0.25);
impl R on C (mu="260MB/s", scv=1);
map { top.s } to p[1]; map { top.m } to p[2]; map { top.r } to p[3];
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
	memory := func(seed uint64, keep float64) float64 {
		front, err := buffers.NewFront(context.Background(), n, s, start,
			buffers.FrontOptions{Seed: seed, Keep: keep, Events: 2000, Ideal: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("seed %d: %.0f bytes keep %g (enlarged from %.0f)", seed, front.Points[front.Chosen].Memory, keep,
			front.Enlarged)
		return front.Points[front.Chosen].Memory
	}
	const seeds = 2
	const confirmed = 4864 // of seed 0, where the first sizes that the search confirms need 5632
	for seed := range uint64(seeds) {
		low, high := memory(seed, .95), memory(seed, .99)
		if low > high {
			t.Errorf("seed %d: 95 %% needs %.0f bytes, 99 %% needs %.0f", seed, low, high)
		}
		if seed == 0 && low > confirmed {
			t.Errorf("seed 0: 95 %% needs %.0f bytes, want %d", low, confirmed)
		}
	}
}
