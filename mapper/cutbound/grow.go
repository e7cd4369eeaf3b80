package cutbound

import "math"

// grow is a heuristic for valuable clusters. It starts with one group, and repeatedly adds the group with the largest
// gain that fits. It returns the best cluster of the sequence. If byNeed is set, it divides gains by needs.
func (r *pricer) grow(start int, byNeed bool) (v valued, ok bool) {
	top := &r.levels[0]
	if top.out[start] {
		return v, false
	}
	in := top.in // contains no groups at this level
	clear(in)
	delta := r.prices
	for g := range delta {
		delta[g] = math.MinInt64
	}
	room := make([]int64, len(r.limit))
	for l := range r.limit {
		room[l] = r.limit[l].max
	}
	worth, best := int64(0), int64(math.MinInt64)
	length := 0
	at := start
	delta[at] = r.alone(at)
	for at >= 0 {
		in[at] = true
		v.groups = append(v.groups, at)
		worth += delta[at]
		for l := range r.limit {
			room[l] -= r.limit[l].need[at]
		}
		if worth > best {
			best, length = worth, len(v.groups)
		}
		for _, a := range r.near[at] {
			if delta[a.to] == math.MinInt64 {
				delta[a.to] = r.alone(a.to)
			}
			delta[a.to] += 2 * r.cost[a.edge]
		}
		at = r.next(in, delta, room, byNeed)
	}
	for _, g := range v.groups {
		in[g] = false
	}
	v.groups, v.worth = v.groups[:length], best
	return v, true
}

// alone returns the worth of the cluster that contains only group g.
func (r *pricer) alone(g int) int64 {
	w := r.worth[g]
	for _, a := range r.near[g] {
		w -= r.cost[a.edge]
	}
	return w
}

// next returns the best group to add to the cluster; -1 for none.
func (r *pricer) next(in []bool, delta, room []int64, byNeed bool) int {
	best, maximum := -1, math.Inf(-1)
	for g, d := range delta {
		if d == math.MinInt64 || in[g] || r.levels[0].out[g] {
			continue
		}
		fits, need := true, 0.0
		for l := range r.limit {
			n := r.limit[l].need[g]
			fits = fits && n <= room[l]
			need = math.Max(need, float64(n)/float64(max(1, r.limit[l].max)))
		}
		if !fits {
			continue
		}
		score := float64(d)
		if byNeed && d > 0 {
			score /= need + 1e-3
		}
		if score > maximum && !r.with(in, g) {
			best, maximum = g, score
		}
	}
	return best
}

// with reports whether constraints separate a group from any group of the cluster.
func (r *pricer) with(in []bool, g int) bool {
	for _, other := range r.x.clash[g] {
		if in[other] {
			return true
		}
	}
	return false
}
