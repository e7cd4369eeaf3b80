package validate

import (
	"math"
	"testing"

	"xopt/mapper/result"
)

// TestIntervalOfRepeats checks that a mapping whose runs differ more than those of others has an interval and a
// repeatability limit of the same spread: the interval is the limit over √2 on each side.
func TestIntervalOfRepeats(t *testing.T) {
	cases := []Case{{Name: "a", Predicted: 100, Measured: 100, Runs: []float64{80, 100, 125}},
		{Name: "b", Predicted: 100, Measured: 100, Runs: []float64{99, 100, 101}}}
	repeat(cases)
	for i := range cases {
		c := &cases[i]
		x := c.interval(Repeatability(cases))
		if want := c.Repeats / math.Sqrt2; math.Abs(math.Log(x[1]/c.Measured)-want) > 1e-9 {
			t.Errorf("%s: interval %v, limit %g", c.Name, x, c.Repeats)
		}
	}
	if cases[0].Repeats <= cases[1].Repeats {
		t.Errorf("the limits are %g and %g", cases[0].Repeats, cases[1].Repeats)
	}
}

// TestExpect checks that an error beyond the repeatability is not beyond the expected interval if the prediction is as
// uncertain as that.
func TestExpect(t *testing.T) {
	repeats := 0.01
	for _, x := range []struct {
		measured float64
		figures  *[2]result.Number
		beyond   bool
	}{
		{90, nil, true},
		{90, &[2]result.Number{160, 240}, false}, // of a candidate without the limit of its buffers
		{60, &[2]result.Number{160, 240}, true},
		{90, &[2]result.Number{199, 201}, true},
	} {
		c := result.ValidatedCase{Predicted: 100, Measured: x.measured, Repeats: &repeats, Significant: true}
		expect(&c, &result.Candidate{Throughput: 200, Interval: x.figures})
		if c.Beyond() != x.beyond || (c.Expected == nil) != (x.figures == nil) {
			t.Errorf("%+v: expected %v", x, c.Expected)
		}
	}
}
