package validate

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// minReported is the minimum significant error, even if the repeatability is better.
const minReported = 0.005

// ofMedian is the largest ratio of the standard error of a median to the standard error of a mean.
var ofMedian = math.Sqrt(math.Pi / 2)

// Repeatability returns the spread between runs of the same mapping, pooled over all cases; nil if [NotRepeatable]
// returns a reason. It is the pooled standard deviation of the logarithms of the undisturbed runs around the mean of
// their case, and therefore relative. Its confidence interval follows from the chi-squared distribution of the
// variance.
func Repeatability(cases []Case) *result.Repeatability {
	if NotRepeatable(cases) != "" {
		return nil
	}
	squares, freedom := 0.0, 0
	for i := range cases {
		c := &cases[i]
		if c.Fail != "" || len(c.Runs) < 2 || c.Bounded() {
			continue
		}
		mean, runs := 0.0, c.undisturbedTimes()
		for _, r := range runs {
			mean += math.Log(r) / float64(len(runs))
		}
		for _, r := range runs {
			squares += (math.Log(r) - mean) * (math.Log(r) - mean)
		}
		freedom += len(runs) - 1
	}
	chi := distuv.ChiSquared{K: float64(freedom)}
	at := func(p float64) float64 { return math.Sqrt(squares / chi.Quantile(p)) }
	return &result.Repeatability{Spread: math.Sqrt(squares / float64(freedom)), Interval: [2]float64{at(0.975),
		at(0.025)}, Freedom: freedom}
}

// NotRepeatable returns the reason why repeatability cannot be computed; "" for none. A rate of zero has no logarithm,
// and without the runs of rate zero, the other runs would look steadier than the machine was.
func NotRepeatable(cases []Case) string {
	twice, bounded := false, 0
	var failed, still []string
	for i := range cases {
		c := &cases[i]
		if c.Fail != "" {
			failed = append(failed, c.Name)
			continue
		}
		if c.Bounded() {
			bounded++
		} else {
			twice = twice || len(c.Runs) >= 2
		}
		if n := c.still(); n > 0 {
			still = append(still, fmt.Sprintf("%d of %d runs of %s", n, len(c.Runs), c.Name))
		}
	}
	switch {
	case len(still) > 0:
		return "the sources sent nothing in " + strings.Join(still, ", ")
	case twice:
		return ""
	case len(failed) > 0 && len(failed) == len(cases):
		return "no mapping could be measured"
	case bounded > 0:
		return "other programs disturbed the runs"
	case len(failed) > 0:
		return "no mapping that could be measured ran twice"
	}
	return "no mapping ran twice"
}

// still counts the runs whose sources sent nothing in the measured part.
func (c *Case) still() int {
	n := 0
	for _, r := range c.Runs {
		if !(r > 0) {
			n++
		}
	}
	return n
}

// critical returns the critical difference of ISO 5725-6, 4.2, as a difference of logarithms, for a case with the given
// number of valid runs. Two medians of as many runs of one mapping differ by less than this value in 95 % of cases.
func critical(r *result.Repeatability, runs int) float64 {
	t := distuv.StudentsT{Sigma: 1, Nu: float64(r.Freedom)}.Quantile(0.975)
	wider := 1.0
	if runs > 2 {
		wider = ofMedian
	}
	return t * wider * r.Spread * math.Sqrt(2/float64(runs))
}

// repeats returns the critical difference of a case; 0 if unknown. It uses the larger of two spreads: of all cases
// together and of the case's own runs.
func (c *Case) repeats(r *result.Repeatability) float64 {
	if r == nil || c.Fail != "" || len(c.Runs) == 0 {
		return 0
	}
	runs, worst := c.undisturbedTimes(), *r
	if len(runs) >= 2 {
		logs := make([]float64, len(runs))
		for i, x := range runs {
			logs[i] = math.Log(x)
		}
		worst.Spread = max(worst.Spread, stat.StdDev(logs, nil))
	}
	return critical(&worst, len(runs))
}

// interval returns the 95 % confidence interval of the throughput of a case; nil if unknown.
func (c *Case) interval(r *result.Repeatability) *[2]float64 {
	if r == nil || c.Fail != "" || len(c.Runs) == 0 || c.Bounded() {
		return nil
	}
	return around(c.Ran(), c.repeats(r))
}

// expect stores the interval that is expected to contain 95 % of a mapping's runs. It is the interval of the
// prediction, widened by the repeatability of the measurement. x.Expected is nil if the prediction has no interval.
func expect(x *result.ValidatedCase, p *result.Candidate) {
	x.Expected = nil
	if p.Interval == nil || !(p.Throughput > 0) {
		return
	}
	scale, repeats := x.Predicted/p.Throughput, 0.0
	if x.Repeats != nil {
		repeats = math.Expm1(*x.Repeats / math.Sqrt2)
	}
	low, high := predict.RunInterval(float64(x.Predicted), [2]float64{float64(p.Interval[0] * scale),
		float64(p.Interval[1] * scale)}, repeats)
	x.Expected = &[2]result.Number{result.Number(low), result.Number(high)}
}

// around returns the interval of a median, from the critical difference between two such medians.
func around(median, critical float64) *[2]float64 {
	half := math.Exp(critical / math.Sqrt2)
	return &[2]float64{median / half, median * half}
}

// repeat sets Repeats and Repeated95 of every case.
func repeat(cases []Case) {
	r := Repeatability(cases)
	for i := range cases {
		c := &cases[i]
		c.Repeats, c.Repeated95 = 0, false
		if r != nil && c.Fail == "" && len(c.Runs) > 0 && !c.Bounded() {
			c.Repeats, c.Repeated95 = c.repeats(r), true
		}
	}
}

// Unsteady reports whether most runs of a case were unsteady, so that they determine no throughput.
func (c *Case) Unsteady() bool { return 2*c.UnsteadyRuns > len(c.Runs) }

// Significant reports whether the error of a case exceeds chance. Other programs can only slow a run. If most runs were
// disturbed, or runs were slow without a correction, only a prediction below the measured throughput is significant.
func (c *Case) Significant() bool {
	slowed := 2*c.Disturbed > len(c.Runs) || c.Uncorrected != ""
	return c.beyond(c.Error()) && (!slowed || c.beyond(min(0, c.Predicted/c.Measured-1)))
}

// beyond reports whether an error exceeds the critical difference of two measurements of a case, or 3 % if this
// difference is unknown.
func (c *Case) beyond(err float64) bool {
	if !c.Repeated95 {
		return math.Abs(err) >= greatError
	}
	return math.Abs(err) > c.Repeats && math.Abs(err) >= minReported && !c.Unsteady()
}
