package flow

import (
	"math"
	"slices"

	"xopt/queueing/int128"
)

// floatLoads contains the tables of scorerTables in floating point: the loads of kernels on resources and of edges on
// links, per byte/s of each free source.
type floatLoads struct {
	alone, shared   []float64 // kernel × resource × F
	from, to        []float64 // edge × resource × F
	crossing        []float64 // edge × link × F
	sends, receives []float64 // edge × link × F
	kernels, edges  int
}

// fillLoads computes all loads in floating point, then the unit, then the tables.
func (t *scorerTables) fillLoads() {
	x := t.floatLoads()
	t.widenLoads(x)
	t.fillCostly(x)
	t.simple = t.free == 1 && t.shared == nil
	t.scale = t.Flows.objective[0] * (t.phi / t.unit)
	t.fillRanks(x)
}

func (t *scorerTables) floatLoads() *floatLoads {
	p, n := t.Problem, t.free
	x := &floatLoads{kernels: len(p.Application.Kernels), edges: len(p.Application.Edges)}
	x.alone, x.shared = make([]float64, x.kernels*t.resources*n), make([]float64, x.kernels*t.resources*n)
	x.from, x.to = make([]float64, x.edges*t.resources*n), make([]float64, x.edges*t.resources*n)
	x.crossing = make([]float64, x.edges*t.links*n)
	put := func(at []float64, row int, weight []float64, cost float64) {
		if cost == 0 {
			return // many costs are 0, and the tables are large
		}
		for f, w := range weight {
			at[row*n+f] = w * cost
		}
	}
	for k := range x.kernels {
		for r := range t.resources {
			fig := &p.Figures[k][r]
			if !fig.Available {
				continue
			}
			put(x.alone, k*t.resources+r, t.Flows.Arrival(k), fig.TimePerByte())
			if t.rule[r] == inArea {
				continue
			}
			shared := x.shared[(k*t.resources+r)*n:][:n]
			t.eachSharedCost(k, r, func(_ Part, edge int, cost float64) {
				for f, rate := range t.Flows.rates(k, edge) {
					shared[f] += rate * cost
				}
			})
		}
	}
	for e := range x.edges {
		edge := &p.Application.Edges[e]
		for r := range t.resources {
			if t.rule[r] != inArea {
				put(x.from, e*t.resources+r, t.Flows.Edge(e), p.Figures[edge.From][r].SendCost)
				put(x.to, e*t.resources+r, t.Flows.Edge(e), p.Figures[edge.To][r].ReceiveCost)
			}
		}
		for l := range t.links {
			link := &p.Architecture.Links[l]
			put(x.crossing, e*t.links+l, t.Flows.Edge(e), link.TimePerByte()+link.TransferCost(edge.ElementBytes))
		}
	}
	t.carryingLoads(x)
	return x
}

// widenLoads chooses the unit of the loads, and fills the tables with the loads. Tables of optional costs are nil if
// all of these costs are 0.
func (t *scorerTables) widenLoads(x *floatLoads) {
	total := 0.0
	for _, table := range [][]float64{x.alone, x.shared, x.from, x.to, x.crossing, x.sends, x.receives} {
		for _, load := range table {
			total += math.Abs(load)
		}
	}
	unit := int128.Unit(total)
	t.unit = math.Ldexp(1, unit)
	widened := func(table []float64) []int128.Int {
		w := make([]int128.Int, len(table))
		for i, load := range table {
			if load != 0 {
				w[i] = int128.New(load, unit)
			}
		}
		return w
	}
	anyOf := func(tables ...[]float64) bool {
		return slices.ContainsFunc(tables, func(table []float64) bool {
			return slices.ContainsFunc(table, func(load float64) bool { return load != 0 })
		})
	}
	t.alone, t.crossing = widened(x.alone), widened(x.crossing)
	if anyOf(x.shared) {
		t.shared = widened(x.shared)
	}
	if t.anyEnds = anyOf(x.from, x.to); t.anyEnds {
		t.from, t.to = widened(x.from), widened(x.to)
	}
	if anyOf(x.sends, x.receives) {
		t.carrying.sends, t.carrying.receives = widened(x.sends), widened(x.receives)
	} else {
		t.carrying = carryingTables{}
	}
}

// fillCostly finds the resources with equal sharing and costs in addition to 1/μ.
func (t *scorerTables) fillCostly(x *floatLoads) {
	n := t.free
	t.costly = make([]bool, t.resources+t.links)
	at := func(table []float64, row int) bool {
		return slices.ContainsFunc(table[row*n:(row+1)*n], func(load float64) bool { return load != 0 })
	}
	for r := range t.resources {
		for k := 0; t.rule[r] == equally && k < x.kernels; k++ {
			t.costly[r] = t.costly[r] || at(x.shared, k*t.resources+r)
		}
		t.costly[r] = t.costly[r] || t.rule[r] == equally && t.carrying.sends != nil
		for e := 0; t.rule[r] == equally && e < x.edges; e++ {
			t.costly[r] = t.costly[r] || at(x.from, e*t.resources+r) || at(x.to, e*t.resources+r)
		}
	}
}

// fillRanks sorts the members of every resource and link that is not shared in time by their load.
func (t *scorerTables) fillRanks(x *floatLoads) {
	t.rank = make([]*ranking, t.resources+t.links)
	for c, rule := range t.rule {
		if rule == inTime {
			continue
		}
		table, columns, at, members := x.alone, t.resources, c, x.kernels
		if c >= t.resources {
			table, columns, at, members = x.crossing, t.links, c-t.resources, x.edges
		}
		value := make([]float64, members)
		for m := range value { // with several free sources, members have no fixed order
			value[m] = table[(m*columns+at)*t.free] / t.unit
		}
		t.rank[c] = newRanking(value)
	}
}
