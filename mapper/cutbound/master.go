package cutbound

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"xopt/mapper/simplex"
)

// master is the linear program that proposes prices for a part, in loads. It solves, for the known clusters,
//
//	maximize Σ π_u - Σ_c m_c M_c - T Σ_s y_s × links of s,  Σ_s y_s × links of s ≤ 1
//
// such that no cluster is worth more than M of its kind. The dual values of these rows are the fractions of the
// clusters in a relaxed mapping.
type master struct {
	s      *Search
	target int64
	lp     *simplex.LP
	costs  []float64 // costs of the columns of lp
	slack  float64   // required excess of the value over the target
	max    float64   // unit prices are within ±max
	sets   []int     // sets with their own weight; nil if there is only one set
	cross  []float64
	rows   map[int]int // the cluster of each row
	in     map[int]bool
	pool   []pooled
	usable func(i int) bool // whether a cluster of the pool may occur in a mapping
	use    []use
	prices proposal
	flag   []bool
	idle   int
}

// use is the cached result of usable for a cluster.
type use uint8

const (
	useUnknown use = iota
	useAllowed
	useExcluded
)

// pooled is a cluster with the loads of its edges on each set of links.
type pooled struct {
	Cluster
	leaves []float64
}

// proposal contains proposed prices, as loads.
type proposal struct {
	unit, kind, weight []float64
	cross              [][]float64 // edge × kind
	value              float64     // Σ π - Σ m M
	right              float64     // T Σ y × links
}

// The parameters of the linear program.
const (
	poolBatch    = 60 // violated clusters that are added together
	minViolation = 1e-9
	masterTry    = 1e-6      // maximum cost perturbation; smaller for targets near the reached load
	masterWork   = visitWork // work limit
	// tryParts is the divisor of the slack beyond the target: a perturbation is at most slack/tryParts, so that the sum
	// over the columns of a solution stays below the slack.
	tryParts = 50
)

// Bounds of prices, in loads. Larger prices do not improve proofs, because a target permits one unit of load per
// resource, and they reduce the precision.
const (
	maxCrossing = 4 // maximum price of an edge between kinds
	maxPrice    = 6 // price of a unit
)

// The seed of the perturbation of costs, which breaks ties between bases. It is constant, so that proofs are
// reproducible.
const (
	perturbSeed   = 3
	perturbStream = 4
)

func (s *Search) newMaster(target int64, pool []pooled, usable func(i int) bool) *master {
	m := &master{s: s, target: target, pool: pool, usable: usable, flag: make([]bool, s.p.Units)}
	deg := make([]float64, s.p.Units)
	for e, edge := range s.p.Edges {
		cost := 0.0
		for i := range s.p.Sets {
			cost = math.Max(cost, load(s.p.Sets[i].Across[e])/float64(s.p.Sets[i].Links))
		}
		cost = math.Min(cost, maxCrossing)
		deg[edge.A] += cost / 2
		deg[edge.B] += cost / 2
	}
	m.max = math.Min(maxPrice, 2*(1+slices.Max(deg)))
	if len(s.p.Sets) > 1 {
		for i := range s.p.Sets {
			m.sets = append(m.sets, i)
		}
	}
	m.slack = math.Min(priceSlack, math.Max(1e-8, load(s.at.Top-target)/slackPart))
	m.create()
	return m
}

// load converts a fixed-point load to a float64.
func load(parts int64) float64 { return float64(parts) / One }

// The columns are, in this order, π of units, M of kinds, y of sets, and F of edges and kinds. A column of π contains
// the difference of π from its maximum, so that costs are nonnegative. A column of F contains the difference of F from
// its minimum.
func (m *master) kindColumn(c int) int { return m.s.p.Units + c }
func (m *master) setColumn(i int) int  { return m.s.p.Units + len(m.s.p.Kinds) + i }
func (m *master) crossColumn(e, c int) int {
	return m.s.p.Units + len(m.s.p.Kinds) + len(m.sets) + e*len(m.s.p.Kinds) + c
}

