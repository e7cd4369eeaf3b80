package buffers_test

import (
	"context"
	"slices"
	"testing"

	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/flow/flowtest"
)

// TestFrontStart: the chosen sizes need more memory than those at the start only if the front states what the latter
// keep.
func TestFrontStart(t *testing.T) {
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
	find := func(start []int) *buffers.Front {
		front, err := buffers.NewFront(context.Background(), n, s, start,
			buffers.FrontOptions{Seed: 1, Events: 2000, Ideal: true})
		if err != nil {
			t.Fatal(err)
		}
		return front
	}
	memory := func(sizes []int) float64 { return float64(256*sizes[0] + 64*sizes[1]) }
	first := find([]int{64, 64})
	chosen, unsure := first.Points[first.Chosen].Sizes, 0
	less := slices.Clone(chosen)
	less[0] = (less[0] + 1) / 2
	for _, start := range [][]int{chosen, less, {2, 2}} {
		front := find(start)
		at := &front.Points[front.Chosen]
		if at.Memory != memory(at.Sizes) {
			t.Fatalf("%v need %g bytes, the test expects %g", at.Sizes, at.Memory, memory(at.Sizes))
		}
		switch {
		case at.Memory <= memory(start):
			if front.Start != nil {
				t.Errorf("from %v: %v are chosen, %+v is stored", start, at.Sizes, front.Start)
			}
		case front.Start == nil || !slices.Equal(front.Start.Sizes, start) || front.StartLow >= front.Keep*front.Max:
			t.Errorf("from %v: %v are chosen, without a reason: %+v, at least %g of %g", start, at.Sizes, front.Start,
				front.StartLow, front.Max)
		default:
			unsure++
		}
	}
	if unsure == 0 {
		t.Error("no start was too small")
	}
}
