package calibrate

import (
	"testing"

	"xopt/flow/profile"
)

// TestUnknown: an interval wider than its figure is unknown.
func TestUnknown(t *testing.T) {
	for _, c := range []struct {
		bounds [2]float64
		want   bool
	}{{[2]float64{90, 110}, false}, {[2]float64{10, 200}, false}, {[2]float64{10, 855.47}, true}} {
		if got := unknown(profile.Figure{Value: 100, CI95: c.bounds, N: 20}); got != c.want {
			t.Errorf("100 in %v: %v", c.bounds, got)
		}
	}
}