// create creates the linear program, without rows of clusters.
func (m *master) create() {
	p := m.s.p
	n := p.Units + len(p.Kinds) + len(m.sets)
	if m.s.crosses {
		n += len(p.Edges) * len(p.Kinds)
	}
	cost, upper := make([]float64, n), make([]float64, n)
	for u := range p.Units {
		cost[u], upper[u] = 1, 2*m.max
	}
	for c := range p.Kinds {
		j := m.kindColumn(c)
		cost[j], upper[j] = float64(p.Kinds[c].Many), 2*m.max*float64(p.Units)
	}
	for i, set := range m.sets {
		j := m.setColumn(i)
		cost[j], upper[j] = load(m.target)*float64(p.Sets[set].Links), 1/float64(p.Sets[set].Links)
	}
	if m.s.crosses {
		m.cross = make([]float64, len(p.Edges))
		for e := range p.Edges {
			for i := range p.Sets {
				m.cross[e] = math.Max(m.cross[e], load(p.Sets[i].Across[e]-p.Sets[i].Any[e])/float64(p.Sets[i].Links))
			}
			m.cross[e] = math.Min(m.cross[e], maxCrossing) / 2
			for c := range p.Kinds {
				upper[m.crossColumn(e, c)] = 2 * m.cross[e]
			}
		}
	}
	random := rand.New(rand.NewPCG(perturbSeed, perturbStream))
	for j := range cost {
		cost[j] += math.Min(masterTry, m.slack/tryParts) * (0.5 + random.Float64())
	}
	m.lp, m.costs = simplex.New(cost, upper), cost
	m.rows, m.in = make(map[int]int), make(map[int]bool)
	if len(m.sets) > 0 {
		m.weights()
	}
}

// weights adds the rows of the weights y: the limit of their sum, and the limits of the prices F.
func (m *master) weights() {
	p := m.s.p
	var columns []int
	var values []float64
	for i, set := range m.sets {
		columns, values = append(columns, m.setColumn(i)), append(values, -float64(p.Sets[set].Links))
	}
	m.lp.Add(columns, values, -1)
	if m.cross == nil {
		return
	}
	for e := range p.Edges {
		if m.cross[e] == 0 {
			continue
		}
		for c := range p.Kinds {
			for _, sign := range []float64{1, -1} { // ±F ≤ d/2
				columns, values = columns[:0], values[:0]
				for i, set := range m.sets {
					if more := load(p.Sets[set].Across[e] - p.Sets[set].Any[e]); more > 0 {
						columns, values = append(columns, m.setColumn(i)), append(values, more/2)
					}
				}
				m.lp.Add(append(columns, m.crossColumn(e, c)), append(values, -sign), -sign*m.cross[e])
			}
		}
	}
}

// add adds the row of a cluster: the prices of its units, minus the costs of its edges, are at most M.
func (m *master) add(number int) {
	c := &m.pool[number]
	var columns []int
	var values []float64
	minimum := 0.0
	for _, u := range c.Units {
		columns, values = append(columns, u), append(values, 1)
		minimum += m.max
	}
	columns, values = append(columns, m.kindColumn(c.Kind)), append(values, 1)
	if m.sets == nil {
		minimum -= c.leaves[0] / 2 / float64(m.s.p.Sets[0].Links)
	}
	for i := range m.sets {
		if x := c.leaves[i] / 2; x > 0 {
			columns, values = append(columns, m.setColumn(i)), append(values, x)
		}
	}
	if m.cross != nil {
		for _, u := range c.Units {
			m.flag[u] = true
		}
		for e, edge := range m.s.p.Edges {
			if a, b := m.flag[edge.A], m.flag[edge.B]; a != b && m.cross[e] > 0 {
				sign := 1.0 // φ contains +F of the edge's first unit
				if b {
					sign = -1
				}
				columns, values = append(columns, m.crossColumn(e, c.Kind)), append(values, sign)
				minimum += sign * m.cross[e]
			}
		}
		for _, u := range c.Units {
			m.flag[u] = false
		}
	}
	m.rows[m.lp.Add(columns, values, minimum)] = number
	m.in[number] = true
}

