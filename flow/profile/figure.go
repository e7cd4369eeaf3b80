package profile

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
	"gonum.org/v1/gonum/stat/distuv"
)

// Figure is one measured quantity.
type Figure struct {
	Value float64 `json:"value"` // the value to use: the median of the windows
	N     int     `json:"n"`     // number of windows
	// CI95 is the 95 % confidence interval of the median. Both ends are 0 if there are too few windows. Use
	// [Figure.Interval] to read the interval.
	CI95 [2]float64 `json:"ci95,omitzero"`
	// Exact is true if the value was counted, such as the cycles of a simulation, and therefore has no spread.
	Exact bool `json:"exact,omitempty"`
	// AtLeast is true if the value is a lower bound on the true rate, because the measured time is below the resolution
	// of the clock.
	AtLeast bool `json:"atLeast,omitempty"`
	// Refined names the result files of the runs of mappings that refined the value; empty if the kernel was measured
	// alone.
	Refined []string `json:"refined,omitempty"`
	// Bounded is the measured value if the nearest plausible value replaces it; otherwise 0. AtLeast is true for a
	// bounded rate.
	Bounded float64 `json:"bounded,omitempty"`
	// Measured is this kernel's own measurement of a cost, if Value and CI95 are estimates from the measurements of all
	// kernels; nil otherwise. The interval of such an estimate does not depend on the number of windows.
	Measured *Estimate `json:"measured,omitempty"`
	Windows  []float64 `json:"windows,omitempty"`
}

// Estimate is a measured difference, which may be negative, with its standard error.
type Estimate struct {
	Value float64 `json:"value"`
	Error float64 `json:"error"`
}

// Bound replaces a cost by the largest plausible cost, which is an upper bound.
func (f *Figure) Bound(maximum float64) {
	f.Bounded = max(f.Bounded, f.Value)
	f.Value, f.CI95 = maximum, [2]float64{0, maximum}
}

// FewestWindows is the minimum number of windows for a 95 % interval of a median. With five windows, the range from the
// smallest value to the largest value contains the median with a probability of only 1 - 2/2⁵ = 94 %.
const FewestWindows = 6

// Interval returns the 95 % confidence interval, and reports whether there is one. A bound has no interval. A figure
// with fewer than [FewestWindows] windows has no interval, unless it was estimated together with other figures.
func (f *Figure) Interval() (low, high float64, ok bool) {
	switch {
	case f == nil || f.AtLeast:
		return 0, 0, false
	case f.Exact:
		return f.Value, f.Value, true
	case f.N > 0 && f.N < FewestWindows && f.Measured == nil, f.CI95 == [2]float64{} && (f.Value != 0 || f.N == 0):
		return 0, 0, false
	}
	return f.CI95[0], f.CI95[1], f.CI95[0] <= f.Value && f.Value <= f.CI95[1]
}

// State is the status of a measured cost in a profile.
type State uint8

// These are the states. A measured zero and a cost that cannot be distinguished from zero are both known. Predictions
// replace only an absent cost by a default.
const (
	Absent         State = iota // not measured, or in too few windows to distinguish it from zero
	Zero                        // measured, as zero
	NotSignificant              // measured, but not distinguishable from zero: at most the upper end of its interval
	Significant                 // above zero
)

// State returns the status of a cost. A zero without windows is a stated zero.
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

// WidestFactor is the maximum width of a useful interval of a positive figure, as a factor on each side.
const WidestFactor = 10

// WidestHalf is the maximum half width of a useful interval around a figure, relative to the figure. At this width, the
// lower end is the figure divided by [WidestFactor].
const WidestHalf = 1 - 1.0/WidestFactor

// narrowestAssumed is the minimum width, as a factor on each side, of an interval that replaces an unusable interval.
const narrowestAssumed = 2

// PositiveInterval returns the 95 % confidence interval of a positive figure, such as a rate or bandwidth, whose errors
// are factors. Both ends are 0 without an interval. unusable reports whether the interval includes 0 or extends beyond
// [WidestFactor]. The result is then an assumed interval, whose ends differ from the value by the same factor, from 2
// to [WidestFactor].
func (f *Figure) PositiveInterval() (low, high float64, unusable bool) {
	low, high, ok := f.Interval()
	if !ok || !(f.Value > 0) {
		return 0, 0, false
	}
	if low > 0 && low >= f.Value/WidestFactor && high <= f.Value*WidestFactor {
		return low, high, false
	}
	factor := min(max(high/f.Value, narrowestAssumed), WidestFactor)
	if low > 0 { // the interval excludes 0, but is too wide
		factor = WidestFactor
	}
	return f.Value / factor, f.Value * factor, true
}

// Spread returns the interval, or the range of the windows if there is no interval.
func (f *Figure) Spread() (low, high float64) {
	if low, high, ok := f.Interval(); ok {
		return low, high
	}
	if len(f.Windows) == 0 {
		return f.Value, f.Value
	}
	return min(f.Value, slices.Min(f.Windows)), max(f.Value, slices.Max(f.Windows))
}

// Precision returns the relative distance of the interval's ends from the value. It also reports whether there is an
// interval.
func (f *Figure) Precision() (float64, bool) {
	low, high, ok := f.Interval()
	if !ok || f.Value <= 0 {
		return 0, false
	}
	return max(high-f.Value, f.Value-low) / f.Value, true
}

// Median is a sample median with an interval that contains the true median with at least 95 % probability, for any
// distribution. Its ends are two order statistics (binomial). Fewer than [FewestWindows] values cannot reach this
// probability. The interval then contains all values.
type Median struct {
	Value, Low, High float64
	N                int
}

// Covered reports whether there are enough values for a 95 % interval.
func (m Median) Covered() bool { return m.Missing() == 0 }

// Missing returns the number of additional values that a 95 % interval needs.
func (m Median) Missing() int { return max(0, FewestWindows-m.N) }

// MedianOf returns the median of values; NaN without values.
//
// The package benchmath of x/perf computes the median, but not the interval. The interval of benchmath has a total
// coverage of 95 %, and may omit one more value at one end than at the other. Here the probability beyond each end is
// at most 2.5 %, so that a prediction can use one end as a bound.
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

// outside returns the number of values, of n, at or beyond either end of the interval. It is the largest k with P[at
// most k-1 of n below the median] <= 2.5 %.
func outside(n int) int {
	half := distuv.Binomial{N: float64(n), P: 0.5}
	k := 0
	for half.CDF(float64(k)) <= 0.025 {
		k++
	}
	return k
}
