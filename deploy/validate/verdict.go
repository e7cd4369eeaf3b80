package validate

import (
	"slices"

	"xopt/mapper/result"
)

// VerdictOf returns the verdict of a validation: the stored verdict or, for older files, the verdict of [Judge].
func VerdictOf(v *result.Validation) *result.Verdict {
	if v.Verdict == nil {
		return Judge(v)
	}
	x := *v.Verdict
	x.Kendall, x.Regret = v.Summary.Kendall, v.Summary.Regret
	return &x
}

// Judge returns the conclusion that the runs of a validation permit. It ranks mappings by their 95 % confidence
// intervals. The verdict reports whether a ranking, τ and the regret may be stated. Every output uses these values.
func Judge(v *result.Validation) *result.Verdict {
	x := &result.Verdict{First: FirstChoice(len(v.Cases), func(i int) float64 { return float64(v.Cases[i].Predicted) }),
		Fastest: -1, Standings: make([]result.Standing, len(v.Cases))}
	var steady []int // cases that can be ranked
	measured, unsteady, uncorrected, intervals, maximum := 0, 0, 0, 0, -1.0
	corrected := slices.ContainsFunc(v.Cases, func(c result.ValidatedCase) bool { return c.Undisturbed > 0 })
	for i := range v.Cases {
		c := &v.Cases[i]
		// Some result files count disturbed runs for a failed mapping but do not contain its runs.
		disturbed := min(c.Disturbed, len(c.Runs))
		x.Disturbed, x.Runs = x.Disturbed+disturbed, x.Runs+len(c.Runs)
		if c.Disturbance != "" && c.Others > maximum {
			maximum, x.Disturbance = c.Others, c.Disturbance
		}
		if c.Fail != "" || !(c.Measured > 0) {
			continue
		}
		measured++
		switch {
		case c.Unsteady:
			x.Standings[i] = result.Unsteady
			unsteady++
		case 2*disturbed > len(c.Runs):
			x.Standings[i] = result.Disturbed
		case c.Uncorrected != "" && corrected: // its throughput is that of a slower machine
			x.Standings[i] = result.NotCorrected
			uncorrected++
		default:
			if intervalOf(v, c) != nil {
				intervals++
			}
			steady = append(steady, i)
		}
	}
	switch ranked := len(steady); {
	case measured < 2:
		x.Unknown = result.SingleMapping
	case 2*x.Disturbed > x.Runs, ranked < 2 && measured-ranked > unsteady+uncorrected:
		x.Unknown = result.MostDisturbed
	case ranked < 2 && uncorrected > 0:
		x.Unknown = result.FewCorrected
	case ranked < 2:
		x.Unknown = result.MostUnsteady
	case intervals < 2:
		x.Unknown = result.NoInterval
	default:
		rank(v, x, steady)
	}
	return x
}

// rank compares the mappings with the fastest mapping.
func rank(v *result.Validation, x *result.Verdict, steady []int) {
	for _, i := range steady {
		if x.Fastest < 0 || v.Cases[i].Ran() > v.Cases[x.Fastest].Ran() {
			x.Fastest = i
		}
	}
	alike, tau := 0, 0.0
	for n, i := range steady {
		a := &v.Cases[i]
		x.Standings[i] = result.Slower
		if i == x.Fastest || !separate(v, a, &v.Cases[x.Fastest]) {
			x.Standings[i] = result.AmongFastest
			alike++
		}
		for _, j := range steady[:n] {
			b := &v.Cases[j]
			x.Pairs++
			if separate(v, a, b) {
				x.Separate++
				tau += order(float64(a.Predicted-b.Predicted), a.Ran()-b.Ran())
			}
		}
	}
	if x.Separate == 0 {
		x.Unknown, x.Fastest = result.AllOverlap, -1
		for _, i := range steady {
			x.Standings[i] = ""
		}
		return
	}
	if alike == 1 {
		x.Standings[x.Fastest] = result.Fastest
	}
	tau /= float64(x.Separate)
	x.Kendall = &tau
	if first := x.Standings[x.First]; !v.Unranked && (first == result.Slower || first == result.Fastest) {
		best := v.Cases[x.Fastest].Ran()
		regret := (best - v.Cases[x.First].Ran()) / best
		x.Regret = &regret
	}
}

// separate reports whether the intervals of two mappings are disjoint.
func separate(v *result.Validation, a, b *result.ValidatedCase) bool {
	x, y := intervalOf(v, a), intervalOf(v, b)
	return x != nil && y != nil && (x[1] < y[0] || y[1] < x[0])
}

// intervalOf returns the 95 % confidence interval of a case's throughput; nil if unknown. Times from a profile are as
// uncertain as its figures, so the interval then includes the expected range. It also includes the throughputs that
// differ by less than minReported. Older files contain only the critical difference of two measurements.
func intervalOf(v *result.Validation, c *result.ValidatedCase) *[2]float64 {
	switch {
	case v.FromProfile:
		x := around(c.Ran(), minReported)
		if e := c.Expected; e != nil {
			x[0], x[1] = min(x[0], float64(e[0])), max(x[1], float64(e[1]))
		}
		if r := c.Interval; r != nil {
			x[0], x[1] = min(x[0], r[0]), max(x[1], r[1])
		}
		return x
	case c.Interval != nil:
		return c.Interval
	case c.Repeats != nil:
		return around(c.Ran(), *c.Repeats)
	}
	return nil
}