// solve computes prices for all usable clusters of the pool. It returns [simplex.Above] if no prices can exclude the
// target.
func (m *master) solve(ctx context.Context) simplex.Verdict {
	for {
		begun := m.lp.Work
		zero := 0.0
		for u := range m.s.p.Units {
			zero += m.costs[u] * m.max
		}
		right := 0.0
		if m.sets == nil {
			right = load(m.target)
		}
		for {
			outcome, _ := m.lp.Solve(zero-right-m.slack, m.lp.Work+worksBetween)
			if outcome == simplex.Above {
				m.read()
				return simplex.Above
			}
			if outcome == simplex.Infeasible || ctx.Err() != nil || m.lp.Work-begun > masterWork {
				return simplex.Unfinished
			}
			if outcome == simplex.Solved {
				break
			}
		}
		m.read()
		m.tidy()
		if m.fromPool() == 0 {
			return simplex.Solved
		}
	}
}

// priceSlack is the minimum excess over the target, as a load, at which the bounder tries an integer proof with the
// prices. It is smaller for targets near the reached load.
const (
	priceSlack = 2e-5
	slackPart  = 5
)

// read copies the prices from the linear program.
func (m *master) read() {
	p := m.s.p
	v := m.lp.Values(nil)
	x := &m.prices
	x.unit, x.kind, x.weight, x.cross = x.unit[:0], x.kind[:0], x.weight[:0], nil
	x.value, x.right = 0, 0
	for u := range p.Units {
		x.unit = append(x.unit, m.max-v[u])
		x.value += m.max - v[u]
	}
	for c := range p.Kinds {
		x.kind = append(x.kind, v[m.kindColumn(c)])
		x.value -= float64(p.Kinds[c].Many) * v[m.kindColumn(c)]
	}
	for i := range p.Sets {
		w := 1 / float64(p.Sets[0].Links)
		if m.sets != nil {
			w = math.Max(0, v[m.setColumn(i)])
		}
		x.weight = append(x.weight, w)
		x.right += w * load(m.target) * float64(p.Sets[i].Links)
	}
	if m.cross != nil {
		x.cross = make([][]float64, len(p.Edges))
		for e := range p.Edges {
			for c := range p.Kinds {
				f := 0.0
				if m.cross[e] > 0 {
					f = v[m.crossColumn(e, c)] - m.cross[e]
				}
				x.cross[e] = append(x.cross[e], f)
			}
		}
	}
}

// slack returns the excess of the prices over the target, ignoring clusters whose rows are violated.
func (x *proposal) slack() float64 { return x.value - x.right }

// excess returns a cluster's worth minus M of its kind.
func (m *master) excess(c *pooled) float64 {
	x := &m.prices
	sum := -x.kind[c.Kind]
	for _, u := range c.Units {
		sum += x.unit[u]
	}
	for i, leaves := range c.leaves {
		sum -= x.weight[i] * leaves / 2
	}
	if x.cross != nil {
		for _, u := range c.Units {
			m.flag[u] = true
		}
		for e, edge := range m.s.p.Edges {
			if a, b := m.flag[edge.A], m.flag[edge.B]; a && !b {
				sum -= x.cross[e][c.Kind]
			} else if b && !a {
				sum += x.cross[e][c.Kind]
			}
		}
		for _, u := range c.Units {
			m.flag[u] = false
		}
	}
	return sum
}

