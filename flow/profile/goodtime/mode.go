package goodtime

import (
	"math"
	"slices"
)

// [LowerMode] rejects a mode if at least the fraction minShare of the values is below the mode by more than the
// fraction below. For [NearMode], the constants are nearer and nearShare.
const (
	below    = 0.03
	minShare = 0.05
	fewest   = 5 // minimum number of lower values

	nearer    = 0.3
	nearShare = 0.2
)

// LowerMode returns the value around which the lower values cluster, or NaN without values. LowerMode starts with the
// half-sample mode. While at least a twentieth of the values is more than 3 % below the mode, it continues with the
// mode of these values. This is necessary because a machine may be disturbed most of the time.
func LowerMode(values []float64) float64 { return lowerMode(values, below, minShare) }

// NearMode is like LowerMode, for core distances, which have few distinct values. It starts with the mode. While at
// least a fifth of the values is more than 30 % below the mode, it continues with the mode of these values. Lower
// values occur while the host of a virtual machine runs two processors on one core.
func NearMode(values []float64) float64 { return lowerMode(values, nearer, nearShare) }

func lowerMode(values []float64, below, minShare float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	minimum := max(fewest, int(math.Ceil(minShare*float64(len(sorted)))))
	for {
		mode := halfSampleMode(sorted)
		n, _ := slices.BinarySearch(sorted, mode*(1-below))
		if n < minimum {
			return mode
		}
		sorted = sorted[:n]
	}
}

// halfSampleMode returns the mode of sorted values. It repeatedly selects the shortest interval with half of the
// remaining values.
func halfSampleMode(sorted []float64) float64 {
	for len(sorted) > 3 {
		half := (len(sorted) + 1) / 2
		at, width := 0, math.Inf(1)
		for i := 0; i+half <= len(sorted); i++ {
			if w := sorted[i+half-1] - sorted[i]; w < width {
				at, width = i, w
			}
		}
		sorted = sorted[at : at+half]
	}
	switch len(sorted) {
	case 3:
		if sorted[1]-sorted[0] < sorted[2]-sorted[1] {
			return (sorted[0] + sorted[1]) / 2
		} else if sorted[1]-sorted[0] > sorted[2]-sorted[1] {
			return (sorted[1] + sorted[2]) / 2
		}
		return sorted[1]
	case 2:
		return (sorted[0] + sorted[1]) / 2
	}
	return sorted[0]
}
