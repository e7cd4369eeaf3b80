package design_test

import (
	"strings"
	"testing"

	"xopt/flow/design"
	"xopt/flow/flowtest"
)

// TestConstraintsOfCopies: a constraint on a kernel, or on a unit of kernels, applies to each of its copies.
func TestConstraintsOfCopies(t *testing.T) {
	const app = `#include "std.x"
block S { output UNSIGNED8[16] y; emit y; };
block A { input UNSIGNED8[16] x; output UNSIGNED8[16] y; emit y; stateless; };
block D { input UNSIGNED8[16] x; };
block top { S s; A a, b; D d; s -> a; a -> b; b -> d; };
use top;
resource p[3] is C;
resource mem is memory ({ p }, bandwidth="10GB/s", from="published: in this test");
impl S on C (mu="1GB/s"); impl A on C (mu="10MB/s"); impl D on C (mu="1GB/s");
map { top.s, top.d } to p[1];
map { top.a, top.b } to p[2] & p[3];
`
	for constraint, want := range map[string]string{
		"":                           "",
		"fix { top.a } to p[2..3];":  "",
		"forbid { top.b } to p[1];":  "",
		"together { top.a, top.b };": "",
		"together { top.s, top.d };": "",
		"apart { top.s, top.a };":    "",
		"apart { top.a };":           "",
		"fix { top.a } to p[2];":     "kernel top.a#2 runs on p[3], but is fixed to p[2]",
		"forbid { top.b } to p[3];":  "kernel top.b#2 runs on p[3], which is forbidden for it",
		"together { top.d, top.b };": "must be together, but run on p[",
		"apart { top.a, top.b };":    "must be apart, but both run on p[",
		"apart { top.s, top.d };":    "kernels top.s and top.d must be apart, but both run on p[1]",
	} {
		d := flowtest.X{Files: []string{}, More: app + constraint}.Design(t, design.Options{Purpose: design.ForMapping})
		var faults []string
		for _, f := range d.Constraints.Check(d.Problem, d.Mapping) {
			faults = append(faults, f.Text)
		}
		all := strings.Join(faults, "; ")
		if (want == "") != (all == "") || !strings.Contains(all, want) {
			t.Errorf("%q: %q, want %q", constraint, all, want)
		}
	}
}

// TestSharesOfCopiesAreNoFigures: a copy more adds the figures of its kernel to those of a prediction, and none for its
// share of the stream.
func TestSharesOfCopiesAreNoFigures(t *testing.T) {
	const app = `#include "std.x"
block S { output UNSIGNED8[16] y; output UNSIGNED8[16] z; };
block A { input UNSIGNED8[16] x; output UNSIGNED8[16] y; emit y; stateless; };
block D { input UNSIGNED8[16] x; input UNSIGNED8[16] w; };
block top { S s; A a; D d; s.y -> a.x; s.z -> d.w; a.y -> d.x; };
use top;
route S.y = 3/4;
route S.z = 1/4;
resource p[5] is C;
resource mem is memory ({ p }, bandwidth="10GB/s", from="published: in this test");
impl S on C (mu="1GB/s"); impl A on C (mu="10MB/s"); impl D on C (mu="1GB/s");
map { top.s } to p[1];
map { top.d } to p[2];
map { top.a } to `
	figures := func(place string) (all int) {
		d := flowtest.X{Files: []string{}, More: app + place}.Design(t, design.Options{Purpose: design.ForMapping})
		for _, c := range d.Citations(d.Mapping) {
			all += c.Figures
		}
		return all
	}
	const rateAndGain = 2
	alone, two, three := figures("p[3];"), figures("p[3] & p[4];"), figures("p[3] & p[4] & p[5];")
	if two-alone != rateAndGain || three-two != rateAndGain {
		t.Errorf("1, 2 and 3 copies rest on %d, %d and %d figures, want %d more for each copy", alone, two, three,
			rateAndGain)
	}
}
