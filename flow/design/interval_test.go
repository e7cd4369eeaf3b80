package design

import (
	"strings"
	"testing"

	"xopt/flow/profile"
)

// TestUnusableInterval: an interval below 0, which a loaded machine can cause in profiles, is not dropped silently. A
// wide one is assumed, for a kernel and for a link.
func TestUnusableInterval(t *testing.T) {
	wide := &profile.Figure{Value: 564e6, N: 9, CI95: [2]float64{-248e6, 1376e6}}
	measured := &profile.Profile{
		Kernels: []profile.Kernel{{Block: "T", Platform: "C", ServiceRate: wide}},
		Links:   []profile.Link{{Linktype: "bus", Bandwidth: wide}},
	}
	d := mustLower(t, Options{Profile: FromProfile("p.json", measured, nil)}, `
#include "std.x"
block S { output UNSIGNED8 y; };
block T { input UNSIGNED8 x; };
block top { S src; T sink; src.y -> sink.x; };
resource a is C;
resource b is C;
resource bus1 is bus ({ a, b });
impl S on C (mu="1GB/s");
platform C { impl T (src="t.c"); };
`)
	f, l := d.Problem.Figures[1][0], d.Problem.Architecture.Links[0]
	for name, x := range map[string]struct {
		value, low, high float64
		unusable         bool
		note             string
	}{
		"kernel": {f.ServiceRate, f.Low, f.High, f.Unusable, f.Note},
		"link":   {l.Bandwidth, l.Low, l.High, l.Unusable, l.Note},
	} {
		if x.value != 564e6 || !x.unusable || !(x.low > 0 && x.low < 300e6) || x.high < 1300e6 ||
			!strings.Contains(x.note, "assumed") {
			t.Errorf("%s: %+v", name, x)
		}
	}
}
