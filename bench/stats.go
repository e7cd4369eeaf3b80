package bench

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Median is a median with the interval that holds the true one with 95 %
// probability, whatever the distribution: two order statistics (binomial).
type Median struct {
	Value, Low, High float64
	N                int
}

// newMedian of at least one value.
func newMedian(values []float64) Median {
	s := slices.Sorted(slices.Values(values))
	n := len(s)
	m := Median{Value: (s[(n-1)/2] + s[n/2]) / 2, Low: math.Inf(-1), High: math.Inf(1), N: n}
	// The k smallest and k largest are outside: P(at most k-1 of n below the
	// median) <= 2.5 %.
	half := distuv.Binomial{N: float64(n), P: 0.5}
	k := 0
	for half.CDF(float64(k)) <= 0.025 {
		k++
	}
	if k > 0 {
		m.Low, m.High = s[k-1], s[n-k]
	}
	return m
}
