package queueing

import (
	"fmt"
	"math"
	"slices"

	"xopt/internal/units"
	"xopt/queueing/times"
)

const (
	// leastReplayed is how many samples in their order a replay needs of both, replayedPeaks how many busy times
	// must have gone beyond a level for the tail there to count, and usualTail the part of the arrivals that wait
	// beyond the lower of the two levels between which the slope is measured.
	leastReplayed, replayedPeaks, usualTail = 1000, 30, 0.1
)

// replayed says what speaks against a bound in a replay of the samples in their order, of both from the first on, ""
// for nothing: more waits than the bound allows, or the tail of the waiting times falls less than leastOfTheta as
// fast as the bound says. Samples that depend on each other across both, or whose variation comes and goes, do that
// while the correlations of each are none. It
// reports whether there is an order: without one, as in older profiles, nothing can be replayed.
func (c *Certificate) replayed(s, t *times.Distribution, pace Pace, p float64) (reason string, known bool) {
	pace = pace.fill()
	if pace.Longer > 0 {
		s = s.Shifted(pace.Longer)
	}
	if min(len(s.Order), len(t.Order)) < leastReplayed {
		return "", false
	}
	waits, most := replay(s, t, pace)
	if k := c.Elements(p); float64(most) > k {
		return fmt.Sprintf("a replay of the samples has up to %s waiting, more than the %.0f of the bound",
			units.Elements(most), k), true
	}
	if slope := tailSlope(waits); slope < leastOfTheta*c.Best {
		return fmt.Sprintf("in a replay of the samples the tail of the waiting times is %.2g times as long as the "+
			"bound says", c.Best/slope), true
	}
	return "", true
}

// replay sends samples through a queue in their order, and returns how long the first element of each arrival waits
// for its service, and the most elements that an arrival finds, itself counted.
func replay(s, t *times.Distribution, pace Pace) (waits []float64, most int) {
	arrivals := min(len(t.Order)/pace.Gaps, len(s.Order)*pace.Takes/pace.Brings)
	now, free := 0.0, 0.0
	ends := make([]float64, 0, len(s.Order)) // of services
	gone, came := 0, 0                       // services that have ended, elements that have come
	for i := range arrivals {
		for g := range pace.Gaps {
			now += t.Bins[t.Order[i*pace.Gaps+g]].Mean
		}
		for gone < len(ends) && ends[gone] <= now {
			gone++
		}
		came += pace.Brings
		most = max(most, came-gone*pace.Takes)
		waits = append(waits, max(free-now, 0))
		for (len(ends)+1)*pace.Takes <= came {
			free = max(free, now) + s.Bins[s.Order[len(ends)]].Mean
			ends = append(ends, free)
		}
	}
	return waits, most
}

// tailSlope is how fast the logarithm of the tail of waiting times falls, in 1/s, from where a tenth of them are to as
// far as replayedPeaks busy times have gone; +Inf where there are too few to tell.
func tailSlope(waits []float64) float64 {
	var peaks []float64 // of each busy time
	peak := 0.0
	for _, w := range waits {
		if w == 0 && peak > 0 {
			peaks, peak = append(peaks, peak), 0
		}
		peak = max(peak, w)
	}
	if len(peaks) < 2*replayedPeaks {
		return math.Inf(1)
	}
	slices.Sort(peaks)
	sorted := slices.Sorted(slices.Values(waits))
	n := float64(len(sorted))
	low, high := sorted[int((1-usualTail)*n)], peaks[len(peaks)-replayedPeaks]
	beyond := func(level float64) float64 {
		at, _ := slices.BinarySearch(sorted, level)
		return (n - float64(at)) / n
	}
	const least = 2 // times as rare, for a slope to be one
	if !(high > low) || beyond(low) < least*beyond(high) {
		return math.Inf(1)
	}
	return math.Log(beyond(low)/beyond(high)) / (high - low)
}
