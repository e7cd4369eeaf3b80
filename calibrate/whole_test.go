package calibrate

import "testing"

// TestWhole: counts truncated by the end of a run become those of an endless run; others do not change.
func TestWhole(t *testing.T) {
	for _, c := range []struct{ elements, times, want float64 }{
		{1000, 1000, 1}, {999, 1000, 1}, {1002, 1000, 1}, {1003, 1000, 1.003}, {900, 1000, 0.9},
		{2999, 1000, 3}, {3004, 1000, 3}, {3010, 1000, 3.01}, {499, 1000, 0.5}, {1000, 10010, 0.1},
		{100, 1001, 100.0 / 1001}, {0, 1000, 0}, {0.5e6 + 50, 1e6, 0.50005},
	} {
		if got := roundRatio(c.elements, c.times, 2); got != c.want {
			t.Errorf("%g elements in %g times are %g each, want %g", c.elements, c.times, got, c.want)
		}
	}
}
