package program

import (
	"slices"
	"testing"

	"xopt/internal/testkit"
)

// TestPathTaps: there is one path with the most edges from each source to each reachable sink. Edges that lead back
// in a loop, and data sent once, are on no path.
func TestPathTaps(t *testing.T) {
	t.Parallel()
	d := load(t, testkit.Files(t, map[string]string{"app.x": `#include "std.x"
block G { output UNSIGNED32 y; };
block T { output UNSIGNED32 y; once y; };
block F { input UNSIGNED32 x; output UNSIGNED32 y; };
block L { input UNSIGNED32 x, back; join x, back; output UNSIGNED32 y; };
block J { input UNSIGNED32 x, z, table; output UNSIGNED32 y; join x, z; };
block S { input UNSIGNED32 x; };
block top {
    G g, h; T t; F f, m, w; L l; J j; S s, u;
    e1: g -> f;  e2: f -> j.x;  e3: g -> j.z;  e4: t -> j.table;
    e5: j -> l.x;  e6: l -> m;  e7: m -> l.back (initial=2);  e8: l -> s;
    e9: h -> w;  e10: w -> u;
};
use top;
platform C { };
resource proc[1] is C;
`}), "app.x", "")
	names := func(path []int) (list []string) {
		for _, e := range path {
			list = append(list, d.Program.Edges[e].Name)
		}
		return list
	}
	taps, left := PathTaps(d.Program, 7)
	want := [][]string{{"top.e1", "top.e2", "top.e5", "top.e8"}, {"top.e9", "top.e10"}}
	if len(taps) != len(want) || left != 0 {
		t.Fatalf("%d taps, %d left out, want %d and 0", len(taps), left, len(want))
	}
	for i := range taps {
		if got := names(taps[i].Path); !slices.Equal(got, want[i]) || taps[i].Every != 7 || taps[i].Kind != Latency {
			t.Errorf("path %d is %v, want %v", i, got, want[i])
		}
	}
}
