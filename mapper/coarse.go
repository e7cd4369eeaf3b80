package mapper

import (
	"context"

	"xopt/mapper/cutbound"
)

// coarseEvals limits the evaluations of each coarse search. coarseParts is the largest divisor of the best mapping's
// maximum load. With fewer than coarseUnits units, annealing soon finds the same mappings.
const (
	coarseUnits = 40
	coarseEvals = 50_000
	coarseParts = 64
)

// coarse searches coarser spaces. Each space merges units that cannot be separated without link loads above a fraction
// of the best mapping's maximum load. coarse adds the best mapping of each space to the pool, and sets the chain's
// mapping to the best one. Moves of single units rarely reach these mappings, because each intermediate mapping loads
// links much more. An example is a chain of layers with many parallel tasks: only edges between layers are cheap. ok is
// false if ctx is done. A resumed search then repeats all coarse searches.
func (c *chain) coarse(ctx context.Context) (ok bool, err error) {
	branches := c.proof != nil && !c.mixed // branch and bound alone
	n := len(c.units)
	if branches || n < coarseUnits || n+len(c.problem.Application.Edges) > mergeColumns || c.number > 0 ||
		len(c.pool.best) == 0 || !c.goal.Plain() || c.scorer.FreeSources() > 1 {
		return true, nil
	}
	works := c.scorer.LoadCoefficients(0)
	relax, ok := newRelaxation(c.space, works)
	if !ok {
		return true, nil
	}
	problem, _ := fullCutProblem(c.space, onlyMix(works), relax, works.Load(c.pool.best[0].Throughput))
	if problem == nil || problem.MainSet() == nil {
		return true, nil
	}
	for part, count := int64(2), n; part <= coarseParts && !c.spent(); part *= 2 {
		s, ok := c.space.merged(problem.Inseparable(cutbound.One / part))
		if !ok || s != nil && len(s.units) == 1 {
			break
		}
		if s == nil || len(s.units) == count {
			continue
		}
		count = len(s.units)
		if ok, err := c.anneal(ctx, s); !ok || err != nil {
			return ok, err
		}
	}
	return true, c.set(c.pool.best[0].Mapping)
}

// anneal runs one annealing descent in another space, and adds its best mapping to the pool. ok is false if ctx is
// done.
func (c *chain) anneal(ctx context.Context, s *space) (ok bool, err error) {
	r := runner{space: s, flows: c.pool.flows, options: Options{Goal: *c.goal, Top: 1, Seed: c.rng.Uint64()}}
	limit := uint64(coarseEvals)
	if c.tally.limit > 0 {
		limit = min(limit, max(c.tally.limit, c.tally.work())-c.tally.work())
	}
	if limit == 0 { // a tally with the limit 0 has no limit
		return true, nil
	}
	x := r.newChain(c.scorer.Clone(), 0, tally{shared: new(counters), limit: limit, start: c.tally.start})
	if err = x.start(); err == nil {
		if ok, err = x.warm(ctx, false); ok && x.cool(ctx) {
			x.polish(ctx)
		}
	}
	c.tally.evals += x.tally.evals
	ok = ctx.Err() == nil
	if !ok || err != nil || len(x.pool.best) == 0 || c.spent() {
		return ok, err
	}
	if err := c.set(x.pool.best[0].Mapping); err != nil {
		return false, err
	}
	c.score()
	return true, nil
}
