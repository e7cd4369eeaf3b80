package design

import (
	"slices"
	"testing"

	"xopt/flow/faults"
	"xopt/internal/fault"
)

// balancedApp is a source that needs a quarter of a core beside a copy of a stateless kernel.
const balancedApp = `#include "std.x"
block S { output UNSIGNED8[64] y0; };
block F { input UNSIGNED8[64] x0; output UNSIGNED8[64] y0; stateless; };
block D { input UNSIGNED8[64] x0; };
block top { S s; F f, g; D d; e1: s.y0 -> f.x0; e2: f.y0 -> g.x0; e3: g.y0 -> d.x0; };
use top;
resource p[4] is C;
resource mem is memory ({ p }, bandwidth="10GB/s", from="published: in this test");
impl S on C (mu="40MB/s", gain=1, from="assumed");
impl F on C (mu="20MB/s", gain=1, from="assumed");
impl D on C (mu="1GB/s", gain=1, from="assumed");
`

// TestBalance: the numbers of batches that a mapping does not state balance the cores. The expected throughputs, in
// MB/s, follow from the loads of the cores by hand: x·(1/40 + 1/1000 + share/10) and x·share/10.
func TestBalance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, maps string
		want       float64
		isBalanced bool
	}{
		{"a unit beside other kernels", "map { top.s, top.d } to p[1]; map { top.f, top.g } to p[1] & p[2];",
			2 / (1.0/10 + 1.0/40 + 1.0/1000), true},
		{"stated numbers", "map { top.s, top.d } to p[1]; map { top.f, top.g } to 1 p[1] & 1 p[2];",
			1 / (0.5/10 + 1.0/40 + 1.0/1000), false},
		{"one stated number", "map { top.s, top.d } to p[1]; map { top.f, top.g } to 3 p[1] & p[2];",
			1 / (0.75/10 + 1.0/40 + 1.0/1000), false},
		{"two units", "map { top.s, top.d } to p[1]; map { top.f } to p[1] & p[2]; map { top.g } to p[1] & p[2];",
			2 / (1.0/10 + 1.0/40 + 1.0/1000), true},
		{"cores of their own", "map { top.s, top.d } to p[1]; map { top.f, top.g } to p[2] & p[3];", 20, false},
		{"three copies", "map { top.s, top.d } to p[1]; map { top.f, top.g } to p[1] & p[2] & p[3];",
			3 / (1.0/10 + 1.0/40 + 1.0/1000), true},
		{"no room for a copy", "map { top.s, top.d, top.f } to p[1]; map { top.g } to p[1] & p[2] & p[3] & p[4];",
			1 / (1.0/40 + 1.0/1000 + 1.0/20 + 1.0/16/20), true},
	} {
		for _, purpose := range []Purpose{ForMapping, ForDeploy} {
			d := mustLower(t, Options{Purpose: purpose}, balancedApp+c.maps)
			const rounding = 0.02
			if got := solve(t, d).Throughput / 1e6; got > c.want*1.0001 || got < c.want*(1-rounding) {
				t.Errorf("%s: %.4g MB/s, want at most %.4g MB/s and %g below", c.name, got, c.want, rounding)
			}
			isNote := func(n fault.Note) bool { return n.ID == faults.CopiesBalanced }
			if got := slices.ContainsFunc(d.Notes, isNote); got != c.isBalanced {
				t.Errorf("%s: balanced %t, want %t", c.name, got, c.isBalanced)
			}
		}
	}
	d := mustLower(t, Options{}, balancedApp+"map { top.s, top.d } to p[1]; map { top.f, top.g } to p[1] & p[2];")
	if len(d.Program.Kernels) != 4 {
		t.Errorf("for a search there are %d kernels, want 4", len(d.Program.Kernels))
	}
}
