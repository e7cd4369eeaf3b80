package harness

import (
	"math"

	"xopt/calibrate"
)

// maxWindows is how many raw windows of a figure a profile keeps.
const maxWindows = 1000

// figure is the median of windows with its interval.
func figure(windows []float64) calibrate.Figure {
	f := calibrate.Figure{N: len(windows), Windows: windows[:min(len(windows), maxWindows)]}
	f.Value, f.CI95[0], f.CI95[1], _ = calibrate.MedianInterval(windows)
	return f
}

// precise tells whether the interval of a figure is within a part of its value.
func precise(f calibrate.Figure, part float64) bool {
	const least = 6 // no fewer windows have an interval of 95 %
	return f.N >= least && f.CI95[1]-f.CI95[0] <= 2*part*math.Abs(f.Value)
}

// extra is the median of differences that cannot be below nothing; nil without any. One
// that its interval does not tell from nothing is taken for nothing; unsure is how far
// what was taken off may be wrong.
func extra(differences []float64, unsure float64) *calibrate.Figure {
	if len(differences) == 0 {
		return nil
	}
	_, low, _, _ := calibrate.MedianInterval(differences)
	windows := make([]float64, len(differences))
	for i, d := range differences {
		windows[i] = math.Max(d, 0)
	}
	f := figure(windows)
	if low <= unsure {
		f.Value, f.CI95[0] = 0, 0
	}
	return &f
}

// widen makes an interval hold what runs differ by: the windows of one run have in
// common where its code and data lie in memory, and are not independent.
func widen(f *calibrate.Figure, runs []float64) {
	if len(runs) == 0 {
		return
	}
	_, low, high, _ := calibrate.MedianInterval(runs)
	f.CI95 = [2]float64{math.Min(f.CI95[0], low), math.Max(f.CI95[1], high)}
}
