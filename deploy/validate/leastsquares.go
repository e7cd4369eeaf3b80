package validate

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// minSpread is the minimum relative spread assumed for runs. If runs agreed better by chance, a smaller spread would
// make every difference significant.
const minSpread = 1e-3

// maxCondition is the condition number above which the columns count as collinear.
const maxCondition = 1e6

// fitted is a linear model with some of the columns.
type fitted struct {
	coefficient, deviation []float64 // coefficient of each column, and its standard deviation
	freedom                float64
	// leftOut is the sum of squared errors when each row is predicted by a fit to the other rows (PRESS: Allen, "The
	// relationship between variable selection and data augmentation", 1974).
	leftOut float64
}

// leastSquares fits y to the columns of rows, with relative errors. It reports false if there are too few rows, or if
// the columns are collinear in all rows or in all rows except one.
func leastSquares(rows [][]float64, y []float64) (*fitted, bool) {
	n := len(rows)
	if n == 0 || n < len(rows[0])+2 {
		return nil, false
	}
	p := len(rows[0])
	normal, right := mat.NewSymDense(p, nil), mat.NewVecDense(p, nil)
	for i, x := range rows {
		for a := range p {
			right.SetVec(a, right.AtVec(a)+x[a]*y[i])
			for b := a; b < p; b++ {
				normal.SetSym(a, b, normal.At(a, b)+x[a]*x[b])
			}
		}
	}
	var chol mat.Cholesky
	var inverse mat.SymDense
	var c mat.VecDense
	if !chol.Factorize(normal) || !(chol.Cond() < maxCondition) || chol.InverseTo(&inverse) != nil ||
		chol.SolveVecTo(&c, right) != nil {
		return nil, false
	}
	f := &fitted{freedom: float64(n - p)}
	sum := 0.0
	for i, x := range rows {
		row := mat.NewVecDense(p, x)
		rest, leverage := y[i]-mat.Dot(row, &c), mat.Inner(row, &inverse, row)
		if leverage > 1-1e-6 { // a column depends on this row alone
			return nil, false
		}
		sum += rest * rest
		f.leftOut += rest * rest / ((1 - leverage) * (1 - leverage))
	}
	spread := max(sum/f.freedom, minSpread*minSpread)
	for a := range p {
		f.coefficient = append(f.coefficient, c.AtVec(a))
		f.deviation = append(f.deviation, math.Sqrt(spread*inverse.At(a, a)))
	}
	return f, true
}

// half returns half the width of a coefficient's interval at the confidence level 1 - level.
func (f *fitted) half(column int, level float64) float64 {
	return f.deviation[column] * distuv.StudentsT{Sigma: 1, Nu: f.freedom}.Quantile(1-level/2)
}

// significant reports whether the intervals of all coefficients exclude 0.
func (f *fitted) significant(level float64) bool {
	for i, c := range f.coefficient {
		if math.Abs(c) <= f.half(i, level) {
			return false
		}
	}
	return true
}

// bestOf returns the set of columns that best predicts omitted rows and whose coefficients are all significant; nil if
// no set is better than the empty set. If several sets are equally good, it returns the set with the first columns.
func bestOf(rows [][]float64, y []float64, level float64) (columns []int, best *fitted) {
	if len(rows) == 0 {
		return nil, nil
	}
	minimum := 0.0 // with no column
	for _, v := range y {
		minimum += v * v
	}
	const better = 1 - 1e-6
	for set := 1; set < 1<<len(rows[0]); set++ {
		var of []int
		for a := range rows[0] {
			if set>>a&1 == 1 {
				of = append(of, a)
			}
		}
		some := make([][]float64, len(rows))
		for i, x := range rows {
			for _, a := range of {
				some[i] = append(some[i], x[a])
			}
		}
		f, ok := leastSquares(some, y)
		if ok && f.leftOut < minimum*better && f.significant(level) {
			columns, best, minimum = of, f, f.leftOut
		}
	}
	return columns, best
}
