package predict_test

import (
	"context"
	"math"
	"testing"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/flow/profile"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// TestPartsPerByte checks that the parts of a kernel's time per byte sum to its use of the core, each with the
// profile's interval.
func TestPartsPerByte(t *testing.T) {
	const app = `#include "std.x"
block G { output UNSIGNED8[100] y; };
block F { input UNSIGNED8[100] x; output UNSIGNED8[100] y; };
block S { input UNSIGNED8[100] x; };
block top { G g; F f; S s; e1: g -> f; e2: f -> s; };
use top;
platform C { impl G (src="g.c"); impl F (src="f.c"); impl S (src="s.c"); };
resource proc[2] is C (switch="20ns");
resource mem is memory ({ proc }, bandwidth="100GB/s");
map { top.f, top.s } to proc[1];
map { top.g } to proc[2];
`
	fig := func(v, low, high float64) *profile.Figure {
		return &profile.Figure{Value: v, N: 9, CI95: [2]float64{low, high}}
	}
	measured := &profile.Profile{Kernels: []profile.Kernel{
		{Block: "G", Platform: "C", ServiceRate: fig(1e9, 0.9e9, 1.1e9), SendCost: fig(2e-9, 1e-9, 4e-9)},
		{Block: "F", Platform: "C", ServiceRate: fig(200e6, 190e6, 220e6), Gain: fig(0.5, 0.5, 0.5),
			ReceiveCost: fig(5e-9, 4e-9, 6e-9), SendCost: fig(7e-9, 6e-9, 8e-9),
			CoLocationCost: fig(1e-9, 0.5e-9, 2e-9)},
		{Block: "S", Platform: "C", ServiceRate: fig(500e6, 490e6, 510e6)},
	}}
	d := flowtest.X{Files: []string{}, More: app}.Design(t, design.Options{Profile: design.FromProfile("p", measured,
		nil)})
	c, err := predict.Mapping(context.Background(), d, d.Mapping, flow.Fast{}, "m")
	if err != nil {
		t.Fatal(err)
	}
	type part struct{ value, low, high float64 } // ns/B
	want := map[string]map[string]part{
		"top.g": {"compute": {1, 1 / 1.1, 1 / 0.9}, "send": {2, 1, 4}},
		// A firing has 100 bytes; its output stays on its core.
		"top.f": {"compute": {5, 1 / 0.22, 1 / 0.19}, "receive": {5, 4, 6}, "co-location": {1, 0.5, 2},
			"switch": {value: 0.2}},
		"top.s": {"compute": {2, 1 / 0.51, 1 / 0.49}, "switch": {value: 0.2}},
	}
	near := func(x result.Number, ns float64) bool { return math.Abs(float64(x)*1e9-ns) < 1e-6 }
	for i := range c.Stations {
		s := &c.Stations[i]
		if s.IsLink {
			for _, p := range s.Parts {
				if p.PerByte != 0 {
					t.Errorf("%s of a link costs %g s/B", p.Part, float64(p.PerByte))
				}
			}
			continue
		}
		sum := result.Number(0)
		for _, p := range s.Parts {
			x, ok := want[s.Name][p.Part]
			switch {
			case !ok, !near(p.PerByte, x.value), (p.Interval != nil) != (x.low > 0),
				p.Interval != nil && !(near(p.Interval[0], x.low) && near(p.Interval[1], x.high)):
				t.Errorf("%s of %s: %g s/B in %v, want %v", p.Part, s.Name, float64(p.PerByte), p.Interval, x)
			}
			sum += p.PerByte
		}
		if len(s.Parts) != len(want[s.Name]) || math.Abs(float64(sum*s.ArrivalRate-s.Share)) > 1e-9 {
			t.Errorf("%s: %d parts, %g of its core, %g in all", s.Name, len(s.Parts), float64(sum*s.ArrivalRate),
				float64(s.Share))
		}
	}
}
