package profile

import "slices"

// Figure is one measured quantity.
type Figure struct {
	Value float64 `json:"value"` // the one to use, the median of the windows
	N     int     `json:"n"`     // windows
	// CI95 is the 95 % confidence interval of the median; both ends are 0 where there are
	// too few windows for one. [Figure.Interval] tells.
	CI95 [2]float64 `json:"ci95,omitzero"`
	// Exact says that the value was counted, as cycles of a simulation are, and has no
	// spread.
	Exact bool `json:"exact,omitempty"`
	// AtLeast says that the value is a bound: what was measured is shorter than the clock
	// resolves, so that the rate is at least this, and the time at most what follows.
	AtLeast bool `json:"atLeast,omitempty"`
	// Refined names the result files by whose runs in place the value was refined; empty where it was measured alone.
	Refined []string `json:"refined,omitempty"`
	// Bounded is the measured value in place of which the greatest plausible one is used; 0 where the measured one is.
	// A rate that is bounded is AtLeast, too.
	Bounded float64   `json:"bounded,omitempty"`
	Windows []float64 `json:"windows,omitempty"`
}

// Bound replaces a cost by a smaller one, the greatest that is plausible: less is possible, more is not.
func (f *Figure) Bound(most float64) {
	f.Bounded = max(f.Bounded, f.Value)
	f.Value, f.CI95 = most, [2]float64{0, most}
}

// FewestWindows is how many windows a 95 % interval of a median needs: of five, the least
// and the greatest hold the median with 1 - 2/2⁵ = 94 %.
const FewestWindows = 6

// Interval returns the 95 % confidence interval, and reports whether there is one: a figure
// of fewer than [FewestWindows] windows has none, and neither has a bound.
func (f *Figure) Interval() (low, high float64, ok bool) {
	switch {
	case f == nil || f.AtLeast:
		return 0, 0, false
	case f.Exact:
		return f.Value, f.Value, true
	case f.N > 0 && f.N < FewestWindows, f.CI95 == [2]float64{} && (f.Value != 0 || f.N == 0):
		return 0, 0, false
	}
	return f.CI95[0], f.CI95[1], f.CI95[0] <= f.Value && f.Value <= f.CI95[1]
}

// State is what a profile knows of a cost.
type State uint8

// The states. A measured zero and one that cannot be distinguished from zero are both known: only an absent cost leaves
// room for a default.
const (
	Absent         State = iota // not measured, or in too few windows to distinguish it from zero
	Zero                        // measured, as zero
	NotSignificant              // measured, and not distinguished from zero: at most the upper end of its interval
	Significant                 // above zero
)

// State returns what is known of a cost. A zero without windows is a stated one.
func (f *Figure) State() State {
	switch {
	case f == nil:
		return Absent
	case f.Value > 0:
		return Significant
	case f.Exact || f.N == 0 && f.CI95 == [2]float64{}:
		return Zero
	}
	switch _, high, ok := f.Interval(); {
	case !ok:
		return Absent
	case high > 0:
		return NotSignificant
	}
	return Zero
}

// WidestFactor is how far, as a factor on each side, an interval of a positive figure may reach
// to be of use.
const WidestFactor = 10

// narrowestAssumed is the least factor on each side that is assumed of an interval that is of
// no use.
const narrowestAssumed = 2

// PositiveInterval returns the 95 % confidence interval of a figure that cannot be 0 or less, a
// rate or a bandwidth, whose errors are factors; 0, 0 where there is none. An interval that
// reaches to 0 or below, or beyond [WidestFactor], is of no use: unusable reports that, and
// one is assumed in its place, as far below the value as the upper end is above it, a
// factor between 2 and [WidestFactor].
func (f *Figure) PositiveInterval() (low, high float64, unusable bool) {
	low, high, ok := f.Interval()
	if !ok || !(f.Value > 0) {
		return 0, 0, false
	}
	if low > 0 && low >= f.Value/WidestFactor && high <= f.Value*WidestFactor {
		return low, high, false
	}
	factor := min(max(high/f.Value, narrowestAssumed), WidestFactor)
	if low > 0 { // it reaches too far, not too low
		factor = WidestFactor
	}
	return f.Value / factor, f.Value * factor, true
}

// Spread returns the interval where there is one, and between what the windows lie where
// there is none.
func (f *Figure) Spread() (low, high float64) {
	if low, high, ok := f.Interval(); ok {
		return low, high
	}
	if len(f.Windows) == 0 {
		return f.Value, f.Value
	}
	return min(f.Value, slices.Min(f.Windows)), max(f.Value, slices.Max(f.Windows))
}

// Precision returns how far the ends of the interval are from the value, relatively, and
// reports whether there is an interval.
func (f *Figure) Precision() (float64, bool) {
	low, high, ok := f.Interval()
	if !ok || f.Value <= 0 {
		return 0, false
	}
	return max(high-f.Value, f.Value-low) / f.Value, true
}
