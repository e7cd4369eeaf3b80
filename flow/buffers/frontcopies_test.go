package buffers_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
)

// TestFrontCopies: copies that take turns get symmetric buffers, whose memory varies by less than a factor of
// 1.6 between seeds. The chosen sizes have a latency.
func TestFrontCopies(t *testing.T) {
	testkit.Long(t, "it simulates many sizes")
	const app = `#include "std.x"
block S { output UNSIGNED8[64] y; emit y; };
block A { input UNSIGNED8[64] x; output UNSIGNED8[64] y; emit y; stateless; };
block B { input UNSIGNED8[64] x; output UNSIGNED8[64] y; emit y; stateless; };
block D { input UNSIGNED8[64] x; };
block top { S s; A a; B b; D d; e1: s -> a; e2: a -> b; e3: b -> d; };
use top;
resource p[6] is C;
resource mem is memory ({ p }, bandwidth="10GB/s", from="published: in this test");
impl S on C (mu="100MB/s", scv=1);
impl A on C (mu="30MB/s", scv=1);
impl B on C (mu="40MB/s", scv=2);
impl D on C (mu="120MB/s", scv=1);
map { top.s } to p[1]; map { top.d } to p[6]; map { top.a, top.b } to p[2] & p[3] & p[4];
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
	const seeds = 3
	find := func(seed uint64) (*buffers.Front, error) {
		return buffers.NewFront(context.Background(), n, s, start, buffers.FrontOptions{Seed: seed})
	}
	sameForSeeds(t, seeds, find, func(seed uint64, front *buffers.Front) {
		at := &front.Points[front.Chosen]
		t.Logf("seed %d: %.0f bytes, at least %.4f of the most, %d simulations", seed, at.Memory, front.Low/front.Max,
			front.Simulations)
		if front.Low < (front.Keep-5e-4)*front.Max {
			t.Errorf("seed %d: %.0f bytes may not keep %g", seed, at.Memory, front.Keep)
		}
		if at.Latency == nil || !at.Latency.Steady {
			t.Errorf("seed %d: the chosen sizes have the latency %+v", seed, at.Latency)
		}
		of := make(map[string]int)
		for e := range d.Problem.Application.Edges {
			edge := &d.Problem.Application.Edges[e]
			name := func(k int) string { return strings.Split(d.Problem.Application.Kernels[k].Name, "#")[0] }
			ends := fmt.Sprint(name(edge.From), name(edge.To))
			if size, seen := of[ends]; seen && size != at.Sizes[e] {
				t.Errorf("seed %d: buffers between copies of %s have %d and %d elements", seed, ends, size, at.Sizes[e])
			}
			of[ends] = at.Sizes[e]
		}
	})
}
