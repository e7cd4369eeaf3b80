package predict

import (
	"math"
	"testing"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/flow/profile"
)

// TestWidened: what the figures leave open, what the model does not know and what the machine repeats add up in
// quadrature, as factors; with one of them alone the run is within that one, and it always holds all.
func TestWidened(t *testing.T) {
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*b }
	if low, high := widened(100, [2]float64{100, 100}, 0.25); !near(low, 80) || !near(high, 125) {
		t.Errorf("of exact figures runs are from %g to %g", low, high)
	}
	if low, high := widened(100, [2]float64{90, 120}, 0); !near(low, 90) || !near(high, 120) {
		t.Errorf("on a machine that repeats exactly they are from %g to %g", low, high)
	}
	low, high := widened(100, [2]float64{100 / math.Exp(0.3), 100 * math.Exp(0.03)}, math.Expm1(0.4))
	if !near(low, 100*math.Exp(-0.5)) || !near(high, 100*math.Exp(math.Hypot(0.03, 0.4))) {
		t.Errorf("of both they are from %g to %g", low, high)
	}
	all, _ := RunInterval(100, [2]float64{100 / math.Exp(0.3), 100}, math.Expm1(0.4))
	if want := 100 * math.Exp(-math.Hypot(0.5, math.Log1p(ModelError))); !near(all, want) {
		t.Errorf("of all they are from %g, want %g", all, want)
	}
}

// TestRunsFarApart: where the cores of the machine are often far apart the interval of runs reaches as far down as that
// makes them slower; where they seldom are, or the mapping crosses nothing, it does not.
func TestRunsFarApart(t *testing.T) {
	const app = `#include "std.x"
block G { output UNSIGNED8 y; };
block S { input UNSIGNED8 x; };
block top { G g; S s; g -> s; };
use top;
platform C { impl G (src="g.c"); impl S (src="s.c"); };
resource proc[2] is C;
resource mem is memory ({ proc });
map { top.g } to proc[1];
`
	figure := func(v float64) *profile.Figure { return &profile.Figure{Value: v, N: 9, CI95: [2]float64{v, v}} }
	for _, x := range []struct {
		to        string
		near, far float64 // part of the time near, and the throughput expected far apart; 0 for not told
	}{{"proc[2]", 0.6, 50e6}, {"proc[2]", 0.99, 0}, {"proc[1]", 0.6, 0}} {
		p := &profile.Profile{Reference: &profile.Reference{Repeatability: 0.25,
			Distance: &profile.Distance{Windows: 9, Good: 1e-8, FarApart: 5e-8, GoodTime: x.near}},
			Kernels: []profile.Kernel{{Block: "G", Platform: "C", ServiceRate: figure(1e9)},
				{Block: "S", Platform: "C", ServiceRate: figure(125e6), ReceiveCost: figure(2e-9),
					ReceiveFar: figure(12e-9)}},
			Links: []profile.Link{{Linktype: "memory", Bandwidth: figure(1e10)}}}
		d := flowtest.X{Files: []string{}, More: app + "map { top.s } to " + x.to + ";\n"}.Design(t, design.Options{
			Purpose: design.ForMapping, Profile: design.FromProfile("p", p, nil)})
		c := predict(t, d)
		again := math.Exp(-math.Hypot(math.Log1p(0.25), math.Log1p(ModelError)))
		low := again * float64(c.Throughput)
		if x.far > 0 {
			low = again * x.far * flow.DefaultMaxUtilization
		}
		if got := float64(c.RunInterval[0]); math.Abs(got-low) > 1e-9*low || (c.FarApart > 0) != (x.far > 0) {
			t.Errorf("to %s, near in %g of the time: runs from %g, want %g; far apart %g", x.to, x.near, got, low,
				c.FarApart)
		}
	}
}
