package copies

import (
	"math"
	"testing"

	"xopt/mapper"
)

// parallel is a chain whose first kernels are on different cores. Two equal buses carry its two edges.
const parallel = `#include "std.x"
block A { output UNSIGNED8[64] y0, y1; emit y0, y1; };
block B { input UNSIGNED8[64] x0, x1; output UNSIGNED8[64] y; join x0, x1; emit y; };
block F { input UNSIGNED8[64] x; stateless; };
block top { A a; B b; F f; e0: a.y0 -> b.x0; e1: a.y1 -> b.x1; e2: b.y -> f.x; };
use top;
resource p[2] is C;
resource bus1 is bus ({ p }, bandwidth="100MB/s", from="published: in this test");
resource bus2 is bus ({ p }, bandwidth="100MB/s", from="published: in this test");
impl A on C (mu="1GB/s", from="assumed");
impl B on C (mu="1GB/s", from="assumed");
impl F on C (mu="1GB/s", from="assumed");
fix { top.a } to p[1];
fix { top.b } to p[2];
`

// TestBoundWithParallelLinks checks that the bound includes mappings that use all links between two cores: each bus
// carries one edge, so that the rate of each edge is the bandwidth of a bus.
func TestBoundWithParallelLinks(t *testing.T) {
	d := loadText(t, parallel)
	found, err := mapper.Search(t.Context(), d.Problem, d.Constraints, mapper.Options{Seed: 1, MaxEvals: 1000})
	if err != nil {
		t.Fatal(err)
	}
	best, lowered := found.Candidates[0].Throughput, 0
	if math.Abs(best-200e6) > 1e4 {
		t.Fatalf("the best mapping without copies has %g B/s, want 200 MB/s", best)
	}
	copied, err := Search(t.Context(), d, found.Candidates[0].Mapping, policy(&lowered, func() {}))
	if err != nil {
		t.Fatal(err)
	}
	if copied.Bound < best*(1-1e-9) {
		t.Errorf("bound %g B/s (ignored: %s), but a mapping has %g", copied.Bound, copied.Weak, best)
	}
}

// TestFalseBound checks that a bound below the throughput of a mapping proves nothing.
func TestFalseBound(t *testing.T) {
	const best = 10e6
	for bound, want := range map[float64]mapper.Status{best: mapper.CopiesProven, best / 2: mapper.CopiesTried} {
		found := &mapper.Result{Candidates: []mapper.Candidate{{Throughput: best}}, Bound: 2 * best}
		x := &Improved{}
		if err := x.store(t.Context(), found, &Found{Bound: bound}, mapper.Goal{}); err != nil {
			t.Fatal(err)
		}
		if found.Status != want || found.Bound > 0 && found.Bound < best || found.AloneBound < best {
			t.Errorf("bound %g on %g: status %q, bounds %g and %g", bound, best, found.Status, found.Bound,
				found.AloneBound)
		}
	}
}

// unlike is a chain of kernels that can be divided between two classes of cores. The linear relaxation is tight.
const unlike = `#include "std.x"
block A { output UNSIGNED8[8] y; emit y; stateless; };
block B { input UNSIGNED8[8] x; output UNSIGNED8[8] y; emit y; stateless; };
block C { input UNSIGNED8[8] x; stateless; };
block top { A a; B b; C c; e0: a.y -> b.x; e1: b.y -> c.x; };
use top;
resource big[2] is C; resource little[2] is C;
resource mem is memory ({ big, little }, bandwidth="10GB/s", from="published: in this test");
impl A on big (time="97us", from="assumed"); impl A on little (time="143us", from="assumed");
impl B on big (time="49us", from="assumed"); impl B on little (time="170us", from="assumed");
impl C on big (time="23us", from="assumed"); impl C on little (time="31us", from="assumed");
`

// TestNameOfBound checks what the smaller of the two bounds ignores.
func TestNameOfBound(t *testing.T) {
	for text, want := range map[string]string{unlike: weakSplit, crossing: weakTurns} {
		d, lowered := loadText(t, text), 0
		found, err := mapper.Search(t.Context(), d.Problem, d.Constraints, mapper.Options{Seed: 1, MaxEvals: 1000})
		if err != nil {
			t.Fatal(err)
		}
		copied, err := Search(t.Context(), d, found.Candidates[0].Mapping, policy(&lowered, func() {}))
		if err != nil {
			t.Fatal(err)
		}
		split, err := mapper.CopiesBound(t.Context(), d.Problem, d.Constraints, d.Program.Copyable(), copied.Throughput)
		if err != nil {
			t.Fatal(err)
		}
		if copied.Weak != want || (copied.Bound == split) != (want == weakSplit) || copied.Bound > split {
			t.Errorf("bound %g ignores %s, want %s; the bound that splits kernels is %g", copied.Bound, copied.Weak,
				want, split)
		}
	}
}
