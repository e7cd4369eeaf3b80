package mapper

import (
	"math"
	"slices"

	"xopt/flow"
	"xopt/mapper/cutbound"
)

// cutKinds is the maximum number of kinds of resources. If there are more, all time-shared resources form one kind,
// and all FPGAs another.
const cutKinds = 6

// cutLinks is the maximum number of links for which the bound also considers each pair of links.
const cutLinks = 6

// cutSlack is the relative reduction of loads that compensates for floating-point errors.
const cutSlack = 1e-13

// cutModel builds the integer problem of package cutbound.
type cutModel struct {
	s    *space
	mix  cutMix
	r    *relaxation // relaxation of any source; all have the same resources and areas
	unit float64     // load that corresponds to cutbound.One
	of   []int       // kind of each class
	p    *cutbound.Problem
	edge map[[2]int]int // number of the edge between two units, the lower unit first
}

// newCutProblem creates the problem of the cut bound. It returns nil if no edge necessarily loads a link, if a cost is
// negative, or if there are too many units and edges. kinds contains the kind of each class of resources.
func newCutProblem(s *space, mix cutMix, r *relaxation, unit float64) (p *cutbound.Problem,
	kinds []int) {
	ends := 0 // number of edge ends between units; each pair of units counts once
	for _, near := range s.near {
		ends += len(near)
	}
	if len(s.units)+ends/2 > cutColumns {
		return nil, nil
	}
	if p, kinds = fullCutProblem(s, mix, r, unit); p == nil || len(p.Sets) == 0 {
		return nil, nil
	}
	return p, kinds
}

// fullCutProblem is like newCutProblem, but accepts problems of any size. It returns nil only if a cost is negative, or
// if unit is not positive and finite.
func fullCutProblem(s *space, mix cutMix, r *relaxation, unit float64) (p *cutbound.Problem,
	kinds []int) {
	m := &cutModel{s: s, mix: mix, r: r, unit: unit, p: &cutbound.Problem{Units: len(s.units)},
		edge: make(map[[2]int]int)}
	if !(unit > 0) || math.IsInf(unit, 1) || m.negative() {
		return nil, nil
	}
	m.kinds()
	m.edges()
	for u := range s.separateUnits {
		for _, v := range s.separateUnits[u] {
			if u < v {
				m.p.Separate = append(m.p.Separate, [2]int{u, v})
			}
		}
	}
	return m.p, m.of
}

// negative reports whether an edge has a negative cost. Measurement errors may cause negative costs.
func (m *cutModel) negative() bool {
	p := m.s.problem
	for _, works := range m.mix.works {
		for e, edge := range p.Application.Edges {
			for _, k := range []int{edge.From, edge.To} {
				for q := range p.Architecture.Resources {
					if works.EdgeLoad(e, k, q) < 0 {
						return true
					}
				}
			}
			for l := range p.Architecture.Links {
				if works.Link(e, l) < 0 {
					return true
				}
			}
		}
	}
	return false
}

// work returns the minimum load of a unit alone on a resource of a class; +Inf if the unit is not allowed there.
func (m *cutModel) work(u, class int) float64 {
	if math.IsInf(m.r.work[u][class], 1) {
		return math.Inf(1)
	}
	at := slices.IndexFunc(m.s.allowed[u], func(q int) bool { return m.r.of[q] == class })
	q := m.s.allowed[u][at]
	alone := func(works flow.LoadCoefficients, k int) float64 {
		load, _ := works.Kernel(k, q)
		return load
	}
	if m.r.timed[class] {
		return m.mix.minLoad(func(works flow.LoadCoefficients) float64 {
			sum := 0.0
			for _, k := range m.s.units[u] {
				sum += alone(works, k)
			}
			return sum
		})
	}
	maximum := 0.0
	for _, k := range m.s.units[u] { // bound each load separately, because their maximum is not linear in the shares
		maximum = math.Max(maximum, m.mix.minLoad(func(works flow.LoadCoefficients) float64 { return alone(works, k) }))
	}
	return maximum
}

// parts converts a load to an integer multiple of m.unit/cutbound.One, rounded down. It limits loads that are far above
// cutbound.One.
func (m *cutModel) parts(load float64) int64 { return parts(load / m.unit) }

func parts(x float64) int64 {
	const maximum = 4
	return int64(math.Floor(math.Min(x, maximum) * (1 - cutSlack) * cutbound.One))
}

// kinds adds the kinds of resources.
func (m *cutModel) kinds() {
	r := m.r
	m.of = make([]int, len(r.many))
	var classes [][]int // classes of each kind
	if len(r.many) <= cutKinds {
		for c := range m.of {
			m.of[c] = c
			classes = append(classes, []int{c})
		}
	} else {
		at := map[bool]int{}
		for c, timed := range r.timed {
			k, ok := at[timed]
			if !ok {
				k, at[timed] = len(classes), len(classes)
				classes = append(classes, nil)
			}
			m.of[c] = k
			classes[k] = append(classes[k], c)
		}
	}
	for _, list := range classes {
		m.p.Kinds = append(m.p.Kinds, m.kind(list))
	}
}

