package program

import (
	"testing"

	"xopt/flow/xlang"
	"xopt/internal/testkit"
)

// TestDefaultSizes checks the default size of each edge against sizes computed by hand: 10 ms of the predicted flow
// before and behind a split and its join, 256 KiB between them.
func TestDefaultSizes(t *testing.T) {
	t.Parallel()
	d := load(t, testkit.Files(t, map[string]string{"app.x": `#include "std.x"
block G { output UNSIGNED32 y; };
block F { input UNSIGNED32 x; output UNSIGNED32 y; };
block P { input UNSIGNED32 x; output UNSIGNED32 a, b; };
block J { input UNSIGNED32 a, b; join a, b; output UNSIGNED32 y; };
block S { input UNSIGNED32 x; };
block top {
    G g; F f, l, m; P p; J j; S s;
    g -> p;  p.a -> f;  p.b -> j.b;  f -> j.a;  j -> l;  l -> m;  m -> s;
};
use top;
platform C {
    impl G (src="k.c"); impl F (src="k.c"); impl P (src="k.c"); impl J (src="k.c"); impl S (src="k.c");
};
resource proc[1] is C;
map { top } to proc[1];
`, "k.c": ""}), "app.x", "")
	grows := Growth{MaxBytes: 1 << 30}
	const all = 1 << 16 // elements of 4 bytes in 256 KiB
	flow := []float64{400e3, 400e3, 400e3, 400e3, 400e3, 4, 1e12}
	for i, c := range []struct {
		options Options
		want    [7]int
	}{
		{Options{CPUs: 2, Growth: grows, Flow: flow}, [7]int{1000, all, all, all, 1000, 64, all}},
		{Options{CPUs: 2, Growth: grows}, [7]int{all, all, all, all, all, all, all}},
		{Options{CPUs: 2, Flow: flow}, [7]int{all, all, all, all, all, all, all}},
		{Options{CPUs: 2, Growth: grows, Flow: flow, Buffers: map[int]int{0: 70, 1: 71}},
			[7]int{70, 71, all, all, 1000, 64, all}},
	} {
		p, err := Describe(d, c.options)
		if err != nil {
			t.Fatal(err)
		}
		for e := range p.Edges {
			if got := p.Edges[e].Capacity; got != c.want[e] {
				t.Errorf("case %d: %s has space for %d elements, want %d", i, p.Edges[e].Name, got, c.want[e])
			}
		}
	}
}

// TestMayGrow: buffers grow only with a limit of memory, and not beside the simulation of an FPGA.
func TestMayGrow(t *testing.T) {
	t.Parallel()
	grows := Growth{MaxBytes: 1 << 30}
	for i, c := range []struct {
		options Options
		want    bool
	}{
		{Options{Growth: grows}, true},
		{Options{}, false},
		{Options{Growth: grows, Virtual: &Virtual{Core: []int{0, 0}}}, true},
		{Options{Growth: grows, Virtual: &Virtual{Core: []int{0, -1}}}, false},
	} {
		p := &plan{program: &xlang.Program{Kernels: make([]xlang.Kernel, 2)}, options: c.options}
		if got := p.mayGrow(); got != c.want {
			t.Errorf("case %d: %v", i, got)
		}
	}
}
