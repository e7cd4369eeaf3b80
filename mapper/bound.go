package mapper

import (
	"context"
	"math"
	"slices"

	"xopt/flow"
)

// relaxation bounds the greatest load of every mapping from below: kernels may be cut in
// pieces, interchangeable resources are one with the time, or the area, of all of them, and
// links cost nothing. It is solved by its Lagrangian dual, whose value is a bound whatever the
// multipliers are, so that nothing rests on how well they were found:
//
//	L ≥ (Σ_u min_c price(u, c) - Σ_c,j v_cj m_c A_cj) / Σ_c u_c m_c
//
// with price(u, c) = u_c w_uc + v_c for a class of m_c resources that share time, and
// Σ_j v_cj a_uj for one of FPGAs with area A. What v_c prices are places: with a load below
// what is to be beaten, a core holds as many units as the least of them fit, and no more. A
// place where unit u alone has as much load as is to be beaten does not count.
type relaxation struct {
	units int
	of    []int         // class of each resource
	many  []float64     // resources of each class
	timed []bool        // whether they share time
	have  []flow.Area   // area; of those that share time, places, in the first kind
	work  [][]float64   // unit × class: what it brings alone; +Inf where it may not go
	area  [][]flow.Area // unit × class: what it takes of that
	// Multipliers, of time and of area.
	time  []float64
	price []flow.Area
	below float64 // a place where a unit has that load alone does not count
}

// newRelaxation works out what units bring where. ok is false where a cost is below 0, which
// measurement errors may leave: no partial sum is a bound then.
func newRelaxation(s *space, works flow.LoadCoefficients) (r *relaxation, ok bool) {
	p := s.problem
	r = &relaxation{units: len(s.units), of: make([]int, len(s.class))}
	for q, representative := range s.class {
		if representative == q {
			res := &p.Architecture.Resources[q]
			r.of[q] = len(r.many)
			r.many, r.timed, r.have = append(r.many, 0), append(r.timed, res.Sharing.Rule != flow.AreaOnly),
				append(r.have, res.Area)
		} else {
			r.of[q] = r.of[representative]
		}
		r.many[r.of[q]]++
	}
	r.time, r.price = make([]float64, len(r.many)), make([]flow.Area, len(r.many))
	for u, kernels := range s.units {
		work, area := make([]float64, len(r.many)), make([]flow.Area, len(r.many))
		for c := range work {
			work[c] = math.Inf(1)
		}
		for _, q := range s.allowed[u] {
			c := r.of[q]
			if s.class[q] != q && !math.IsInf(work[c], 1) {
				continue
			}
			sum, most := 0.0, 0.0
			var need flow.Area
			for _, k := range kernels {
				alone, shared := works.Kernel(k, q)
				if alone < 0 || shared < 0 {
					return nil, false
				}
				sum, most = sum+alone, math.Max(most, alone)
				for kind, a := range &p.Figures[k][q].Area {
					need[kind] += a
				}
			}
			if r.timed[c] {
				work[c], area[c] = sum, flow.Area{1}
			} else {
				work[c], area[c] = most, need
			}
		}
		r.work, r.area = append(r.work, work), append(r.area, area)
	}
	return r, true
}

// count works out how many units a resource that shares time holds when its load is below a
// target.
func (r *relaxation) count(target float64) {
	for c := range r.many {
		if !r.timed[c] {
			continue
		}
		var works []float64
		for u := range r.units {
			if w := r.work[u][c]; w < target {
				works = append(works, w)
			}
		}
		slices.Sort(works)
		n, sum := 0, 0.0
		for n < len(works) && sum+works[n] < target {
			sum += works[n]
			n++
		}
		r.have[c] = flow.Area{float64(n)}
	}
}

// cheapest is the least price of a unit where its load is below a target.
func (r *relaxation) cheapest(u int, target float64) (least float64, class int) {
	least, class = math.Inf(1), -1
	for c, w := range r.work[u] {
		if w >= target {
			continue
		}
		price := weigh(&r.price[c], &r.area[u][c])
		if r.timed[c] {
			price += r.time[c] * w
		}
		if price < least {
			least, class = price, c
		}
	}
	return least, class
}

