package design_test

import (
	"slices"
	"strings"
	"testing"

	"xopt/flow/design"
	"xopt/flow/faults"
	"xopt/flow/flowtest"
	"xopt/flow/profile"
	"xopt/internal/fault"
)

// unknowing is a checker that can compare no sources.
type unknowing struct{}

func (unknowing) Check(*profile.Kernel, string, string) (stale, unknown string) {
	return "", "it is not there"
}

// TestNoSource: a missing source file of a measured kernel is one warning with its consequence, and predictions use
// the figures nevertheless.
func TestNoSource(t *testing.T) {
	const app = `#include "std.x"
block G { output UNSIGNED8 y; };
block S { input UNSIGNED8 x; };
block top { G g; S s; e1: g -> s; };
use top;
platform C { impl G (src="g.c"); impl S (src="s.c"); };
resource proc[2] is C;
resource mem is memory ({ proc }, bandwidth="1GB/s");
map { top.g, top.s } to proc[1];
`
	rate := &profile.Figure{Value: 1e8, N: 9, CI95: [2]float64{1e8, 1e8}}
	p := &profile.Profile{Kernels: []profile.Kernel{{Instance: "top.g", Block: "G", Platform: "C", ServiceRate: rate},
		{Instance: "top.s", Block: "S", Platform: "C", ServiceRate: rate}}}
	for purpose, want := range map[design.Purpose]int{design.ForMapping: 2, design.ForSearch: 2, design.ForRun: 0} {
		d := flowtest.X{Files: []string{}, Dir: t.TempDir(), More: app}.Design(t, design.Options{Purpose: purpose,
			Profile: design.FromProfile("p.json", p, unknowing{})})
		found := slices.DeleteFunc(slices.Clone(d.Warnings), func(n fault.Note) bool {
			return n.ID != faults.SourceMissing
		})
		if len(found) != want {
			t.Errorf("for purpose %v: warnings %v", purpose, found)
		}
		for _, n := range found {
			if !strings.Contains(n.Text, ".c") {
				t.Errorf("the warning is %q", n.Text)
			}
		}
		if x := d.Unchecked; purpose == design.ForSearch && (len(x) != 2 || !x[0].NoSource || !x[1].NoSource) {
			t.Errorf("unchecked are %+v", d.Unchecked)
		}
	}
}
