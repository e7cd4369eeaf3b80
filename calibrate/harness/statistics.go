package harness

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"xopt/calibrate"
)

// maxWindows is how many raw windows of a figure a profile keeps.
const maxWindows = 1000

// figure is the median of windows with the interval that holds the true one with
// 95 % probability, whatever their distribution: two order statistics (binomial).
// With fewer than six windows no two reach that, and the interval is all of them.
func figure(windows []float64) calibrate.Figure {
	s := slices.Sorted(slices.Values(windows))
	n := len(s)
	half := distuv.Binomial{N: float64(n), P: 0.5}
	k := 0
	for k < n/2 && half.CDF(float64(k)) <= 0.025 {
		k++
	}
	k = max(k, 1)
	return calibrate.Figure{Value: (s[(n-1)/2] + s[n/2]) / 2, N: n, CI95: [2]float64{s[k-1], s[n-k]}, Windows: windows[:min(n, maxWindows)]}
}

// precise tells whether the interval of a figure is within a part of its value.
func precise(f calibrate.Figure, part float64) bool {
	const least = 6
	return f.N >= least && f.CI95[1]-f.CI95[0] <= 2*part*math.Abs(f.Value)
}
