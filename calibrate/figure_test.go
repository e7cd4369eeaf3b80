package calibrate

import "testing"

// TestInterval: there is no interval of few windows, of a bound, or where none was written.
func TestInterval(t *testing.T) {
	for name, c := range map[string]struct {
		figure    Figure
		low, high float64
		ok        bool
	}{
		"two windows":     {figure: Figure{Value: 2, N: 2, CI95: [2]float64{1.99, 2.01}}},
		"five windows":    {figure: Figure{Value: 2, N: 5, CI95: [2]float64{1, 3}}},
		"six windows":     {Figure{Value: 2, N: 6, CI95: [2]float64{1, 3}}, 1, 3, true},
		"none written":    {figure: Figure{Value: 2, N: 9}},
		"nothing":         {Figure{Value: 0, N: 9}, 0, 0, true},
		"counted":         {Figure{Value: 2, N: 1, Exact: true}, 2, 2, true},
		"a bound":         {figure: Figure{Value: 2, N: 9, CI95: [2]float64{1, 3}, AtLeast: true}},
		"of a hand":       {Figure{Value: 2, CI95: [2]float64{1, 3}}, 1, 3, true},
		"of a hand, none": {figure: Figure{Value: 2}},
		"not measured":    {},
	} {
		if low, high, ok := c.figure.Interval(); low != c.low || high != c.high || ok != c.ok {
			t.Errorf("%s: got %g, %g, %t", name, low, high, ok)
		}
	}
	if _, _, ok := (*Figure)(nil).Interval(); ok {
		t.Error("no figure has an interval")
	}
	if low, high := (&Figure{Value: 2, N: 2, Windows: []float64{1, 3}}).Spread(); low != 1 || high != 3 {
		t.Errorf("windows of 1 and 3 are spread from %g to %g", low, high)
	}
}
