package cutbound

import (
	"context"
	"math"
	"slices"
)

// pricer looks for the cluster of one kind that is worth most, by branch and bound on which groups are in it. The
// limits of a resource are priced (Lagrange), which leaves a minimum cut; all numbers are whole.
type pricer struct {
	x     *part
	kind  int
	flow  *closure
	limit []pricedLimit
	worth []int64 // of each group, beside its edges
	cost  []int64 // of each of the part's edges
	near  [][]arc

	// above is what clusters are sought that are worth more than.
	above int64
	found []valued
	nodes int
	most  int    // nodes
	until uint64 // work
	gave  bool   // up
	ctx   context.Context

	levels []pricerLevel
	scaled []int64
	prices []int64
}

// pricedLimit is what groups need of a limit.
type pricedLimit struct {
	need []int64
	most int64
}

// valued is a set of groups and what it is worth.
type valued struct {
	groups []int
	worth  int64
}

// pricerLevel is a node of the search: which groups are in and out, and what the others add.
type pricerLevel struct {
	in, out []bool
	gain    []int64 // beside the edges between groups that are neither in nor out
	base    int64   // what those that are in are worth
	room    []int64
}

// How fine the price of a limit is, and how many prices are tried for one.
const (
	limitBits  = 14
	limitTries = 12
	limitMost  = 1 << 24
)

// newPricer prepares for one kind; nil where no resource of it can hold anything.
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
		limit := pricedLimit{need: make([]int64, n), most: k.Limits[l].most(target)}
		for g, units := range x.units {
			for _, u := range units {
				limit.need[g] += k.Limits[l].Need[u]
			}
			out[g] = out[g] || limit.need[g] > limit.most
		}
		r.limit = append(r.limit, limit)
	}
	if !slices.Contains(out, false) {
		return nil
	}
	r.levels = append(r.levels, pricerLevel{in: make([]bool, n), out: out, gain: make([]int64, n),
		room: make([]int64, len(r.limit))})
	return r
}

// set takes in prices.
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

// search looks for clusters that are worth more than a number. proven is whether the best of those that it found
// is the best of all, or that there are none.
func (r *pricer) search(ctx context.Context, above int64, nodes int) (found []valued, proven bool) {
	r.ctx, r.above, r.found, r.nodes, r.most, r.gave = ctx, above, nil, 0, nodes, false
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
		top.room[l] = r.limit[l].most
	}
	r.node(0)
	return r.found, !r.gave
}

// node bounds what can still be in, and decides on a group where that is not enough.
func (r *pricer) node(depth int) {
	if r.nodes++; r.nodes > r.most || r.flow.work > r.until || r.ctx.Err() != nil {
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
		at = &r.levels[depth] // the list may have moved
		copy(next.in, at.in)
		copy(next.out, at.out)
		copy(next.gain, at.gain)
		copy(next.room, at.room)
		next.base = at.base
		if in {
			r.take(next, group)
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

// below is the level of a depth.
func (r *pricer) below(depth int) *pricerLevel {
	if depth == len(r.levels) {
		n := len(r.worth)
		r.levels = append(r.levels, pricerLevel{in: make([]bool, n), out: make([]bool, n), gain: make([]int64, n),
			room: make([]int64, len(r.limit))})
	}
	return &r.levels[depth]
}

// take has a group be in.
func (r *pricer) take(at *pricerLevel, g int) {
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

// leave has a group be out.
func (r *pricer) leave(at *pricerLevel, g int) {
	at.out[g] = true
	for _, a := range r.near[g] {
		if !at.in[a.to] && !at.out[a.to] {
			at.gain[a.to] -= r.cost[a.edge]
		}
	}
}

// shrink leaves out what finds no room any more.
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

// chosen is what a set of groups is worth at a price of a limit: worth - price × need.
type chosen struct{ worth, need int64 }

// bound prices a limit; -1 where nothing below is worth more than what is sought, or the best was found,
// else a group to decide on.
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
	few := make([]bool, len(all)) // nothing
	high, low := r.lineOf(at, all, limit), chosen{}
	room := at.room[limit]
	for range limitTries {
		price := int64(math.Min(limitMost, math.Ceil(float64(high.worth-low.worth)/float64(high.need-low.need)*
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

// choose is a group that is in one set and not in the other: that with the most edges among them.
func (r *pricer) choose(at *pricerLevel, all, few []bool) int {
	best, most := -1, int64(math.MinInt64)
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
		if sum > most {
			best, most = g, sum
		}
	}
	if best >= 0 {
		return best
	}
	for g := range all { // the price of the limit was cut short: any will do
		if all[g] != few[g] {
			return g
		}
	}
	return -1
}

// lineOf works out what groups that are added are worth, and need.
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

// broken is the limit that groups that are added exceed most; -1 for none.
func (r *pricer) broken(at *pricerLevel, set []bool) int {
	best, most := -1, 0.0
	for l := range r.limit {
		sum := int64(0)
		for g, in := range set {
			if in {
				sum += r.limit[l].need[g]
			}
		}
		if over := float64(sum-at.room[l]) / float64(r.limit[l].most); sum > at.room[l] && over > most {
			best, most = l, over
		}
	}
	return best
}

// clashing is a group of a set that must be apart from another; -1 for none.
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

// offer takes in a cluster: those that are in, and some more.
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
		r.most = min(r.most, r.nodes+pricerMore)
	}
	r.found = append(r.found, v)
	r.above = v.worth
}

// pricerMore is how many nodes are looked at after the first cluster was found.
const pricerMore = 60

// units are those of groups.
func (r *pricer) units(groups []int) []int {
	var list []int
	for _, g := range groups {
		list = append(list, r.x.units[g]...)
	}
	slices.Sort(list)
	return list
}
