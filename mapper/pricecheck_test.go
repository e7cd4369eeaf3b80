package mapper

import (
	"fmt"
	"math/big"
	"slices"

	"xopt/mapper/cutbound"
)

// priceCheck checks the prices of a leaf by enumerating all clusters that a resource can hold, depth first. It shares
// no code with the solver. All numbers are integers; prices are in units of 1/(1<<22), like the weighted loads of
// edges.
type priceCheck struct {
	p        *cutbound.Problem
	target   int64
	groups   [][]int // units that are together
	separate [][]bool
	weight   []int64   // worth of each group without its edges
	cost     [][]int64 // between groups
	need     [][]int64 // of each limit
	room     []int64
	usable   []bool
	state    []int8 // 1 in, -1 out
	max      int64
	steps    int
}

// checkPrices returns an error text for the prices of a leaf; "" if they are valid.
func checkPrices(p *cutbound.Problem, leaf cutbound.Leaf, target int64) string {
	x := &priceCheck{p: p, target: target}
	ends := func(f cutbound.Fix) (int, int) {
		if f.Edge >= 0 {
			return p.Edges[f.Edge].A, p.Edges[f.Edge].B
		}
		return f.Unit, f.Other
	}
	of := make([]int, p.Units)
	for u := range of {
		of[u] = u
	}
	for _, f := range leaf.Fixes {
		if f.Edge != -1 && !f.On {
			a, b := ends(f)
			from, to := of[a], of[b]
			for u := range of {
				if of[u] == from {
					of[u] = to
				}
			}
		}
	}
	number := map[int]int{}
	for u := range of {
		n, ok := number[of[u]]
		if !ok {
			n = len(x.groups)
			number[of[u]] = n
			x.groups = append(x.groups, nil)
		}
		x.groups[n] = append(x.groups[n], u)
	}
	for u := range of {
		of[u] = number[of[u]]
	}
	x.separate = make([][]bool, len(x.groups))
	for g := range x.separate {
		x.separate[g] = make([]bool, len(x.groups))
	}
	pairs := slices.Clone(p.Separate)
	for _, f := range leaf.Fixes {
		if f.Edge != -1 && f.On {
			a, b := ends(f)
			pairs = append(pairs, [2]int{a, b})
		}
	}
	for _, pair := range pairs {
		a, b := of[pair[0]], of[pair[1]]
		if a == b {
			return "" // no mapping does both
		}
		x.separate[a][b], x.separate[b][a] = true, true
	}
	if x.nowhere(leaf.Fixes) {
		return ""
	}
	return x.sum(leaf, of)
}

// kind sets up the check of a kind of resources.
func (x *priceCheck) kind(k int, fixes []cutbound.Fix) {
	kind := x.p.Kinds[k]
	x.usable, x.need, x.room = make([]bool, len(x.groups)), nil, nil
	for _, l := range kind.Limits {
		need := make([]int64, len(x.groups))
		for g, units := range x.groups {
			for _, u := range units {
				need[g] += l.Need[u]
			}
		}
		x.need = append(x.need, need)
		if l.Max == 0 {
			x.room = append(x.room, x.target)
		} else {
			x.room = append(x.room, l.Max)
		}
	}
	for g, units := range x.groups {
		x.usable[g] = true
		for _, u := range units {
			x.usable[g] = x.usable[g] && kind.Load[u] >= 0 && kind.Load[u] <= x.target
			for _, f := range fixes {
				if f.Edge == -1 && f.Unit == u && (f.Kind == k) != f.On {
					x.usable[g] = false
				}
			}
		}
		for l := range x.need {
			x.usable[g] = x.usable[g] && x.need[l][g] <= x.room[l]
		}
	}
}

// nowhere reports whether a group is not allowed on any kind of resource.
func (x *priceCheck) nowhere(fixes []cutbound.Fix) bool {
	some := make([]bool, len(x.groups))
	for k := range x.p.Kinds {
		x.kind(k, fixes)
		for g, ok := range x.usable {
			some[g] = some[g] || ok
		}
	}
	return slices.Contains(some, false)
}

