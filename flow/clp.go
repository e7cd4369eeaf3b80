//go:build clp

package flow

import (
	"fmt"
	"math"
	"runtime"

	"github.com/lanl/clp"

	"xopt/flow/faults"
)

const (
	// clpPrimalTolerance is the permitted violation of a row, in units of the columns. CLP's default of 1e-7 would
	// affect the ninth digit.
	clpPrimalTolerance = 1e-10
	// clpObjectiveScale makes CLP's fixed dual tolerance of 1e-7 small relative to the objective.
	clpObjectiveScale = 1e5
)

// errCLP reports a status of CLP other than optimal or unbounded.
var errCLP = faults.CLPGaveUp.Errorf("the solver CLP failed")

type lpStatus uint8

const (
	lpOptimal lpStatus = iota
	lpUnbounded
)

// solve returns the value of every column and the dual value of every row.
func (p *linearProgram) solve() (x, dual []float64, status lpStatus, err error) {
	columns := make([][]clp.Nonzero, p.columns)
	bounds := make([]clp.Bounds, len(p.rows))
	scale := make([]float64, len(p.rows))
	for i := range p.rows {
		r := &p.rows[i]
		scale[i] = 1
		if r.lower == r.upper {
			scale[i] = r.scale(p.unit)
		}
		bounds[i] = clp.Bounds{Lower: r.lower / scale[i], Upper: r.upper / scale[i]}
		if r.lower != r.upper {
			bounds[i].Lower = math.Inf(-1)
		}
		for k, j := range r.column {
			columns[j] = append(columns[j], clp.Nonzero{Index: i, Value: r.value[k] * p.unit[j] / scale[i]})
		}
	}
	largest := 0.0
	for j, v := range p.objective {
		largest = math.Max(largest, v*p.unit[j])
	}
	objectiveScale := clpObjectiveScale / largest
	objective := make([]float64, p.columns)
	matrix := clp.NewPackedMatrix()
	matrix.SetDimensions(len(p.rows), 0)
	for j := range columns {
		objective[j] = p.objective[j] * p.unit[j] * objectiveScale
		matrix.AppendColumn(columns[j])
	}
	// A flow of zero satisfies every row. If CLP reports that the program is infeasible, its arithmetic has failed.
	// Another method then starts from scratch.
	var simplex *clp.Simplex
	verdict := clp.SimplexStatus(clp.Infeasible)
	for _, method := range []func(*clp.Simplex) clp.SimplexStatus{
		func(s *clp.Simplex) clp.SimplexStatus { return s.Primal(clp.NoValuesPass, clp.NoStartFinishOptions) },
		func(s *clp.Simplex) clp.SimplexStatus { return s.Dual(clp.NoValuesPass, clp.NoStartFinishOptions) },
		func(s *clp.Simplex) clp.SimplexStatus { return s.Barrier(true) },
	} {
		simplex = clp.NewSimplex()
		simplex.LoadProblem(matrix, nil, objective, bounds, nil)
		simplex.SetOptimizationDirection(clp.Maximize)
		simplex.SetPrimalTolerance(clpPrimalTolerance)
		if verdict = method(simplex); verdict != clp.Infeasible {
			break
		}
	}
	// Finalizers of the Go values free the solver's memory.
	defer runtime.KeepAlive(matrix)
	defer runtime.KeepAlive(simplex)
	switch verdict {
	case clp.Optimal:
	case clp.Unbounded:
		return nil, nil, lpUnbounded, nil
	default:
		return nil, nil, 0, fmt.Errorf("%w with status %d", errCLP, verdict)
	}
	x = simplex.PrimalColumnSolution()
	for j := range x {
		x[j] = math.Max(0, x[j]) * p.unit[j]
	}
	dual = simplex.DualRowSolution()
	for i := range dual {
		dual[i] = math.Abs(dual[i]) / objectiveScale / scale[i]
	}
	return x, dual, lpOptimal, nil
}
