package profile

import (
	"math"
	"testing"
)

// TestInterval: there is no interval of few windows, of a bound, or if none was written.
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

// TestPositiveInterval: an interval that reaches to 0, below it or too far is neither dropped nor treated as narrow.
// A wide one is assumed, and reported.
func TestPositiveInterval(t *testing.T) {
	for name, c := range map[string]struct {
		low, high         float64 // measured, of 1
		wantLow, wantHigh float64
		unusable          bool
	}{
		"of use":          {0.9, 1.2, 0.9, 1.2, false},
		"wide, of use":    {0.2, 5, 0.2, 5, false},
		"below 0":         {-0.5, 4, 0.25, 4, true},
		"from 0":          {0, 1.1, 0.5, 2, true},
		"far beyond":      {-50, 52, 0.1, 10, true},
		"no upper end":    {0.9, 1e40, 0.1, 10, true},
		"almost from 0":   {0.001, 1.5, 0.1, 10, true},
		"nothing written": {},
	} {
		f := Figure{Value: 1, N: 9, CI95: [2]float64{c.low, c.high}}
		low, high, unusable := f.PositiveInterval()
		if math.Abs(low-c.wantLow) > 1e-12 || math.Abs(high-c.wantHigh) > 1e-12 || unusable != c.unusable {
			t.Errorf("%s: from %g to %g, %t", name, low, high, unusable)
		}
	}
	if low, high, unusable := (*Figure)(nil).PositiveInterval(); low != 0 || high != 0 || unusable {
		t.Error("what was not measured has an interval")
	}
}

// TestState: an absent cost, a measured zero and one that is not significant are three states.
func TestState(t *testing.T) {
	for _, c := range []struct {
		f    *Figure
		want State
	}{
		{nil, Absent},
		{&Figure{N: 3}, Absent}, // too few windows to distinguish it from zero
		{&Figure{N: 9}, Zero},
		{&Figure{Exact: true, N: 1}, Zero},
		{&Figure{}, Zero}, // as a user states it
		{&Figure{N: 9, CI95: [2]float64{0, 1e-9}}, NotSignificant},
		{&Figure{N: 9, Value: 1e-9, CI95: [2]float64{1e-10, 2e-9}}, Significant},
		{&Figure{N: 2, Value: 1e-9}, Significant},
	} {
		if got := c.f.State(); got != c.want {
			t.Errorf("%+v is %d, want %d", c.f, got, c.want)
		}
	}
}
