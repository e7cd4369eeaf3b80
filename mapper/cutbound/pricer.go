package cutbound

import (
	"context"
	"math"
	"slices"
)

// pricer finds the most valuable cluster of a kind, by branch and bound on the groups in the cluster. Lagrangian prices
// for the resource's limits reduce each bound to a minimum-cut problem. All numbers are integers.
type pricer struct {
	x     *part
	kind  int
	flow  *closure
	limit []pricedLimit
	worth []int64 // by group, without the cost of edges
	cost  []int64 // cost by edge of the part
	near  [][]arc

	// above is the worth that clusters must exceed.
	above int64
	found []valued
	nodes int
	max   int    // limit of nodes
	until uint64 // limit of flow.work
	gave  bool   // a limit was reached, or ctx is done
	ctx   context.Context

	levels []pricerLevel
	scaled []int64
	prices []int64
}

// pricedLimit is a limit of the resource, with the need of each group.
type pricedLimit struct {
	need []int64
	max  int64
}

// valued is a set of groups with its worth.
type valued struct {
	groups []int
	worth  int64
}

// pricerLevel is a node of the search: the included and excluded groups, and the gains of the undecided groups.
type pricerLevel struct {
	in, out []bool
	gain    []int64 // excluding the edges between undecided groups
	base    int64   // worth of the included groups
	room    []int64
}

// The fraction bits and the maximum of a limit's price, and the number of prices to try.
const (
	limitBits  = 14
	limitTries = 12
	maxLimit   = 1 << 24
)

// newPricer returns a pricer for a kind; nil if no group fits on its resources.
func newPricer(x *part, kind int, target int64) *pricer {
	n := len(x.units)
	r := &pricer{x: x, kind: kind, flow: newClosure(n, x.edges), worth: make([]int64, n),
		cost:  make([]int64, len(x.edges)),
		until: math.MaxUint64, scaled: make([]int64, len(x.edges)), prices: make([]int64, n)}
	r.near = r.flow.near
	k := &x.p.Kinds[kind]
	out := make([]bool, n)
	for g, units := range x.units {
		out[g] = !x.may[g][kind]
		for _, u := range units {
			out[g] = out[g] || !x.p.allowed(u, kind, target)
		}
	}
	for l := range k.Limits {
		limit := pricedLimit{need: make([]int64, n), max: k.Limits[l].maxAt(target)}
		for g, units := range x.units {
			for _, u := range units {
				limit.need[g] += k.Limits[l].Need[u]
			}
			out[g] = out[g] || limit.need[g] > limit.max
		}
		r.limit = append(r.limit, limit)
	}
	if !slices.Contains(out, false) {
		return nil
	}
	r.below(0).out = out
	return r
}

func (r *pricer) set(prices *Prices, c *costs) {
	p := r.x.p
	for g, units := range r.x.units {
		r.worth[g] = 0
		for _, u := range units {
			r.worth[g] += 2 * prices.Units[u]
		}
	}
	clear(r.cost)
	for e, edge := range p.Edges {
		if n := r.x.of[e]; n >= 0 {
			r.cost[n] += c.cut[e]
		}
		if prices.Cross != nil {
			f := 2 * prices.Cross[e][r.kind]
			r.worth[r.x.group[edge.A]] -= f
			r.worth[r.x.group[edge.B]] += f
		}
	}
	for _, e := range r.x.cut {
		r.worth[r.x.group[p.Edges[e].A]] -= c.cut[e]
		r.worth[r.x.group[p.Edges[e].B]] -= c.cut[e]
	}
}

// search returns clusters that are worth more than above. proven reports a proof that the last of these clusters is the
// best or, if found is empty, that none exists.
func (r *pricer) search(ctx context.Context, above int64, nodes int) (found []valued, proven bool) {
	r.ctx, r.above, r.found, r.nodes, r.max, r.gave = ctx, above, nil, 0, nodes, false
	top := &r.levels[0]
	top.base = 0
	copy(top.gain, r.worth)
	for g := range top.gain {
		for _, a := range r.near[g] {
			if top.out[a.to] {
				top.gain[g] -= r.cost[a.edge]
			}
		}
	}
	for l := range r.limit {
		top.room[l] = r.limit[l].max
	}
	r.node(0)
	return r.found, !r.gave
}

