package validate

import (
	"math"
	"math/rand/v2"
	"strings"
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

// TestExplain: each assumption that fails is named, the first that applies.
func TestExplain(t *testing.T) {
	good := Case{Predicted: 110, Measured: 100, Runs: []float64{99, 100, 101}, Busy: 0.999, GainRatio: 1}
	for _, c := range []struct {
		change func(*Case)
		want   string
	}{
		{func(c *Case) { c.Predicted = 101; c.Disturbed = 1 }, ""},
		{func(c *Case) { c.Disturbed = 2 }, "disturbed machine: in 2 runs"},
		{func(c *Case) { c.Runs = []float64{89, 100, 110} }, "disturbed machine: its 3 runs differ by 21 %"},
		{func(c *Case) { c.Drift, c.DriftEdge = 0.05, "top.e1" }, "not in steady state: inflow and outflow of top.e1"},
		{func(c *Case) { c.Gain, c.GainRatio = "top.a", 1.1 },
			"gain that depends on data: that of top.a was 1.100 times"},
		{func(c *Case) { c.Busy, c.Blocked, c.BlockedPart = 0.9, "top.e2", 0.3 },
			"blocked by a small buffer: no core was busy for more than 90 %, and the writer of top.e2 waited 30 %"},
		{func(c *Case) { c.Busy = 0.9 }, "not work-conserving"},
		{func(c *Case) { c.Slow, c.SlowRatio, c.SlowPart = "top.b", 1.3, 0.08 },
			"sharing model: top.b needed 1.30 times its calibrated time"},
		{func(*Case) {}, "sharing model: each kernel took its own time"},
	} {
		x := good
		c.change(&x)
		x.explain()
		if c.want == "" && x.Reason != "" || !strings.HasPrefix(x.Reason, c.want) {
			t.Errorf("got %q, want %q", x.Reason, c.want)
		}
	}
}
