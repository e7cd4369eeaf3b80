package predict

import (
	"math"
	"testing"
)

// TestRunInterval: what the figures leave open and what the machine repeats add up in quadrature, as factors; with one
// of them alone the run is within that one, and it always holds both.
func TestRunInterval(t *testing.T) {
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*b }
	if low, high := RunInterval(100, [2]float64{100, 100}, 0.25); !near(low, 80) || !near(high, 125) {
		t.Errorf("of exact figures runs are from %g to %g", low, high)
	}
	if low, high := RunInterval(100, [2]float64{90, 120}, 0); !near(low, 90) || !near(high, 120) {
		t.Errorf("on a machine that repeats exactly they are from %g to %g", low, high)
	}
	low, high := RunInterval(100, [2]float64{100 / math.Exp(0.3), 100 * math.Exp(0.03)}, math.Expm1(0.4))
	if !near(low, 100*math.Exp(-0.5)) || !near(high, 100*math.Exp(math.Hypot(0.03, 0.4))) {
		t.Errorf("of both they are from %g to %g", low, high)
	}
}
