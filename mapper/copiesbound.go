package mapper

import (
	"context"
	"math"

	"xopt/flow"
)

// CopiesBound is a throughput, in bytes/s, that no mapping exceeds even where some kernels run in any copies; 0 where
// none is known: a cost is below 0. best is the throughput of a mapping, below which the bound is of no interest.
//
// It is the relaxation (relaxation), in which kernels are in pieces anyway: without what it knows of whole kernels,
// such as how many of them a core holds. Beside that, a kernel that is not copied is on one resource, and the copies of
// one kernel together are as fast as all resources. Kernels that must be together, or apart, count as free, for their
// copies may be anywhere.
func CopiesBound(ctx context.Context, p *flow.Problem, c *flow.Constraints, copyable []bool,
	best float64) (float64, error) {
	free := &flow.Constraints{}
	if c != nil {
		free.Fixed, free.Forbidden = c.Fixed, c.Forbidden
	}
	run, scorer, err := newRunner(p, free, Options{Method: Anneal})
	if err != nil {
		return 0, err
	}
	if !(best > 0) || math.IsInf(best, 1) {
		return 0, nil
	}
	all, scale, ok := newRelaxations(run.space, scorer, best)
	if !ok {
		return 0, nil
	}
	load := func(throughput float64) float64 {
		if len(all) > 1 {
			return best / throughput
		}
		return scorer.LoadCoefficients(0).Load(throughput)
	}
	for _, r := range all {
		r.pieces()
	}
	least := ascendMixed(ctx, all, load(best))
	for u, kernels := range run.space.units {
		least = math.Max(least, run.space.fastest(u, copyable[kernels[0]], scorer, scale))
	}
	if !(least > 0) {
		return 0, nil
	}
	if len(all) > 1 {
		return best / least, nil
	}
	return scorer.LoadCoefficients(0).Throughput(least), nil
}

// fastest is the load of a unit of one kernel at the least, whatever the sources send: where it is fastest, or, where
// it may be copied, on all resources that it may be on together.
func (s *space) fastest(u int, copyable bool, scorer *flow.Scorer, scale []float64) float64 {
	least := math.Inf(1)
	for f := range scale {
		works := scorer.LoadCoefficients(f)
		alone, rate := math.Inf(1), 0.0
		for _, r := range s.allowed[u] {
			w, _ := works.Kernel(s.units[u][0], r)
			alone = math.Min(alone, w)
			rate += 1 / w
		}
		if copyable {
			alone = 1 / rate
		}
		least = math.Min(least, alone*scale[f])
	}
	return least
}

// pieces has places not count, and no load exclude a unit from a resource: what one source brings alone, or a whole
// kernel, limits nothing then.
func (r *relaxation) pieces() {
	for c := range r.have {
		if r.timed[c] {
			r.have[c] = flow.Area{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)}
		}
	}
	r.below = math.Inf(1)
}
