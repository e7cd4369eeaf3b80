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
