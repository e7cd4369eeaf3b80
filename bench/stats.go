package bench

import "xopt/calibrate/profile"

// Median is a median with the interval that holds the true one with 95 % probability
// (profile.MedianInterval); of fewer than six values the interval is all of them.
type Median struct {
	Value, Low, High float64
	N                int
}

func newMedian(values []float64) Median {
	m := Median{N: len(values)}
	m.Value, m.Low, m.High, _ = profile.MedianInterval(values)
	return m
}
