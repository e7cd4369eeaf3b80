package mapper

import (
	"context"

	"xopt/flow"
)

// With several free sources, the throughput is the optimum of a linear program in their rates, not a minimum over
// loads. The relaxation still yields a bound. At multipliers u and v, a mapping with throughput z satisfies
//
// g(z) = Σ_u min_c (u_c w_uc·z + v_c a_uc) - Σ_c m_c v_c A_c ≤ φ Σ_c u_c m_c
//
// where g is concave and increases with z. If g exceeds the right side at every corner of the simplex c·z = Γ, it
// exceeds the right side on the entire simplex. No mapping then reaches Γ. At each corner, only one source sends.
// Therefore the bound is the lowest of the bounds for single sources at the same multipliers. Branch and bound
// continues from there (treebound.go).

// newRelaxations returns a relaxation for each free source, with common multipliers. scale is the factor of each
// source's loads. For a single source, it is 1. For several sources, it is the inverse of the load that the source
// alone causes at a throughput of unit. ok is false if a cost is negative, or if the simplex is unbounded because one
// of several sources adds no throughput.
func newRelaxations(s *space, scorer *flow.Scorer, unit float64) (all []*relaxation, scale []float64, ok bool) {
	sources := scorer.FreeSources()
	for f := range sources {
		works := scorer.LoadCoefficients(f)
		r, ok := newRelaxation(s, works)
		if !ok {
			return nil, nil, false
		}
		if sources == 1 {
			return []*relaxation{r}, []float64{1}, true
		}
		if !(works.Weight() > 0) || !(unit > 0) {
			return nil, nil, false
		}
		scale = append(scale, 1/works.Load(unit))
		for u := range r.work {
			for c := range r.work[u] {
				r.work[u][c] *= scale[f]
			}
		}
		r.pieces()
		if f > 0 {
			r.time, r.price = all[0].time, all[0].price
		}
		all = append(all, r)
	}
	return all, scale, true
}

// ascendMixed optimizes the multipliers by subgradients of the lowest single-source bound. It returns this lower bound
// on the maximum load, which applies to any rates of the sources.
func ascendMixed(ctx context.Context, all []*relaxation, target float64) float64 {
	const rounds, stale = 1000, 20
	return climb(ctx, all, target, rounds, stale)
}
