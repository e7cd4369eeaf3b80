package calibrate

import (
	"testing"

	"xopt/flow/profile"
)

// TestVerdicts: a rate without an interval holds at most within the known repeatability of the machine.
func TestVerdicts(t *testing.T) {
	rate := func(v float64) profile.Figure { return profile.Figure{Value: v, N: 4} }
	inside := func(v, half float64) profile.Figure {
		return profile.Figure{Value: v, N: 9, CI95: [2]float64{v * (1 - half), v * (1 + half)}}
	}
	minimum := func(v float64) profile.Figure { return profile.Figure{Value: v, N: 9, AtLeast: true} }
	spread := rate(277.8) // the windows of few moments are no interval
	spread.Windows = []float64{120, 277.8, 400}
	const unknown = -1
	for name, c := range map[string]struct {
		old, is profile.Figure
		repeats float64
		want    Verdict
	}{
		"no interval before":       {spread, inside(173.4, 0.05), unknown, RateUncertain},
		"no interval, a little":    {rate(100), inside(100.1, 0.05), unknown, RateUncertain},
		"no interval now":          {inside(100, 0.01), rate(140), 0.1, RateUncertain},
		"no interval at all":       {rate(100), rate(64), 0.1, RateUncertain},
		"within the repeatability": {rate(100), inside(92, 0.01), 0.1, RateHolds},
		"beyond every interval":    {inside(1, 0), rate(1e6), 0.1, RateChanged},
		"overlapping":              {inside(100, 0.04), inside(108, 0.04), unknown, RateHolds},
		"wide and overlapping":     {inside(100, 0.04), inside(151.7, 0.49), unknown, RateUncertain},
		"wide, hardly changed":     {inside(100, 0.04), inside(101, 0.49), unknown, RateUncertain},
		"wide, but repeatable":     {inside(100, 0.04), inside(108, 0.49), 0.1, RateHolds},
		"apart":                    {inside(3.86, 0.1), inside(7.085, 0.1), 0.9, RateChanged},
		"wider than the rate":      {inside(100, 0.1), inside(60, 9), unknown, RateUncertain},
		"two bounds":               {minimum(100), minimum(50), unknown, RateUncertain},
		"above a bound":            {minimum(100), inside(5000, 0.1), unknown, RateUncertain},
		"below a bound":            {minimum(100), inside(50, 0.1), unknown, RateChanged},
		"a bound above":            {inside(50, 0.1), minimum(100), unknown, RateChanged},
	} {
		h := Holding{Old: c.old, New: c.is}
		if h.judge(c.repeats); h.Verdict != c.want || (h.Reason != "") != (c.want == RateUncertain) {
			t.Errorf("%s: %q, %q, want %q", name, h.Verdict, h.Reason, c.want)
		}
	}
}
