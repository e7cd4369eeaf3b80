package gnuradio

import (
	"math"

	"xopt/flow/profile"
)

// Estimate is a mean with its 95 % confidence interval.
type Estimate struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	N    int     `json:"n"`
}

// estimate returns the mean of values with Student's interval. If N is below 2, the interval is unknown, and Low and
// High equal Mean. Without values, all are 0.
func estimate(values []float64) Estimate {
	n := len(values)
	if n == 0 {
		return Estimate{}
	}
	if n == 1 {
		return Estimate{Mean: values[0], Low: values[0], High: values[0], N: n}
	}
	mean, half := profile.MeanOf(values)
	return Estimate{Mean: mean, Low: mean - half, High: mean + half, N: n}
}

// gains converts an estimate of log ratios to relative gains: 0.1 for 10 % more.
func gains(logs []float64) Estimate {
	e := estimate(logs)
	const limit = 100 // JSON has no infinite numbers
	e.Mean, e.Low, e.High = math.Expm1(e.Mean), math.Expm1(max(e.Low, -limit)), math.Expm1(min(e.High, limit))
	return e
}
