//go:build clp

package mapper

import (
	"math"
	"runtime"

	"github.com/lanl/clp"
)

// relaxTolerance is what a bound is lowered by, relatively, for what CLP takes as satisfied.
const relaxTolerance = 1e-6

// relaxRows is how large a relaxation may be: CLP cannot be interrupted.
const relaxRows = 20_000

// solve returns the least L; ok is false where CLP finds none.
func (a *assignment) solve() (load float64, ok bool) {
	if len(a.rows) > relaxRows {
		return 0, false
	}
	columns := make([][]clp.Nonzero, a.columns)
	bounds := make([]clp.Bounds, len(a.rows))
	for i := range a.rows {
		r := &a.rows[i]
		bounds[i] = clp.Bounds{Lower: r.lower, Upper: r.upper}
		for k, j := range r.column {
			columns[j] = append(columns[j], clp.Nonzero{Index: i, Value: r.value[k]})
		}
	}
	matrix := clp.NewPackedMatrix()
	matrix.SetDimensions(len(a.rows), 0)
	for j := range columns {
		matrix.AppendColumn(columns[j])
	}
	objective := make([]float64, a.columns)
	objective[0] = 1
	simplex := clp.NewSimplex()
	simplex.LoadProblem(matrix, nil, objective, bounds, nil)
	simplex.SetOptimizationDirection(clp.Minimize)
	defer runtime.KeepAlive(matrix)
	defer runtime.KeepAlive(simplex)
	if simplex.Dual(clp.NoValuesPass, clp.NoStartFinishOptions) != clp.Optimal {
		return 0, false
	}
	return math.Max(0, simplex.ObjectiveValue()) * (1 - relaxTolerance), true
}
