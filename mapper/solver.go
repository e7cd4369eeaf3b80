package mapper

import (
	"context"
	"math"
	"time"

	"xopt/internal/units"
	"xopt/mapper/faults"
	"xopt/mapper/solvers"
)

// Solver selects an external MILP solver, its time limit, and its number of threads.
type Solver struct {
	Name      string        // one of solvers.Names
	TimeLimit time.Duration // time limit; 0 for none
	Threads   int
}

// SolverAnswer is the result of an external solver. Throughputs are in bytes/s; 0 if the solver did not report them.
type SolverAnswer struct {
	Bound   float64 // upper bound on throughput
	Best    float64 // throughput of the solver's best mapping
	Version string  // as printed by the solver
	Seconds float64 // measured duration
}

// Ask runs an external solver on the model. excluded is xopt's own upper bound on the throughput; 0 for none. Ask
// returns an error if the solver fails, or if its answer contradicts excluded or the mapping for which the model was
// built.
func (m *Model) Ask(ctx context.Context, s Solver, excluded float64) (*SolverAnswer, error) {
	begun := time.Now()
	a, err := solvers.Solve(ctx, s.Name, m.WriteMPS, s.TimeLimit, s.Threads)
	if err != nil {
		return nil, err
	}
	a.Bound, a.Best = a.Bound/ModelScale, a.Best/ModelScale
	if excluded > 0 {
		excluded = m.Load(excluded)
	}
	if err := contradiction(s.Name, a, excluded); err != nil {
		return nil, err
	}
	answer := &SolverAnswer{Version: a.Version, Seconds: time.Since(begun).Seconds()}
	if a.Bound > 0 {
		answer.Bound = m.Throughput(a.Bound * (1 - solverTolerance))
	}
	if !math.IsInf(a.Best, 1) && a.Best > 0 {
		answer.Best = m.Throughput(a.Best)
	}
	return answer, nil
}

// solverTolerance is the permitted relative rounding error of printed answers. Solvers permit the same error in
// constraints.
const solverTolerance = 1e-5

// contradiction returns an error if an answer is impossible. Loads are relative to the best known mapping, which has
// load 1. No mapping has a load below excluded.
func contradiction(name string, a *solvers.Answer, excluded float64) error {
	switch {
	case a.Infeasible:
		return faults.SolverDisagrees.Errorf("%s reports that no mapping is feasible, but the search found feasible "+
			"mappings: xopt ignores this answer", name)
	case a.Bound > 1+solverTolerance:
		return faults.SolverDisagrees.Errorf("the upper bound of %s is only %s of the throughput of the best "+
			"mapping found: xopt ignores this answer", name, units.Percent(1/a.Bound))
	case a.Best < excluded*(1-solverTolerance):
		return faults.SolverDisagrees.Errorf("%s reports a mapping with %s of the best throughput found, but xopt "+
			"proved an upper bound of %s: one of the two programs is wrong (please report this with the file of "+
			"--export-mps)", name, units.Percent(1/a.Best), units.Percent(1/excluded))
	}
	return nil
}
