package units

import (
	"math"
	"testing"
)

// TestChange: above 1000 % the factor is told.
func TestChange(t *testing.T) {
	for v, want := range map[float64]string{0.123: "+12.3 %", -0.5: "-50.0 %", 10: "+1000.0 %", 399: "400 times",
		math.Inf(1): "unlimited"} {
		if got := Change(v, 1); got != want {
			t.Errorf("%g: %q, want %q", v, got, want)
		}
	}
}