// kind combines some classes into one kind. Their resources must all share time, or all share area. The load of a unit
// is its minimum over the classes.
func (m *cutModel) kind(classes []int) cutbound.Kind {
	r := m.r
	k := cutbound.Kind{Load: make([]int64, r.units)}
	for u := range r.units {
		minimum := math.Inf(1)
		for _, c := range classes {
			minimum = math.Min(minimum, m.work(u, c))
		}
		if k.Load[u] = cutbound.Never; !math.IsInf(minimum, 1) {
			k.Load[u] = m.parts(minimum)
		}
	}
	for _, c := range classes {
		k.Many += int64(r.many[c])
	}
	if r.timed[classes[0]] {
		need := slices.Clone(k.Load)
		for u := range need {
			need[u] = max(0, need[u])
		}
		k.Limits = []cutbound.Limit{{Need: need}}
		return k
	}
	for j := range len(flow.Area{}) {
		if limit, ok := m.area(classes, j); ok {
			k.Limits = append(k.Limits, limit)
		}
	}
	return k
}

// area returns the limit on component j of the area, relative to the largest resource of the classes. ok is false if
// there is no limit.
func (m *cutModel) area(classes []int, j int) (limit cutbound.Limit, ok bool) {
	r, maximum, sum := m.r, 0.0, int64(0)
	for _, c := range classes {
		maximum = math.Max(maximum, m.s.problem.Architecture.Resources[slices.Index(r.of, c)].Area[j])
	}
	if !(maximum > 0) || math.IsInf(maximum, 1) {
		return limit, false
	}
	limit = cutbound.Limit{Need: make([]int64, r.units), Max: cutbound.One + 4}
	for u := range r.units {
		minimum := math.Inf(1)
		for _, c := range classes {
			if !math.IsInf(r.work[u][c], 1) {
				minimum = math.Min(minimum, r.area[u][c][j])
			}
		}
		if minimum > 0 && !math.IsInf(minimum, 1) {
			limit.Need[u] = parts(minimum / maximum)
		}
		sum += limit.Need[u]
	}
	return limit, sum > limit.Max
}

// edges adds the edges between units and their loads on links.
func (m *cutModel) edges() {
	app := &m.s.problem.Application
	numbers := make([]int, len(app.Edges)) // number by edge; -1 inside a unit
	for e, edge := range app.Edges {
		u, v := m.s.unitOf[edge.From], m.s.unitOf[edge.To]
		numbers[e] = -1
		if u == v {
			continue
		}
		pair := [2]int{min(u, v), max(u, v)}
		n, ok := m.edge[pair]
		if !ok {
			n = len(m.p.Edges)
			m.edge[pair] = n
			m.p.Edges = append(m.p.Edges, cutbound.Edge{A: pair[0], B: pair[1]})
		}
		numbers[e] = n
	}
	for _, links := range linkSets(len(m.s.problem.Architecture.Links)) {
		set := cutbound.Set{Links: int64(len(links)), Any: make([]int64, len(m.p.Edges)),
			Across: make([]int64, len(m.p.Edges))}
		some := false
		for e := range app.Edges {
			if n := numbers[e]; n >= 0 {
				any, across := m.minEdgeLoad(e, links)
				set.Any[n] += m.parts(any)
				set.Across[n] += m.parts(across)
				some = some || set.Across[n] > 0
			}
		}
		if some || len(m.mix.works) > 1 { // a load of 0 in one range of shares may be large in another
			m.p.Sets = append(m.p.Sets, set)
		}
	}
}

// linkSets returns the sets of one link, the set of all links, and, for up to cutLinks links, the sets of two links.
func linkSets(n int) [][]int {
	var sets [][]int
	all := make([]int, n)
	for l := range n {
		all[l] = l
		sets = append(sets, []int{l})
	}
	if n <= cutLinks {
		for a := range n {
			for b := range a {
				sets = append(sets, []int{b, a})
			}
		}
	}
	if n > 2 {
		sets = append(sets, all)
	}
	return sets
}

// minEdgeLoad returns two minimum loads of an edge on some links. any is the minimum over all routes between different
// allowed resources. across is the minimum over the routes between resources of different kinds. A minimum over no
// routes is +Inf.
func (m *cutModel) minEdgeLoad(e int, links []int) (any, across float64) {
	any, across = math.Inf(1), math.Inf(1)
	edge := &m.s.problem.Application.Edges[e]
	u, v := m.s.unitOf[edge.From], m.s.unitOf[edge.To]
	for c, from := range m.s.byClass {
		if len(from) == 0 || !m.s.isIn[u][from[0]] {
			continue
		}
		for d, to := range m.s.byClass {
			if len(to) == 0 || !m.s.isIn[v][to[0]] || c == d && len(to) < 2 {
				continue
			}
			a, b := from[0], to[0]
			if c == d {
				b = to[1]
			}
			for _, way := range m.s.routes.Between(a, b) {
				sum := m.mix.minLoad(func(works flow.LoadCoefficients) float64 {
					sum := 0.0
					for _, l := range way {
						if slices.Contains(links, l) {
							sum += works.Link(e, l)
						}
					}
					return sum
				})
				any = math.Min(any, sum)
				if m.of[m.r.of[a]] != m.of[m.r.of[b]] {
					across = math.Min(across, sum)
				}
			}
		}
	}
	return any, across
}
