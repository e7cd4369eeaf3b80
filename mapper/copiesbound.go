package mapper

import (
	"context"
	"math"

	"xopt/flow"
)

// CopiesBound returns an upper bound on the throughput, in bytes/s, of any mapping with any numbers of copies of the
// copyable kernels. It returns 0 if a cost is negative, because the bound is then invalid. best is the throughput of a
// known mapping.
//
// The bound is the optimum of the relaxation, which may split kernels. It omits limits that apply only to unsplit
// kernels, such as the number of units on a core. A kernel without copies still runs on one resource. The copies of a
// kernel together are at most as fast as all its resources. The bound ignores constraints that join or separate
// kernels, because these do not restrict copies.
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
	minimum := ascendMixed(ctx, all, load(best))
	if math.IsInf(minimum, 1) { // a rounding error, because a mapping exists
		minimum = 0
	}
	for u, kernels := range run.space.units {
		minimum = math.Max(minimum, run.space.fastest(u, copyable[kernels[0]], scorer, scale))
	}
	if !(minimum > 0) {
		return 0, nil
	}
	if len(all) > 1 {
		return best / minimum, nil
	}
	return scorer.LoadCoefficients(0).Throughput(minimum), nil
}

// fastest returns a lower bound on the load of a unit of one kernel, for any rates of the sources. The unit runs on
// its fastest resource or, if copyable, on all its allowed resources together.
func (s *space) fastest(u int, copyable bool, scorer *flow.Scorer, scale []float64) float64 {
	minimum := math.Inf(1)
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
		minimum = math.Min(minimum, alone*scale[f])
	}
	return minimum
}

// pieces removes the limits that apply only to unsplit kernels: the number of units per core, and the target load of a
// single unit.
func (r *relaxation) pieces() {
	for c := range r.have {
		if r.timed[c] {
			r.have[c] = flow.Area{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)}
		}
	}
	r.below = math.Inf(1)
}
