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
// the same multipliers.

// multiSourceBound finds multipliers by subgradients of the least of them, and from them a throughput
// that no mapping exceeds.
func multiSourceBound(ctx context.Context, s *space, scorer *flow.Scorer, b *incumbentPool) (bound float64, optimal,
	ok bool) {
	if len(b.best) == 0 {
		return 0, false, false
	}
	best := b.best[0].Throughput
	var all []*relaxation
	for f := range scorer.FreeSources() {
		works := scorer.LoadCoefficients(f)
		if !(works.Weight() > 0) {
			return 0, false, false // the simplex has no end there
		}
		r, ok := newRelaxation(s, works)
		if !ok {
			return 0, false, false
		}
		// In units of the load of the best mapping, so that all of them mean the same.
		unit := works.Load(best)
		for u := range r.work {
			for c := range r.work[u] {
				r.work[u][c] /= unit
			}
		}
		for c := range r.have {
			if r.timed[c] {
				r.have[c] = flow.Area{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)} // places are not counted
			}
		}
		r.below = math.Inf(1)
		if f > 0 {
			r.time, r.price = all[0].time, all[0].price
		}
		all = append(all, r)
	}
	least := func() (at int, value float64) {
		for f, r := range all {
			if v := r.value(math.Inf(1)); f == 0 || v < value {
				at, value = f, v
			}
		}
		return at, value
	}
	for c := range all[0].time {
		all[0].time[c] = 0
		if all[0].timed[c] {
			all[0].time[c] = 1
		}
	}
	const rounds, stale = 1000, 20
	step, idle := 1.0, 0
	at, top := least()
	time, price := slices.Clone(all[0].time), slices.Clone(all[0].price)
	for range rounds {
		if ctx.Err() != nil {
			break
		}
		_, now := least()
		if !all[at].step(now, 1, step) {
			break
		}
		var v float64
		if at, v = least(); v > top {
			top, idle = v, 0
			copy(time, all[0].time)
			copy(price, all[0].price)
		} else if idle++; idle == stale {
			step, idle = step/2, 0
			copy(all[0].time, time)
			copy(all[0].price, price)
			at, _ = least()
		}
		if top >= 1 {
			break
		}
	}
	if !(top > 0) {
		return 0, false, false
	}
	return math.Max(best, best/top), top >= 1-sameLoad, true
}
