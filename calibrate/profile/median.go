package profile

import (
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// MedianInterval is the median of at least one value, and the interval that holds the
// true one with 95 % probability, whatever the distribution: two order statistics
// (binomial). With fewer than six values no two reach that; the interval is then all
// of them, and covered is false.
func MedianInterval(values []float64) (median, low, high float64, covered bool) {
	s := slices.Sorted(slices.Values(values))
	n := len(s)
	// The k smallest and k largest are outside: P(at most k-1 of n below the
	// median) <= 2.5 %.
	half := distuv.Binomial{N: float64(n), P: 0.5}
	k := 0
	for half.CDF(float64(k)) <= 0.025 {
		k++
	}
	covered = k > 0
	k = max(k, 1)
	return (s[(n-1)/2] + s[n/2]) / 2, s[k-1], s[n-k], covered
}

// Median is a median with the interval that holds the true one with 95 % probability
// (MedianInterval); of fewer than six values the interval is all of them.
type Median struct {
	Value, Low, High float64
	N                int
}

// MedianOf is the median of at least one value.
func MedianOf(values []float64) Median {
	m := Median{N: len(values)}
	m.Value, m.Low, m.High, _ = MedianInterval(values)
	return m
}
