package validate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestFitCosts: costs that cases were made with are found again; bounds are kept.
func TestFitCosts(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	draw := func(switchCost, crossing, noise float64) []observation {
		var seen []observation
		for range 40 {
			x := observation{firings: 1 + 9*random.Float64(), ends: 5 * random.Float64(),
				total: 1e-6 * (1 + random.Float64())}
			x.excess = switchCost*x.firings + crossing*x.ends + noise*x.total*random.NormFloat64()
			seen = append(seen, x)
		}
		return seen
	}
	for _, c := range []struct{ switchCost, crossing, least float64 }{{20e-9, 50e-9, 0}, {20e-9, 0, 0}, {0, 50e-9, 0},
		{-5e-9, 10e-9, -8e-9}} {
		l := fitCosts(draw(c.switchCost, c.crossing, 0), c.least)
		if math.Abs(l.SwitchCost-c.switchCost) > 1e-15 || math.Abs(l.CrossingCost-c.crossing) > 1e-15 {
			t.Errorf("made with %+v, found %+v", c, l)
		}
	}
	if l := fitCosts(draw(-20e-9, 0, 0), -5e-9); l.SwitchCost < -5e-9 || l.CrossingCost < 0 {
		t.Errorf("below the bounds: %+v", l)
	}
	l := fitCosts(draw(20e-9, 50e-9, 0.01), 0)
	if math.Abs(l.SwitchCost-20e-9) > 5e-9 || math.Abs(l.CrossingCost-50e-9) > 10e-9 {
		t.Errorf("with noise of 1 %%: %+v", l)
	}
}

// TestExplain: the assumption that explains most of the error is named first, with the error that is left without
// it, then the others that fail.
func TestExplain(t *testing.T) {
	good := Case{Predicted: 110, Measured: 100, Runs: []float64{99, 100, 101}, Busy: 0.999, GainRatio: 1}
	slow := func(c *Case, part float64) { c.Slow, c.SlowRatio, c.SlowPart = "top.b", 1+part, part }
	idle := func(c *Case, busy, blocked float64) { c.Busy, c.Blocked, c.BlockedPart = busy, "top.e2", blocked }
	for _, c := range []struct {
		name   string
		change func(*Case)
		want   string
	}{
		{"no great error", func(c *Case) { c.Predicted = 101; c.Disturbed = 1 }, ""},
		{"disturbed", func(c *Case) { c.Disturbed, c.Runs = 2, []float64{92, 100, 109} },
			"disturbed machine: in 2 runs the reference spin stayed slow (with that corrected, the error is +0.9 %)"},
		{"unsettled", func(c *Case) { c.Runs = []float64{89, 100, 110} },
			"disturbed machine: its 3 runs differ by 21 % (with that corrected, the error is +0.0 %)"},
		{"drift", func(c *Case) { c.Drift, c.DriftEdge = 0.06, "top.e1" },
			"not in steady state: inflow and outflow of top.e1 differ by 6 %; lengthen --window (with that " +
				"corrected, the error is +4.0 %)"},
		{"gain", func(c *Case) { c.Gain, c.GainRatio = "top.a", 1.1 },
			"gain that depends on data: that of top.a was 1.100 times its figure (with that corrected, the error is " +
				"+0.0 %)"},
		{"blocked", func(c *Case) { idle(c, 0.9, 0.3) },
			"blocked by a small buffer: no core was busy for more than 90 %, and the writer of top.e2 waited 30 % " +
				"of the " +
				"time (with that corrected, the error is +0.0 %)"},
		{"idle", func(c *Case) { idle(c, 0.93, 0) },
			"not work-conserving: no core was busy for more than 93 % (with that corrected, the error is +2.3 %)"},
		{"slow", func(c *Case) { slow(c, 0.08) },
			"sharing model: top.b needed 1.08 times its calibrated time per byte here, +8.0 % of its core (with that " +
				"corrected, the error is +2.0 %)"},
		{"none", func(*Case) {},
			"sharing model: each kernel took its own time, and the scheduling between them the " +
				"rest"},
		// The first that applies is not the one that explains.
		{"drift and slow", func(c *Case) { c.Predicted, c.Drift, c.DriftEdge = 150, 0.03, "top.e1"; slow(c, 0.45) },
			"sharing model: top.b needed 1.45 times its calibrated time per byte here, +45.0 % of its core (with " +
				"that corrected, the " +
				"error is +5.0 %); also not in steady state: inflow and outflow of top.e1 differ by " +
				"3 %; " +
				"lengthen --window (with that corrected, the error is +47.0 %)"},
		{"little", func(c *Case) { c.Predicted, c.Drift, c.DriftEdge = 150, 0.03, "top.e1" },
			"nothing explains most of it; the most is not in steady state: inflow and outflow of top.e1 differ by " +
				"3 %; lengthen --window (with that corrected, the error is +47.0 %)"},
		{"the wrong way", func(c *Case) { c.Predicted = 80; idle(c, 0.9, 0); slow(c, 0.3) },
			"sharing model: each kernel took its own time, and the scheduling between them the rest"},
	} {
		x := good
		c.change(&x)
		if err := x.explain(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if x.Reason != c.want {
			t.Errorf("%s: got %q, want %q", c.name, x.Reason, c.want)
		}
	}
}