// node visits one node of the search: it computes a bound and, if the bound exceeds above, branches on a group.
func (r *pricer) node(depth int) {
	if r.nodes++; r.nodes > r.max || r.flow.work > r.until || r.ctx.Err() != nil {
		r.gave = true
	}
	if r.gave {
		return
	}
	at := &r.levels[depth]
	r.shrink(at)
	group := r.bound(at)
	if group < 0 {
		return
	}
	for _, in := range []bool{true, false} {
		next := r.below(depth + 1)
		at = &r.levels[depth] // below may have moved the list
		copy(next.in, at.in)
		copy(next.out, at.out)
		copy(next.gain, at.gain)
		copy(next.room, at.room)
		next.base = at.base
		if in {
			r.addGroup(next, group)
			for _, g := range r.x.clash[group] {
				if !next.in[g] && !next.out[g] {
					r.leave(next, g)
				}
			}
		} else {
			r.leave(next, group)
		}
		r.node(depth + 1)
	}
}

func (r *pricer) below(depth int) *pricerLevel {
	if depth == len(r.levels) {
		n := len(r.worth)
		r.levels = append(r.levels, pricerLevel{in: make([]bool, n), out: make([]bool, n), gain: make([]int64, n),
			room: make([]int64, len(r.limit))})
	}
	return &r.levels[depth]
}

// addGroup includes a group in the cluster.
func (r *pricer) addGroup(at *pricerLevel, g int) {
	at.in[g] = true
	at.base += at.gain[g]
	for _, a := range r.near[g] {
		if !at.in[a.to] && !at.out[a.to] {
			at.base -= r.cost[a.edge]
			at.gain[a.to] += r.cost[a.edge]
		}
	}
	for l := range r.limit {
		at.room[l] -= r.limit[l].need[g]
	}
}

// leave excludes a group from the cluster.
func (r *pricer) leave(at *pricerLevel, g int) {
	at.out[g] = true
	for _, a := range r.near[g] {
		if !at.in[a.to] && !at.out[a.to] {
			at.gain[a.to] -= r.cost[a.edge]
		}
	}
}

// shrink excludes the groups that no longer fit beside the included groups.
func (r *pricer) shrink(at *pricerLevel) {
	for g := range at.in {
		if at.in[g] || at.out[g] {
			continue
		}
		for l := range r.limit {
			if r.limit[l].need[g] > at.room[l] {
				r.leave(at, g)
				break
			}
		}
	}
}

// chosen is the value of a set of groups as a linear function of a limit's price: worth - price × need.
type chosen struct{ worth, need int64 }

// bound bounds the worth of all clusters below a node, with an optimized price of one limit. It returns a group to
// branch on; -1 if no such cluster is worth more than above, or if it found the best one.
func (r *pricer) bound(at *pricerLevel) int {
	hidden := slices.Clone(at.out)
	for g, in := range at.in {
		hidden[g] = hidden[g] || in
	}
	value := r.flow.solve(at.gain, r.cost, hidden)
	if at.base+value <= r.above {
		return -1
	}
	all := slices.Clone(r.flow.inside)
	limit := r.broken(at, all)
	if limit < 0 {
		if g := r.clashing(at, all); g >= 0 {
			return g
		}
		r.offer(at, all)
		return -1
	}
	few := make([]bool, len(all)) // the empty set
	high, low := r.lineOf(at, all, limit), chosen{}
	room := at.room[limit]
	for range limitTries {
		price := int64(math.Min(maxLimit, math.Ceil(float64(high.worth-low.worth)/float64(high.need-low.need)*
			(1<<limitBits))))
		price = max(0, price)
		for g := range r.prices {
			if r.prices[g] = 0; !hidden[g] {
				r.prices[g] = at.gain[g]<<limitBits - price*r.limit[limit].need[g]
			}
		}
		for e := range r.scaled {
			r.scaled[e] = r.cost[e] << limitBits
		}
		scaled := r.flow.solve(r.prices, r.scaled, hidden)
		sum := scaled + price*room
		if at.base+(sum+1<<limitBits-1)>>limitBits <= r.above {
			return -1
		}
		here := r.lineOf(at, r.flow.inside, limit)
		if here == high || here == low {
			break
		}
		if here.need > room {
			high = here
			copy(all, r.flow.inside)
			continue
		}
		low = here
		copy(few, r.flow.inside)
		if r.broken(at, few) < 0 && r.clashing(at, few) < 0 {
			r.offer(at, few)
		}
	}
	return r.choose(at, all, few)
}

