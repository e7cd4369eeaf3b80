package mapper

import (
	"context"
	"math"
	"slices"

	"xopt/flow"
)

// With several free sources, throughput is the optimum of a linear program in what they send,
// and no minimum of loads. The relaxation bounds it all the same: with multipliers u and v, a
// mapping with a throughput of z has
//
//	g(z) = Σ_u min_c (u_c w_uc·z + v_c a_uc) - Σ_c m_c v_c A_c ≤ φ Σ_c u_c m_c
//
// and g is concave and rises with z. So where g is above that at every end of the simplex
// c·z = Γ, which are the points at which one free source sends alone, it is so on all of it,
// and no mapping reaches Γ: the bound is the least of those for single sources, taken at
// the same multipliers. Branch and bound goes on from there (treebound.go).

// newRelaxations makes one for each free source, with multipliers that they share. scale is what a load is counted
// as: with one source by itself, with several in parts of what the source alone may bring at a throughput of unit. ok
// is false where a cost is below 0, or one of several sources brings no throughput: the simplex has no end there.
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

// ascendMixed looks for good multipliers by subgradients of the least of the bounds of single sources, and returns that
// least: no mapping has less as its greatest load, whatever the sources send.
func ascendMixed(ctx context.Context, all []*relaxation, target float64) float64 {
	least := func() (at int, value float64) {
		for f, r := range all {
			if v := r.value(math.Inf(1)); f == 0 || v < value {
				at, value = f, v
			}
		}
		return at, value
	}
	first := all[0]
	for c := range first.time {
		first.time[c], first.price[c] = 0, flow.Area{}
		if first.timed[c] {
			first.time[c] = 1
		}
	}
	const rounds, stale = 1000, 20
	step, idle := 1.0, 0
	at, top := least()
	time, price := slices.Clone(first.time), slices.Clone(first.price)
	for range rounds {
		if ctx.Err() != nil || top >= target {
			break
		}
		_, now := least()
		if !all[at].step(now, target, step) {
			break
		}
		var v float64
		if at, v = least(); v > top {
			top, idle = v, 0
			copy(time, first.time)
			copy(price, first.price)
		} else if idle++; idle == stale {
			step, idle = step/2, 0
			copy(first.time, time)
			copy(first.price, price)
			at, _ = least()
		}
	}
	copy(first.time, time)
	copy(first.price, price)
	return top
}
