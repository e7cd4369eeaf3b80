package profile

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// MeanOf returns the mean of at least two independent values, and half the width of its 95 % confidence interval
// (Student's t).
func MeanOf(values []float64) (mean, half float64) {
	const upper = 0.975 // two-sided 95 %
	n := float64(len(values))
	mean, deviation := stat.MeanStdDev(values, nil)
	return mean, distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(upper) * deviation / math.Sqrt(n)
}
