package result

import (
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Box is a box-and-whisker summary (Tukey): the quartiles, and the extreme values within 1.5 times the interquartile
// range.
type Box struct {
	Min, Low, Q1, Median, Q3, High, Max float64
}

// NewBox returns the summary of at least one value.
func NewBox(values []float64) Box {
	s := slices.Sorted(slices.Values(values))
	q := func(p float64) float64 { return stat.Quantile(p, stat.LinInterp, s, nil) }
	b := Box{Min: s[0], Q1: q(0.25), Median: q(0.5), Q3: q(0.75), Max: s[len(s)-1]}
	reach := 1.5 * (b.Q3 - b.Q1)
	for _, v := range s {
		if v >= b.Q1-reach {
			b.Low = v
			break
		}
	}
	for _, v := range slices.Backward(s) {
		if v <= b.Q3+reach {
			b.High = v
			break
		}
	}
	return b
}
