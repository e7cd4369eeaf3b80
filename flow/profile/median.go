package profile

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
	"gonum.org/v1/gonum/stat/distuv"
)

// Median is a median with the interval that holds the true one with 95 % probability,
// whatever the distribution: two order statistics (binomial). With fewer than
// [FewestWindows] values no two reach that; the interval is then all of them.
type Median struct {
	Value, Low, High float64
	N                int
}

// Covered reports whether there are enough values for the interval to be one of 95 %.
func (m Median) Covered() bool { return m.Missing() == 0 }

// Missing is how many values more the interval needs.
func (m Median) Missing() int { return max(0, FewestWindows-m.N) }

// MedianOf is the median of values; NaN of none.
//
// The median is that of x/perf's benchmath. The interval is not: benchmath's holds 95 % in
// all, and may leave out one value more at one end than at the other. Here at most 2.5 %
// are beyond either end, so that the ends are bounds by themselves, as a prediction from
// the lower one needs them.
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

// outside is how many of n values lie beyond either end of the interval, and the end itself: the
// largest k with P[at most k-1 of n below the median] <= 2.5 %.
func outside(n int) int {
	half := distuv.Binomial{N: float64(n), P: 0.5}
	k := 0
	for half.CDF(float64(k)) <= 0.025 {
		k++
	}
	return k
}
