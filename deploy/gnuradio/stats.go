package gnuradio

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Estimate is a mean with its 95 % confidence interval.
type Estimate struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	N    int     `json:"n"`
}

// estimate returns the mean of values with Student's interval. With N below 2, the interval is unknown: both ends are
// the mean, which is 0 without values.
func estimate(values []float64) Estimate {
	n := len(values)
	if n == 0 {
		return Estimate{}
	}
	mean, sd := stat.MeanStdDev(values, nil)
	e := Estimate{Mean: mean, Low: mean, High: mean, N: n}
	if n > 1 {
		const upper = 0.975 // two-sided 95 %
		half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile(upper) * sd / math.Sqrt(float64(n))
		e.Low, e.High = mean-half, mean+half
	}
	return e
}

// gains converts an estimate of log ratios to relative gains: 0.1 for 10 % more.
func gains(logs []float64) Estimate {
	e := estimate(logs)
	const limit = 100 // JSON has no infinite numbers
	e.Mean, e.Low, e.High = math.Expm1(e.Mean), math.Expm1(max(e.Low, -limit)), math.Expm1(min(e.High, limit))
	return e
}