// may reports whether a cluster of the pool may occur in a mapping of the part. It caches the result of usable.
func (m *master) may(i int) bool {
	for len(m.use) <= i {
		m.use = append(m.use, useUnknown)
	}
	if m.use[i] == useUnknown {
		if m.use[i] = useExcluded; m.usable(i) {
			m.use[i] = useAllowed
		}
	}
	return m.use[i] == useAllowed
}

// fromPool adds the most violated clusters of the pool, and returns their number.
func (m *master) fromPool() int {
	type violated struct {
		number int
		by     float64
	}
	var list []violated
	for i := range m.pool {
		if !m.in[i] && m.may(i) {
			if by := m.excess(&m.pool[i]); by > minViolation {
				list = append(list, violated{i, by})
			}
		}
	}
	m.lp.Work += uint64(4 * len(m.pool))
	slices.SortStableFunc(list, func(a, b violated) int {
		return cmp.Compare(b.by, a.by)
	})
	n := min(len(list), poolBatch)
	for _, x := range list[:n] {
		m.add(x.number)
	}
	return n
}

// tidy removes slack rows if there are many. It rebuilds the program after every masterRounds rounds, to remove
// accumulated rounding errors.
func (m *master) tidy() {
	if m.idle++; m.idle >= masterRounds {
		m.idle = 0
		var tight []int
		m.lp.Tight(func(variable int) {
			if number, ok := m.rows[variable]; ok {
				tight = append(tight, number)
			}
		})
		slices.Sort(tight)
		work := m.lp.Work
		m.create()
		m.lp.Work = work
		for _, number := range tight {
			m.add(number)
		}
		return
	}
	if !m.lp.Long() {
		return
	}
	drop := make(map[int]bool)
	m.lp.Rows(func(variable int, value float64) {
		if number, ok := m.rows[variable]; ok && value > 1e-3 {
			drop[variable] = true
			delete(m.in, number)
			delete(m.rows, variable)
		}
	})
	m.lp.Drop(func(variable int) bool { return drop[variable] })
}

// masterRounds is the number of rounds after which tidy rebuilds the linear program.
const masterRounds = 80

// shares returns the clusters in the solution, each with its fraction.
func (m *master) shares() (list []share) {
	m.lp.Prices(func(variable int, price float64) {
		if number, ok := m.rows[variable]; ok && price > 1e-7 {
			list = append(list, share{&m.pool[number].Cluster, price})
		}
	})
	return list
}

// share is a cluster with its fraction in a solution.
type share struct {
	*Cluster
	part float64
}

// roundPrices rounds the prices to integers. It adds each kind's share of the slack to the kind's M.
func (m *master) roundPrices() (*Prices, *costs, bool) {
	p := m.s.p
	x := &m.prices
	w := &Prices{Sets: make([]int64, len(p.Sets)), Units: make([]int64, p.Units), Max: make([]int64, len(p.Kinds))}
	for i, y := range x.weight {
		w.Sets[i] = int64(math.Round(y * (1 << weightBits)))
	}
	c := p.costs(w.Sets, m.target)
	for u, v := range x.unit {
		w.Units[u] = toPrice(v)
	}
	if x.cross != nil {
		w.Cross = make([][]int64, len(p.Edges))
		for e := range x.cross {
			for _, f := range x.cross[e] {
				maximum := c.across[e] / 2
				w.Cross[e] = append(w.Cross[e], max(-maximum, min(maximum, toPrice(f))))
			}
		}
	}
	spare := -c.right
	for _, v := range w.Units {
		spare += 2 * v
	}
	for k, v := range x.kind {
		w.Max[k] = max(0, int64(math.Round(2*v*(1<<priceBits))))
		spare -= p.Kinds[k].Many * w.Max[k]
	}
	if spare <= 0 {
		return nil, nil, false
	}
	kinds := int64(len(p.Kinds))
	for k := range w.Max { // distribute less than the entire slack
		w.Max[k] += (spare - 1) / (kinds * p.Kinds[k].Many)
	}
	return w, c, true
}