// choose returns a group to branch on: of the groups that are in all but not in few, the group with the largest gain.
func (r *pricer) choose(at *pricerLevel, all, few []bool) int {
	best, maximum := -1, int64(math.MinInt64)
	for g := range all {
		if !all[g] || few[g] {
			continue
		}
		sum := at.gain[g]
		for _, a := range r.near[g] {
			if all[a.to] && !few[a.to] {
				sum += r.cost[a.edge]
			}
		}
		if sum > maximum {
			best, maximum = g, sum
		}
	}
	if best >= 0 {
		return best
	}
	for g := range all { // the price of the limit was truncated: any group is suitable
		if all[g] != few[g] {
			return g
		}
	}
	return -1
}

// lineOf returns the worth and the need of the groups in a set.
func (r *pricer) lineOf(at *pricerLevel, set []bool, limit int) chosen {
	var l chosen
	for g, in := range set {
		if !in {
			continue
		}
		l.worth += at.gain[g]
		l.need += r.limit[limit].need[g]
		for _, a := range r.near[g] {
			if !set[a.to] && !at.in[a.to] && !at.out[a.to] {
				l.worth -= r.cost[a.edge]
			}
		}
	}
	return l
}

// broken returns the limit that the groups in a set exceed most; -1 for none.
func (r *pricer) broken(at *pricerLevel, set []bool) int {
	best, maximum := -1, 0.0
	for l := range r.limit {
		sum := int64(0)
		for g, in := range set {
			if in {
				sum += r.limit[l].need[g]
			}
		}
		if excess := float64(sum-at.room[l]) / float64(r.limit[l].max); sum > at.room[l] && excess > maximum {
			best, maximum = l, excess
		}
	}
	return best
}

// clashing returns a group of a set that must be separate from another group of the set; -1 for none.
func (r *pricer) clashing(at *pricerLevel, set []bool) int {
	for g, in := range set {
		if !in {
			continue
		}
		for _, other := range r.x.clash[g] {
			if set[other] {
				return g
			}
		}
	}
	return -1
}

// offer records the cluster of the included groups and the groups in more, if it is worth more than above, and then
// raises above to its worth.
func (r *pricer) offer(at *pricerLevel, more []bool) {
	v := valued{worth: at.base}
	for g := range more {
		if at.in[g] || more[g] {
			v.groups = append(v.groups, g)
		}
		if !more[g] {
			continue
		}
		v.worth += at.gain[g]
		for _, a := range r.near[g] {
			if !more[a.to] && !at.in[a.to] && !at.out[a.to] {
				v.worth -= r.cost[a.edge]
			}
		}
	}
	if v.worth <= r.above || len(v.groups) == 0 {
		return
	}
	if len(r.found) == 0 {
		r.max = min(r.max, r.nodes+pricerMore)
	}
	r.found = append(r.found, v)
	r.above = v.worth
}

// pricerMore is the maximum number of nodes that search visits after it has found the first cluster.
const pricerMore = 60

// units returns the units of the given groups, sorted.
func (r *pricer) units(groups []int) []int {
	var list []int
	for _, g := range groups {
		list = append(list, r.x.units[g]...)
	}
	slices.Sort(list)
	return list
}
