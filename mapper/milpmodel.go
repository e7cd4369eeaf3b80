package mapper

import (
	"context"
	"io"

	"xopt/flow"
	"xopt/internal/fault"
	"xopt/mapper/cutbound"
	"xopt/mapper/faults"
)

// Model is the mixed-integer program of a problem that the cut bound relaxes, for export to other solvers. It minimizes
// the largest load of a mapping. As in the cut bound, loads are rounded down and parts of the complete model are
// omitted, so the optimum is a bound on all mappings.
type Model struct {
	problem *cutbound.Problem
	works   flow.LoadCoefficients
	unit    float64
	rows    []cutbound.Row
}

// modelTarget is the largest load that the model permits. It is slightly above cutbound.One, the load of the best
// mapping, so that rounding in the solver does not exclude this mapping.
const modelTarget = cutbound.One + cutbound.One/1_000_000

// NewModel returns the model of a problem. Loads are relative to the maximum load of a mapping with the given
// throughput, in bytes/s. The model excludes slower mappings. NewModel returns an error for several free sources or a
// negative cost.
func NewModel(ctx context.Context, p *flow.Problem, c *flow.Constraints, throughput float64) (*Model, error) {
	r, scorer, err := newRunner(p, c, Options{Method: Anneal})
	if err != nil {
		return nil, err
	}
	if n := scorer.FreeSources(); n > 1 {
		return nil, goalErrorf(fault.SeveralFreeSources, "cannot make a model for other solvers: the application has "+
			"%d independent sources, but the model supports only one source (join their streams)", n)
	}
	works := scorer.LoadCoefficients(0)
	relax, ok := newRelaxation(r.space, works)
	m := &Model{works: works, unit: works.Load(throughput)}
	if ok {
		m.problem, _ = fullCutProblem(r.space, onlyMix(works), relax, m.unit)
	}
	if m.problem == nil {
		return nil, goalErrorf(faults.NegativeCosts, "cannot make a model for other solvers: a cost is negative, but "+
			"the model supports only costs of at least 0 (measure or state this cost again)")
	}
	m.rows = m.problem.Trees(ctx, modelTarget)
	return m, ctx.Err()
}

// ModelScale is the objective value of the model for a load of 1.
const ModelScale = cutbound.MPSScale

// WriteMPS writes the model in free MPS format (see cutbound.Problem.WriteMPS).
func (m *Model) WriteMPS(w io.Writer) error { return m.problem.WriteMPS(w, modelTarget, m.rows) }

// Throughput converts a maximum load of the model to a throughput in bytes/s.
func (m *Model) Throughput(load float64) float64 { return m.works.Throughput(load * m.unit) }

// Load converts a mapping's throughput to its maximum load in the model.
func (m *Model) Load(throughput float64) float64 { return m.works.Load(throughput) / m.unit }