// weigh is Σ_j v_j a_j; what is free weighs nothing however much of it there is.
func weigh(v, a *flow.Area) float64 {
	sum := 0.0
	for j := range v {
		if v[j] > 0 {
			sum += v[j] * a[j]
		}
	}
	return sum
}

// whole is Σ_c u_c m_c, and spare what all area is worth.
func (r *relaxation) whole() (time, spare float64) {
	for c, m := range r.many {
		time += r.time[c] * m
		spare += m * weigh(&r.price[c], &r.have[c])
	}
	return time, spare
}

// value is the bound at the present multipliers; +Inf where no mapping has its greatest load
// below the target.
func (r *relaxation) value(target float64) float64 {
	time, spare := r.whole()
	sum := -spare
	for u := range r.units {
		least, _ := r.cheapest(u, target)
		sum += least
	}
	if math.IsInf(sum, 1) || time == 0 && sum > 0 {
		return math.Inf(1)
	}
	if time == 0 {
		return 0
	}
	return sum / time
}

// ascend looks for good multipliers by subgradients with Polyak's steps, and returns the best
// bound on mappings that are below the target; +Inf where there are none.
func (r *relaxation) ascend(ctx context.Context, target float64) float64 {
	const rounds, stale = 400, 12
	r.below = target
	r.count(target)
	for c := range r.time {
		r.time[c] = 0
		if r.timed[c] {
			r.time[c] = 1
		}
		r.price[c] = flow.Area{}
	}
	single := 0.0 // a unit has to be somewhere
	for u := range r.units {
		least := math.Inf(1)
		for _, w := range r.work[u] {
			least = math.Min(least, w)
		}
		single = math.Max(single, least)
	}
	best := r.value(target)
	bestTime, bestPrice := append([]float64(nil), r.time...), append([]flow.Area(nil), r.price...)
	step, idle := 1.0, 0
	for range rounds {
		if math.IsInf(best, 1) || best >= target || ctx.Err() != nil {
			break
		}
		if !r.step(r.value(target), target, step) {
			break
		}
		if v := r.value(target); v > best {
			best, idle = v, 0
			copy(bestTime, r.time)
			copy(bestPrice, r.price)
		} else if idle++; idle == stale {
			step, idle = step/2, 0
			copy(r.time, bestTime)
			copy(r.price, bestPrice)
		}
	}
	copy(r.time, bestTime)
	copy(r.price, bestPrice)
	return math.Max(best, single)
}

// step goes along the subgradient at the present multipliers, where the bound is now, towards
// a target; false where there is nowhere to go.
func (r *relaxation) step(now, target, size float64) bool {
	// What a multiplier's kernels take beyond what there is.
	time, _ := r.whole()
	if time == 0 {
		return false
	}
	slope := make([]float64, len(r.many))
	area := make([]flow.Area, len(r.many))
	for c, m := range r.many {
		slope[c] = -now * m
		for j, have := range r.have[c] {
			if !math.IsInf(have, 1) {
				area[c][j] = -have * m
			}
		}
	}
	for u := range r.units {
		_, c := r.cheapest(u, r.below)
		if r.timed[c] {
			slope[c] += r.work[u][c]
		}
		for j, a := range r.area[u][c] {
			area[c][j] += a
		}
	}
	norm := 0.0
	for c, m := range r.many {
		if r.timed[c] {
			norm += slope[c] * slope[c]
		}
		for j, a := range area[c] {
			if have := r.have[c][j] * m; have > 0 && !math.IsInf(have, 1) {
				norm += a / have * (a / have) // area in parts of what there is
			}
		}
	}
	if norm == 0 {
		return false
	}
	length := size * (target - now) * time / norm
	for c, m := range r.many {
		if r.timed[c] {
			r.time[c] = math.Max(0, r.time[c]+length*slope[c])
		}
		for j, a := range area[c] {
			if have := r.have[c][j] * m; have > 0 && !math.IsInf(have, 1) {
				r.price[c][j] = math.Max(0, r.price[c][j]+length*a/(have*have))
			}
		}
	}
	return true
}
