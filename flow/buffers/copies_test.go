package buffers_test

import (
	"context"
	"math"
	"testing"

	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
	"xopt/queueing/maxplus"
)

// TestCopiesInBuffers: with the recommended buffers, copies that take turns reach the throughput of the flow
// model. Each buffer has space for two batches of each copy.
func TestCopiesInBuffers(t *testing.T) {
	dir := testkit.Files(t, map[string]string{"a.x": `#include "std.x"
block S { output UNSIGNED8[64] y; emit y; };
block F { input UNSIGNED8[64] x; output UNSIGNED8[64] y; emit y; stateless; };
block D { input UNSIGNED8[64] x; };
block top { S s; F f; D d; in: s -> f; out: f -> d; }; use top;
resource p[4] is C;
resource mem is memory ({ p }, bandwidth="10GB/s");
impl S on C (time="1us", scv=0); impl F on C (time="6us", scv=0); impl D on C (time="1us", scv=0);
map { top.s, top.d } to p[1];
map { top.f } to p[2..4];
`})
	d := flowtest.X{Dir: dir, Files: []string{"a.x"}}.Design(t, design.Options{Purpose: design.ForMapping})
	n, s := flowtest.Solve(t, d.Problem, d.Mapping)
	if want := 64 / 2e-6 * flow.DefaultMaxUtilization; math.Abs(s.Throughput-want) > 1e-6*want {
		t.Fatalf("throughput is %g, want %g: three copies of 6 us, a source and a sink of 1 us each", s.Throughput,
			want)
	}
	o := flow.NewOperation(n, s)
	sizes, err := buffers.Recommend(context.Background(), d.Problem, n.Flows, o)
	if err != nil {
		t.Fatal(err)
	}
	for e, size := range sizes {
		if minimum := float64(d.Program.Edges[e].Round); size.Elements < minimum || minimum == 0 {
			t.Errorf("edge %s is to hold %g elements, want %g at least", d.Program.Edges[e].Name, size.Elements,
				minimum)
		}
	}
}

// TestCopiesBeforeJoin: the outputs of copies of two kernels balance at a join, for any number of copies and
// any turns.
func TestCopiesBeforeJoin(t *testing.T) {
	for _, c := range []struct{ a, b string }{
		{"p[2] & p[3]", "p[4] & p[5] & p[6]"},
		{"p[2]", "p[4] & p[5] & p[6]"},
		{"3 p[2] & p[3]", "p[4] & p[5]"},
		{"3 p[2] & p[3]", "3 p[4] & p[5]"},
		{"p[2] & p[3]", "p[4] & p[5]"},
	} {
		t.Run(c.a+" and "+c.b, func(t *testing.T) {
			dir := testkit.Files(t, map[string]string{"a.x": `#include "std.x"
block S { output UNSIGNED8[64] y; emit y; };
block F { input UNSIGNED8[64] x; output UNSIGNED8[64] y; emit y; stateless; };
block J { input UNSIGNED8[64] a; input UNSIGNED8[64] b; join a, b; };
block top { S s; F f; F g; J j; s.y -> f.x; s.y -> g.x; f.y -> j.a; g.y -> j.b; }; use top;
resource p[6] is C;
resource mem is memory ({ p }, bandwidth="10GB/s");
impl S on C (time="6us", scv=0); impl F on C (time="5us", scv=0.2); impl J on C (time="1us", scv=0);
map { top.s, top.j } to p[1];
map { top.f } to ` + c.a + `;
map { top.g } to ` + c.b + `;
`})
			d := flowtest.X{Dir: dir, Files: []string{"a.x"}}.Design(t, design.Options{Purpose: design.ForMapping})
			n, s := flowtest.Solve(t, d.Problem, d.Mapping)
			out := simulate(t, n, s, buffers.Setting{}, all(n, 500), maxplus.Options{Events: 100_000, Seed: 1})
			if r := out.Throughput.Value / s.Throughput; out.Stopped != "" || math.Abs(r-1) > .01 {
				t.Errorf("%.4g of the flow bound %s", r, out.Stopped)
			}
		})
	}
}

// TestMergeBeforeJoin: two kernels that send unequal parts to one port of a join do not stop it.
func TestMergeBeforeJoin(t *testing.T) {
	dir := testkit.Files(t, map[string]string{"a.x": `#include "std.x"
block S { output UNSIGNED8[64] u; output UNSIGNED8[64] v; output UNSIGNED8[64] w; };
block F { input UNSIGNED8[64] x; output UNSIGNED8[64] y; emit y; };
block J { input UNSIGNED8[64] a; input UNSIGNED8[64] b; join a, b; };
block top { S s; F f; F g; F h; J j;
  s.u -> f.x; s.v -> g.x; s.w -> h.x; f.y -> j.a; g.y -> j.a; h.y -> j.b; };
use top;
route S.u = 0.125; route S.v = 0.375; route S.w = 0.5;
resource p[4] is C;
resource mem is memory ({ p }, bandwidth="10GB/s");
impl S on C (mu="10MB/s", scv=0); impl F on C (time="5us", scv=0.2); impl J on C (time="1us", scv=0);
map { top.s, top.j } to p[1]; map { top.f } to p[2]; map { top.g } to p[3]; map { top.h } to p[4];
`})
	d := flowtest.X{Dir: dir, Files: []string{"a.x"}}.Design(t, design.Options{Purpose: design.ForMapping})
	n, s := flowtest.Solve(t, d.Problem, d.Mapping)
	out := simulate(t, n, s, buffers.Setting{}, all(n, 100), maxplus.Options{Events: 50_000, Seed: 1})
	if r := out.Throughput.Value / s.Throughput; out.Stopped != "" || math.Abs(r-1) > .01 {
		t.Errorf("%.4g of the flow bound %s", r, out.Stopped)
	}
}

// TestCopiesOfSource: copies of a source keep to their turns, although each could send more while the other waits for
// its core. With the recommended buffers, they reach the throughput of the flow model.
func TestCopiesOfSource(t *testing.T) {
	dir := testkit.Files(t, map[string]string{"a.x": `#include "std.x"
block S { output UNSIGNED8 y; emit y; stateless; };
block F { input UNSIGNED8 x; output UNSIGNED8 y; emit y; };
block D { input UNSIGNED8 x; };
block top { S s; F f; D d; in: s -> f; out: f -> d; }; use top;
resource p[2] is C;
resource mem is memory ({ p }, bandwidth="1e+06MB/s");
impl S on p[1] (time="786us"); impl F on p[1] (time="848us"); impl D on p[1] (time="55us");
impl S on p[2] (time="540us"); impl F on p[2] (time="477us"); impl D on p[2] (time="91us");
map { top.s } to 37 p[1] & 14 p[2];
map { top.f } to p[2];
map { top.d } to p[1];
`})
	d := flowtest.X{Dir: dir, Files: []string{"a.x"}}.Design(t, design.Options{Purpose: design.ForMapping})
	n, s := flowtest.Solve(t, d.Problem, d.Mapping)
	sizes, err := buffers.Recommend(context.Background(), d.Problem, n.Flows, flow.NewOperation(n, s))
	if err != nil {
		t.Fatal(err)
	}
	list := make([]int, len(sizes))
	for e := range list {
		list[e] = int(sizes[e].Elements)
	}
	out := simulate(t, n, s, buffers.Setting{}, list, maxplus.Options{Events: 400_000, Seed: 1})
	if r := out.Throughput.Value / s.Throughput; out.Stopped != "" || math.Abs(r-1) > .03 {
		t.Errorf("%.4g of the flow bound %s", r, out.Stopped)
	}
}