// sum checks every kind, and the sum of the prices.
func (x *priceCheck) sum(leaf cutbound.Leaf, of []int) string {
	p, w := x.p, leaf.Prices
	if len(w.Sets) != len(p.Sets) || len(w.Units) != p.Units || len(w.Max) != len(p.Kinds) {
		return "there are not as many prices as there should be"
	}
	const scale = 1 << 22
	cut, across, links := make([]int64, len(p.Edges)), make([]int64, len(p.Edges)), int64(0)
	for s, y := range w.Sets {
		if y < 0 || y > 1<<25 {
			return "a weight is out of range"
		}
		links += y * p.Sets[s].Links
		for e := range p.Edges {
			cut[e] += y * p.Sets[s].Any[e]
			across[e] += y * (p.Sets[s].Across[e] - p.Sets[s].Any[e])
			if cut[e] > 1<<61 || across[e] > 1<<61 {
				return "an edge costs too much to be checked"
			}
		}
	}
	// The sum: Σ 2π - Σ m M > 2 T Σ y links.
	sum := new(big.Int)
	for _, v := range w.Units {
		sum.Add(sum, big.NewInt(2*v))
	}
	for k, m := range w.Max {
		if m < 0 {
			return "an empty resource is worth less than nothing"
		}
		sum.Sub(sum, new(big.Int).Mul(big.NewInt(m), big.NewInt(p.Kinds[k].Many)))
	}
	sum.Mul(sum, big.NewInt(scale))
	right := new(big.Int).Mul(big.NewInt(2*x.target), big.NewInt(links))
	if sum.Cmp(right) <= 0 {
		return fmt.Sprintf("the prices come to %v, and have to exceed %v", sum, right)
	}
	for k := range p.Kinds {
		x.kind(k, leaf.Fixes)
		x.weight, x.cost = make([]int64, len(x.groups)), make([][]int64, len(x.groups))
		for g := range x.cost {
			x.cost[g] = make([]int64, len(x.groups))
		}
		for u, v := range w.Units {
			x.weight[of[u]] += 2 * v * scale
		}
		for e, edge := range p.Edges {
			a, b := of[edge.A], of[edge.B]
			if w.Cross != nil {
				f := w.Cross[e][k]
				if 2*f*scale > across[e] || -2*f*scale > across[e] {
					return fmt.Sprintf("edge %d is worth more across kinds than it costs", e)
				}
				x.weight[a] -= 2 * f * scale
				x.weight[b] += 2 * f * scale
			}
			if a != b {
				x.cost[a][b] += cut[e]
				x.cost[b][a] += cut[e]
			}
		}
		x.max, x.state, x.steps = w.Max[k]*scale, make([]int8, len(x.groups)), 0
		for g, ok := range x.usable {
			if !ok {
				x.state[g] = -1
			}
		}
		if why := x.look(0); why != "" {
			return fmt.Sprintf("kind %d: %s", k, why)
		}
	}
	return ""
}

// look enumerates the decisions on the remaining groups, skipping those that cannot exceed the maximum.
func (x *priceCheck) look(depth int) string {
	if x.steps++; x.steps > 200_000_000 {
		return "there are too many clusters to look at"
	}
	total, next := x.could()
	if total <= x.max {
		return ""
	}
	if next < 0 {
		return fmt.Sprintf("a cluster is worth %d, more than %d", total, x.max)
	}
	fits := true
	for other, s := range x.state {
		fits = fits && !(s == 1 && x.separate[next][other])
	}
	for l := range x.need {
		fits = fits && x.need[l][next] <= x.room[l]
	}
	defer func() { x.state[next] = 0 }()
	if fits {
		x.state[next] = 1
		for l := range x.need {
			x.room[l] -= x.need[l][next]
		}
		why := x.look(depth + 1)
		for l := range x.need {
			x.room[l] += x.need[l][next]
		}
		if why != "" {
			return why
		}
	}
	x.state[next] = -1
	return x.look(depth + 1)
}

// could returns an upper bound on the worth of a cluster with the decisions so far, from each group alone. next is
// the most important undecided group; -1 for none.
func (x *priceCheck) could() (total int64, next int) {
	next = -1
	maximum := int64(-1)
	type item struct {
		gain int64
		need float64
	}
	var items []item
	for g, s := range x.state {
		in, out, free := int64(0), int64(0), int64(0)
		for other, c := range x.cost[g] {
			switch x.state[other] {
			case 1:
				in += c
			case -1:
				out += c
			default:
				if other != g {
					free += c
				}
			}
		}
		switch s {
		case 1:
			total += x.weight[g] - out
		case 0:
			total -= in // where it stays out
			if gain := x.weight[g] - out + in; gain > 0 {
				need := 0.0
				if len(x.need) > 0 && x.room[0] > 0 {
					need = float64(x.need[0][g])
				}
				items = append(items, item{gain, need})
			}
			if here := in + free + max(0, x.weight[g]-out); here > maximum {
				next, maximum = g, here
			}
		}
	}
	// Fill the room with fractions of groups, by decreasing worth per need.
	slices.SortFunc(items, func(a, b item) int {
		switch l, r := float64(a.gain)*b.need, float64(b.gain)*a.need; {
		case l > r:
			return -1
		case l < r:
			return 1
		}
		return 0
	})
	room := 0.0
	if len(x.room) > 0 {
		room = float64(x.room[0])
	}
	for _, i := range items {
		if i.need == 0 || i.need <= room {
			total += i.gain
			room -= i.need
			continue
		}
		if room > 0 {
			total += int64(float64(i.gain)*room/i.need) + 1<<10
		}
		break
	}
	return total, next
}
