package validate

import (
	"math"
	"slices"

	"xopt/flow/profile"
	"xopt/mapper/result"

	"gonum.org/v1/gonum/stat"
)

// Summarize compares the measured cases, and counts the cases with only a lower bound. Regret is the regret of the case
// with the largest predicted throughput; nil if this case was not measured.
func Summarize(cases []Case) result.Summary {
	var s result.Summary
	var errs, equals, edges, predicted, equal, measured []float64
	best, first, choice := 0.0, 0.0, FirstChoice(len(cases), func(i int) float64 { return cases[i].Predicted })
	var ok []*Case
	for i := range cases {
		c := &cases[i]
		if c.Fail != "" {
			continue
		}
		if c.Bounded() {
			s.Bounded++
			continue
		}
		ok = append(ok, c)
		errs = append(errs, math.Abs(c.Error()))
		ran := c.Ran()
		equals = append(equals, math.Abs(c.Equal-ran)/ran)
		best = max(best, ran)
		if i == choice {
			first = ran
		}
		for _, e := range c.Edges {
			if e.Measured > 0 && e.Predicted > 0 {
				flowed := e.Measured * ran / c.Measured
				edges = append(edges, math.Abs(e.Predicted-flowed)/flowed)
				predicted, equal, measured = append(predicted, e.Predicted), append(equal, e.Equal),
					append(measured, flowed)
			}
		}
	}
	s.Cases = len(ok)
	if len(ok) == 0 {
		return s
	}
	slices.Sort(errs)
	slices.Sort(equals)
	slices.Sort(edges)
	s.Mean, s.Median, s.P95, s.Worst = stat.Mean(errs, nil), median(errs), stat.Quantile(0.95, stat.Empirical, errs,
		nil), errs[len(errs)-1]
	s.EqualMean, s.EqualMedian, s.EqualP95, s.EqualWorst = stat.Mean(equals, nil), median(equals),
		stat.Quantile(0.95, stat.Empirical, equals, nil), equals[len(equals)-1]
	if len(edges) > 0 {
		s.EdgeMedian, s.EdgeP95 = median(edges), stat.Quantile(0.95, stat.Empirical, edges, nil)
	}
	if len(ok) >= MinMappings {
		s.RSquare, s.EqualRSquare = RSquare(predicted, measured), RSquare(equal, measured)
	}
	ranked, seen := make([]float64, len(ok)), make([]float64, len(ok))
	for i, c := range ok {
		ranked[i], seen[i] = c.Predicted, c.Ran()
	}
	tau := Kendall(ranked, seen)
	s.Kendall = &tau
	if first > 0 {
		regret := (best - first) / best
		s.Regret = &regret
	}
	return s
}

// CountRuns returns the number of runs of the measured mappings, and the number of further runs that were discarded and
// repeated.
func CountRuns(cases []Case) (runs, repeated int) {
	for i := range cases {
		if c := &cases[i]; c.Fail == "" {
			runs, repeated = runs+len(c.Runs), repeated+c.Repeated
		}
	}
	return runs, repeated
}

// median returns the median of values; NaN without values.
func median(x []float64) float64 { return profile.MedianOf(x).Value }

// Kendall returns the rank correlation τ-a of predicted and measured values; 0 for fewer than two values. It is the
// number of concordant minus discordant pairs, divided by the number of pairs. Ties count as neither, because equal
// predictions are common. (gonum's stat.Kendall counts a tie by its position in the list.)
func Kendall(predicted, measured []float64) float64 {
	concordant, pairs := 0.0, 0.0
	for i := range predicted {
		for j := range i {
			pairs++
			concordant += order(predicted[i]-predicted[j], measured[i]-measured[j])
		}
	}
	return concordant / max(pairs, 1)
}

// order returns 1 if two differences have the same sign, -1 if they have opposite signs, and 0 if one of them is 0.
func order(a, b float64) float64 {
	switch d := a * b; {
	case d > 0:
		return 1
	case d < 0:
		return -1
	}
	return 0
}

// MinMappings is the minimum number of mappings for reporting R². Nearly any line fits the edges of fewer mappings.
const MinMappings = 5

// RSquare returns R² of the linear regression of the measured values on the predicted values. It is 0 if there is no
// regression or its slope is negative.
func RSquare(predicted, measured []float64) float64 {
	if len(predicted) < 2 {
		return 0
	}
	if r := stat.Correlation(predicted, measured, nil); r > 0 {
		return r * r
	}
	return 0
}

// FirstChoice returns the index of the first mapping whose predicted throughput is at most 0.5 % below the largest; -1
// if there are no mappings. Smaller differences are within the repeatability of the simulations.
func FirstChoice(n int, predicted func(i int) float64) int {
	best := 0.0
	for i := range n {
		best = max(best, predicted(i))
	}
	for i := range n {
		if predicted(i) >= best*(1-minReported) {
			return i
		}
	}
	return min(0, n-1)
}
