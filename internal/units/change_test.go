package units

import (
	"math"
	"testing"
)

// TestChange checks three significant digits, a resolution of a hundredth of a percent, and no trailing zeros. Above
// 1000 % it is the factor.
func TestChange(t *testing.T) {
	for v, want := range map[float64]string{0.123: "+12.3 %", -0.5: "-50 %", 2.5: "+250 %", 2.514: "+251 %",
		0.1: "+10 %", 0.15956: "+16 %", 0.24748: "+24.7 %", 0.0123456: "+1.23 %",
		-0.00121: "-0.12 %", -0.00004: "0 %", 1e-9: "0 %",
		0: "0 %", 0.0001: "+0.01 %", 10: "+1000 %", 399: "400 times", -0.99996: "-100 %",
		math.Inf(1): "unlimited"} {
		if got := Change(v); got != want {
			t.Errorf("%g: %q, want %q", v, got, want)
		}
	}
}

// TestError checks that an error stays a percentage however large it is: (predicted - measured) / measured. For
// example, 829.3 beside 24.5 is an error of 32.8 times the measurement, but a factor of 33.8.
func TestError(t *testing.T) {
	for v, want := range map[float64]string{829.3/24.5 - 1: "+3285 %", 2.514: "+251 %", -0.5: "-50 %", 0: "0 %",
		744.57: "+74457 %", math.Inf(1): "unlimited", math.NaN(): "unknown"} {
		if got := Error(v); got != want {
			t.Errorf("%g: %q, want %q", v, got, want)
		}
	}
}
