package profile

import "testing"

// TestSteadiness: a spin is slow relative to most spins.
func TestSteadiness(t *testing.T) {
	if !(ReferenceSpin() > 0) {
		t.Error("the reference spin takes no time")
	}
	var s Steadiness
	for i := range 40 {
		spin := 1 + 0.001*float64(i%7)
		if s.Slow(spin) {
			t.Errorf("spin %d of %g is slow", i, spin)
		}
	}
	if !s.Slow(1.2) || s.Slow(0.9) {
		t.Errorf("one slow spin among forty: %+v", s)
	}
}
