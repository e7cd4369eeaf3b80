package mapper

import (
	"context"
	"math"
	"slices"

	"xopt/flow"
)

// relaxation is a lower bound on the largest load of any mapping. It may split kernels. It merges interchangeable
// resources into one with their total time or area, and ignores links. Any multipliers of its Lagrangian dual yield a
// valid bound, even if they are not optimal:
//
//	L ≥ (Σ_u min_c price(u, c) - Σ_c,j v_cj m_c A_cj) / Σ_c u_c m_c
//
// with price(u, c) = u_c w_uc + v_c for a class of m_c resources that share time, and Σ_j v_cj a_uj for a class of
// FPGAs with area A. For cores, v_c is the price of a place. The number of places of a core is the maximum number of
// units that it can run below the target load, if these are the smallest units. A unit is excluded from resources on
// which it alone reaches the target load.
type relaxation struct {
	units int
	of    []int         // class of each resource
	many  []float64     // number of resources of each class
	timed []bool        // by class: whether its resources share time
	have  []flow.Area   // area; for time-shared classes, the first component is the number of places
	work  [][]float64   // unit × class: load of the unit alone; +Inf if not permitted
	area  [][]flow.Area // unit × class: the part of have that the unit needs
	// The multipliers of time (u) and of area (v).
	time  []float64
	price []flow.Area
	below float64 // target load; a unit is excluded from resources on which it alone reaches this load
}

// newRelaxation computes the loads of all units. ok is false if a cost is negative because of measurement errors. Sums
// over some units are then not lower bounds.
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
			sum, maximum := 0.0, 0.0
			for _, k := range kernels {
				alone, shared := works.Kernel(k, q)
				if alone < 0 || shared < 0 {
					return nil, false
				}
				sum, maximum = sum+alone, math.Max(maximum, alone)
			}
			if r.timed[c] {
				work[c], area[c] = sum, flow.Area{1}
			} else {
				work[c], area[c] = maximum, flow.Area{}
				s.addArea(&area[c], u, q)
			}
		}
		r.work, r.area = append(r.work, work), append(r.area, area)
	}
	return r, true
}

// count computes the number of places of each time-shared class, for a target load.
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

// cheapest returns the lowest price of a unit among the classes on which its load is below the target.
func (r *relaxation) cheapest(u int, target float64) (minimum float64, class int) {
	minimum, class = math.Inf(1), -1
	for c, w := range r.work[u] {
		if w >= target {
			continue
		}
		price := weigh(&r.price[c], &r.area[u][c])
		if r.timed[c] {
			price += r.time[c] * w
		}
		if price < minimum {
			minimum, class = price, c
		}
	}
	return minimum, class
}

// weigh returns Σ_j v_j a_j. It skips zero prices, because an area may be infinite.
func weigh(v, a *flow.Area) float64 {
	sum := 0.0
	for j := range v {
		if v[j] > 0 {
			sum += v[j] * a[j]
		}
	}
	return sum
}

// totals returns Σ_c u_c m_c and the total price of all area.
func (r *relaxation) totals() (time, spare float64) {
	for c, m := range r.many {
		time += r.time[c] * m
		spare += m * weigh(&r.price[c], &r.have[c])
	}
	return time, spare
}

// value returns the bound at the current multipliers; +Inf if no mapping stays below the target load.
func (r *relaxation) value(target float64) float64 {
	time, spare := r.totals()
	sum := -spare
	for u := range r.units {
		minimum, _ := r.cheapest(u, target)
		sum += minimum
	}
	if math.IsInf(sum, 1) || time == 0 && sum > 0 {
		return math.Inf(1)
	}
	if time == 0 {
		return 0
	}
	return sum / time
}

// ascend optimizes the multipliers by subgradients. It returns the best bound on mappings below the target load; +Inf
// if there are none.
func (r *relaxation) ascend(ctx context.Context, target float64) float64 {
	const rounds, stale = 400, 12
	r.below = target
	r.count(target)
	single := 0.0 // each unit must be placed on one resource
	for u := range r.units {
		single = math.Max(single, slices.Min(r.work[u]))
	}
	return math.Max(climb(ctx, []*relaxation{r}, target, rounds, stale), single)
}

// climb maximizes the lowest bound of several relaxations over their common multipliers, and returns this bound. It
// follows the subgradient with Polyak steps until the bound reaches the target, for at most the given number of rounds.
// After stale rounds without improvement, it returns to the best multipliers and halves the steps.
func climb(ctx context.Context, all []*relaxation, target float64, rounds, stale int) float64 {
	lowest := func() (at *relaxation, value float64) {
		for _, r := range all {
			if v := r.value(r.below); at == nil || v < value {
				at, value = r, v
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
	_, best := lowest()
	time, price := slices.Clone(first.time), slices.Clone(first.price)
	step, idle := 1.0, 0
	for range rounds {
		if best >= target || ctx.Err() != nil {
			break
		}
		at, now := lowest()
		if !at.step(now, target, step) {
			break
		}
		if _, v := lowest(); v > best {
			best, idle = v, 0
			copy(time, first.time)
			copy(price, first.price)
		} else if idle++; idle == stale {
			step, idle = step/2, 0
			copy(first.time, time)
			copy(first.price, price)
		}
	}
	copy(first.time, time)
	copy(first.price, price)
	return best
}

// step moves the multipliers along the subgradient towards the target. now is the current bound. step returns false if
// the subgradient is zero.
func (r *relaxation) step(now, target, size float64) bool {
	// The subgradient: demand minus capacity.
	time, _ := r.totals()
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
				norm += a / have * (a / have) // area as a fraction of the capacity
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
