package xlang

import "testing"

// TestPerFiring: the accepted counts of emit and join.
func TestPerFiring(t *testing.T) {
	for text, want := range map[string]float64{"1": 1, "2147483647": 2147483647, "0": 0, "1.5": 0, "2147483648": 0,
		"1e400": 0} {
		if n, err := perFiring(text); n != want || (err == nil) != (want > 0) {
			t.Errorf("%s: %g, %v", text, n, err)
		}
	}
}
