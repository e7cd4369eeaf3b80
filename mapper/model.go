package mapper

import (
	"context"
	"io"

	"xopt/flow"
	"xopt/internal/fault"
	"xopt/mapper/cutbound"
	"xopt/mapper/faults"
)

// Model is what the bound knows of a problem, as a mixed integer program for other solvers: the least greatest load of
// a mapping. Loads are rounded down, so that its optimum is a bound on all mappings; it leaves out what the bound
// leaves out.
type Model struct {
	problem *cutbound.Problem
	works   flow.LoadCoefficients
	unit    float64
	rows    []cutbound.Row
}

// modelTarget is the greatest load that is of interest, of which a best mapping's is one: a little more.
const modelTarget = cutbound.Whole + cutbound.Whole/1_000_000

// NewModel writes a problem down in loads of a mapping of some throughput; mappings of less are left out. It is
// refused for several free sources, and costs below 0.
func NewModel(ctx context.Context, p *flow.Problem, c *flow.Constraints, throughput float64) (*Model, error) {
	r, scorer, err := newRunner(p, c, Options{Method: Anneal})
	if err != nil {
		return nil, err
	}
	if scorer.FreeSources() > 1 {
		return nil, goalErrorf(fault.SeveralFreeSources, "a model for other solvers is made of applications with one "+
			"free source only")
	}
	works := scorer.LoadCoefficients(0)
	relax, ok := newRelaxation(r.space, works)
	m := &Model{works: works, unit: works.Load(throughput)}
	if ok {
		m.problem, _ = wholeCutProblem(r.space, onlyMix(works), relax, m.unit)
	}
	if m.problem == nil {
		return nil, goalErrorf(faults.NegativeCosts, "a model for other solvers is made where no cost is below 0 only")
	}
	m.rows = m.problem.Trees(ctx, modelTarget)
	return m, ctx.Err()
}

// ModelScale is how many times the load the objective of a model is.
const ModelScale = cutbound.MPSScale

// WriteMPS writes the model in free MPS format (see cutbound.Problem.WriteMPS).
func (m *Model) WriteMPS(w io.Writer) error { return m.problem.WriteMPS(w, modelTarget, m.rows) }

// Throughput is that of a mapping whose greatest load is so many of the model's.
func (m *Model) Throughput(load float64) float64 { return m.works.Throughput(load * m.unit) }

// Load is the greatest load of a mapping of that throughput, in those of the model.
func (m *Model) Load(throughput float64) float64 { return m.works.Load(throughput) / m.unit }
