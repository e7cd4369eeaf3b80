package calibrate

import (
	"math"
	"slices"

	"xopt/flow/profile"
)

// maxWindows is the maximum number of raw windows of a figure that a profile stores.
const maxWindows = 1000

// figure returns the median of windows and, if there are enough windows, its 95 % interval. runs contains the median of
// each run. Windows may be negative, because some costs are differences.
func figure(windows, runs []float64) profile.Figure {
	f := medianOf(windows)
	if f.CI95 != [2]float64{} {
		widen(&f, runs)
	}
	return f
}

// positiveFigure is like figure, for positive windows such as rates. It computes the interval from logarithms, because
// errors of rates are factors, so that the interval never reaches 0.
func positiveFigure(windows, runs []float64) profile.Figure {
	f := medianOf(windows)
	if !(f.CI95[0] > 0) {
		return f
	}
	logs := make([]float64, len(runs))
	for i, r := range runs {
		logs[i] = math.Log(r)
	}
	l := profile.Figure{CI95: [2]float64{math.Log(f.CI95[0]), math.Log(f.CI95[1])}}
	before := l.CI95
	widen(&l, logs)
	for i, bound := range l.CI95 {
		if bound != before[i] { // otherwise, keep the bound exactly, without rounding errors
			f.CI95[i] = math.Exp(min(max(bound, -maxLog), maxLog))
		}
	}
	return f
}

// maxLog is the maximum logarithm of an end of an interval, so that the end is finite.
const maxLog = 700

// medianOf returns the median of windows and, if there are enough windows, its interval.
func medianOf(windows []float64) profile.Figure {
	f := profile.Figure{N: len(windows), Windows: windows[:min(len(windows), maxWindows)]}
	if len(windows) == 0 {
		return f
	}
	m := profile.MedianOf(windows)
	f.Value = m.Value
	if m.Covered() {
		f.CI95 = [2]float64{m.Low, m.High}
	}
	return f
}

// widen widens an interval to contain the mean of runs with 95 % confidence (Student's t). Windows of one run
// share the placement of code and data in memory, and are not independent.
func widen(f *profile.Figure, runs []float64) {
	if len(runs) < 2 {
		return
	}
	mean, half := profile.MeanOf(runs)
	f.CI95 = [2]float64{math.Min(f.CI95[0], mean-half), math.Max(f.CI95[1], mean+half)}
}

// precise reports whether the half-width of a figure's interval is at most the given fraction of its value. A bound
// from enough windows is always precise, because more measurements do not improve it.
func precise(f profile.Figure, part float64) bool {
	if f.AtLeast && f.N >= profile.FewestWindows {
		return true
	}
	low, high, ok := f.Interval()
	return ok && high-low <= 2*part*math.Abs(f.Value)
}

// unknown reports whether the half-width of a figure's interval exceeds the figure, so that the figure contains no
// information.
func unknown(f profile.Figure) bool {
	half, ok := f.Precision()
	return ok && half > 1
}

// crossingRounds is the minimum number of runs for measuring the difference between two variants.
const crossingRounds = 3

// extra returns the figure of an additional cost: the median of differences, at least 0; nil without windows. unsure is
// the possible error of the cost that was subtracted, in s/byte. Later, [combine] replaces the figure by an estimate
// from all kernels.
func extra(c cost, unsure float64) *profile.Figure {
	if len(c.windows) == 0 {
		return nil
	}
	f := figure(c.windows, c.runs)
	spread := slices.Max(c.windows) - slices.Min(c.windows)
	if low, high, ok := f.Interval(); ok {
		spread = high - low
	}
	f.Measured = &profile.Estimate{Value: f.Value, Error: math.Hypot(spread, 2*unsure) / (2 * normal95)}
	if len(c.runs) < crossingRounds { // the variation between runs is unknown
		f.Measured.Error = max(f.Measured.Error, math.Abs(f.Value))
	}
	windows := make([]float64, len(f.Windows))
	for i, d := range f.Windows {
		windows[i] = math.Max(d, 0)
	}
	half := normal95 * f.Measured.Error
	f.Windows, f.CI95 = windows, [2]float64{math.Max(0, f.Value-half), math.Max(0, f.Value+half)}
	f.Value = math.Max(0, f.Value)
	return &f
}
