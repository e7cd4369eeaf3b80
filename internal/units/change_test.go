package units

import (
	"math"
	"testing"
)

// TestChange: three significant digits, none finer than a hundredth of a percent, and no zeros after the
// point; above 1000 % the factor is told.
func TestChange(t *testing.T) {
	for v, want := range map[float64]string{0.123: "+12.3 %", -0.5: "-50 %", 2.5: "+250 %", 2.514: "+251 %",
		0.1: "+10 %", 0.15956: "+16 %", 0.0123456: "+1.23 %", -0.00121: "-0.12 %", -0.00004: "0 %", 1e-9: "0 %",
		0: "0 %", 0.0001: "+0.01 %", 10: "+1000 %", 399: "400 times", -0.99996: "-100 %",
		math.Inf(1): "unlimited"} {
		if got := Change(v); got != want {
			t.Errorf("%g: %q, want %q", v, got, want)
		}
	}
}
