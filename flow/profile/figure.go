package profile

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
	"gonum.org/v1/gonum/stat/distuv"
)

// Figure is one measured quantity.
type Figure struct {
	Value float64 `json:"value"` // the one to use, the median of the windows
	N     int     `json:"n"`     // windows
	// CI95 is the 95 % confidence interval of the median; both ends are 0 if there are too few windows for one.
	// [Figure.Interval] reports it.
	CI95 [2]float64 `json:"ci95,omitzero"`
	// Exact reports that the value was counted, as cycles of a simulation are, and has no spread.
	Exact bool `json:"exact,omitempty"`
	// AtLeast reports that the value is a bound because the measured time is below the resolution of the clock. The
	// rate is at least this, and the time at most the corresponding one.
	AtLeast bool `json:"atLeast,omitempty"`
	// Refined names the result files by whose runs in place the value was refined; empty if it was measured alone.
	Refined []string `json:"refined,omitempty"`
	// Bounded is the measured value that was replaced by the nearest plausible one; 0 if the measured one is in
	// use. A bounded rate is also AtLeast.
	Bounded float64   `json:"bounded,omitempty"`
	Windows []float64 `json:"windows,omitempty"`
}

// Bound replaces a cost by a smaller one, the largest that is plausible: less is possible, more is not.
func (f *Figure) Bound(maximum float64) {
	f.Bounded = max(f.Bounded, f.Value)
	f.Value, f.CI95 = maximum, [2]float64{0, maximum}
}

// FewestWindows is the minimum number of windows for a 95 % interval of a median. With five, the smallest and the
// largest include the median with only 1 - 2/2⁵ = 94 %.
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

// State is the status of a cost in a profile.
type State uint8

// The states. A measured zero and one that cannot be distinguished from zero are both known: only an absent cost leaves
// room for a default.
const (
	Absent         State = iota // not measured, or in too few windows to distinguish it from zero
	Zero                        // measured, as zero
	NotSignificant              // measured, and not distinguished from zero: at most the upper end of its interval
	Significant                 // above zero
)

// State returns the status of a cost. A zero without windows is a stated one.
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

// WidestFactor is the largest useful interval of a positive figure, as a factor on each side.
const WidestFactor = 10

// narrowestAssumed is the minimum factor on each side of an interval that is assumed in place of an unusable one.
const narrowestAssumed = 2

// PositiveInterval returns the 95 % confidence interval of a positive figure, a rate or a bandwidth, whose errors are
// factors. It returns 0, 0 if there is none. unusable reports that the interval reaches to 0 or below, or beyond
// [WidestFactor]. Then the result is an assumed interval: as far below the value as the upper end is above it, by a
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

// Spread returns the interval or, without one, the range of the windows.
func (f *Figure) Spread() (low, high float64) {
	if low, high, ok := f.Interval(); ok {
		return low, high
	}
	if len(f.Windows) == 0 {
		return f.Value, f.Value
	}
	return min(f.Value, slices.Min(f.Windows)), max(f.Value, slices.Max(f.Windows))
}

// Precision returns the relative distance of the ends of the interval from the value, and reports whether there
// is an interval.
func (f *Figure) Precision() (float64, bool) {
	low, high, ok := f.Interval()
	if !ok || f.Value <= 0 {
		return 0, false
	}
	return max(high-f.Value, f.Value-low) / f.Value, true
}

// Median is a median with an interval that contains the true one with 95 % probability, for any distribution:
// two order statistics (binomial). Fewer than [FewestWindows] values cannot reach that probability; the
// interval then contains all of them.
type Median struct {
	Value, Low, High float64
	N                int
}

// Covered reports whether there are enough values for the interval to be one of 95 %.
func (m Median) Covered() bool { return m.Missing() == 0 }

// Missing returns the number of further values that the interval needs.
func (m Median) Missing() int { return max(0, FewestWindows-m.N) }

// MedianOf returns the median of values; NaN without values.
//
// The median is computed as in benchmath of x/perf, but not the interval. The interval of benchmath contains 95 % in
// total, and may omit one value more at one end than at the other. Here at most 2.5 % are beyond either end.
// Therefore each end is a bound by itself, as a prediction from the lower one requires.
func MedianOf(values []float64) Median {
	if len(values) == 0 {
		return Median{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}
	}
	sample := benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)
	n := len(sample.Values)
	k := max(1, outside(n))
	return Median{Value: benchmath.AssumeNothing.Summary(sample, 0.95).Center, Low: sample.Values[k-1],
		High: sample.Values[n-k], N: n}
}

// outside returns the number of n values beyond either end of the interval, including the end. It is the largest k
// with P[at most k-1 of n below the median] <= 2.5 %.
func outside(n int) int {
	half := distuv.Binomial{N: float64(n), P: 0.5}
	k := 0
	for half.CDF(float64(k)) <= 0.025 {
		k++
	}
	return k
}
