package flow

import (
	"fmt"
	"math"
	"slices"
)

// Scorer maintains the throughput of one mapping while kernels and edges move one by one. The cost of a change depends
// only on the affected parts: the two resources of a moved kernel, and the links of its edges. A Scorer computes loads
// on demand. [Scorer.Undo] restores saved sums instead of computing them again. A Scorer allocates no memory once its
// buffers have grown.
//
// Its results equal the results of [NewNetwork] and [Fast] for the same mapping. Only one goroutine may use a Scorer;
// [Scorer.Clone] creates a Scorer for another goroutine.
type Scorer struct {
	*scorerTables

	place  []int32
	choice []int16 // index of the alternative that each edge uses
	route  []int32 // number of the route of each edge

	sums
	totals
	ranked []bitset // by resource, then by link: members in the order of their loads; unused if shared in time
	cycles []bitset // by resource: kernels whose rates follow its clock
	period []bitset // by resource: the same kernels, in the order of the periods of their maximum clocks

	undo undo

	waiting    *scorerCycles     // nil if no kernels wait for each other
	contention *scorerContention // nil if no kernel slows another
	lp         packing
	solved     bool // lp is valid for the current mapping; with one free source, the ratios of cycles are valid
	loads      []float64
	inject     []float64 // by free source, bytes/s, computed by Operate
}

// NewScorer creates a scorer of p that starts at mapping m. Every kernel must have an implementation for its resource
// in m. Missing routes and exceeded areas count as violations.
func NewScorer(p *Problem, m *Mapping) (*Scorer, error) {
	prepared, err := Prepare(p)
	if err != nil {
		return nil, err
	}
	return prepared.Scorer(m)
}

// Scorer creates a scorer that starts at mapping m, like NewScorer.
func (p *Prepared) Scorer(m *Mapping) (*Scorer, error) {
	t := newScorerTables(p)
	flows := p.Flows
	kernels, edges, constraints := len(p.Application.Kernels), len(p.Application.Edges), len(t.rule)
	s := &Scorer{
		scorerTables: t,
		place:        make([]int32, kernels), choice: make([]int16, edges), route: make([]int32, edges),
		sums: newSums(t), undo: newUndo(t, newSums(t)), ranked: make([]bitset, constraints),
		loads: make([]float64, constraints), waiting: newScorerCycles(flows.circles),
		contention: newScorerContention(t.contention, t.unit),
	}
	for c, r := range t.rank {
		if r != nil {
			s.ranked[c] = newBitset(r)
		}
	}
	s.cycles, s.period = make([]bitset, t.resources), make([]bitset, t.resources)
	for r, c := range t.clocks {
		if c != nil {
			s.cycles[r], s.period[r] = newBitset(c.cycles), newBitset(c.period)
		}
	}
	if err := s.Set(m); err != nil {
		return nil, err
	}
	return s, nil
}

// Clone returns an independent scorer with the same mapping and an empty undo history.
func (s *Scorer) Clone() *Scorer {
	s.refresh()
	c := *s
	c.place, c.choice, c.route = slices.Clone(s.place), slices.Clone(s.choice), slices.Clone(s.route)
	c.sums, c.undo = s.sums.clone(), newUndo(s.scorerTables, s.sums.clone())
	c.undo.totals = s.totals
	c.ranked, c.cycles, c.period = cloneBitsets(s.ranked), cloneBitsets(s.cycles), cloneBitsets(s.period)
	c.loads = slices.Clone(s.loads)
	c.inject = nil
	c.lp, c.solved, c.waiting = packing{}, false, newScorerCycles(s.Flows.circles)
	c.contention = s.contention.clone()
	return &c
}

// Set changes to mapping m and clears the undo history. After an error, the caller must call Set again before any other
// method.
func (s *Scorer) Set(m *Mapping) error {
	app := &s.Problem.Application
	if len(m.Place) != len(app.Kernels) {
		return fmt.Errorf("setting a mapping: only %d of %d kernels are placed", len(m.Place), len(app.Kernels))
	}
	for k, r := range m.Place {
		if r < 0 || r >= s.resources || !s.Problem.Figures[k][r].Available {
			return fmt.Errorf("setting a mapping: kernel %s is placed on resource %d, for which it has no "+
				"implementation", app.Kernels[k].Name, r)
		}
	}
	s.clear()
	for k, r := range m.Place {
		s.place[k] = int32(r)
		s.enter(int32(r), int32(k))
		if s.contention != nil {
			s.contention.enter(int32(r), int32(k))
		}
	}
	for e := range app.Edges {
		if a, b := s.place[app.Edges[e].From], s.place[app.Edges[e].To]; s.anyEnds && a != b {
			s.add(s.sum, int(a), s.from, e*s.resources+int(a))
			s.add(s.sum, int(b), s.to, e*s.resources+int(b))
		}
		if e < len(m.Route) && len(m.Route[e]) > 0 {
			choice := slices.IndexFunc(s.alternatives(e), func(route []int) bool {
				return slices.Equal(route,
					m.Route[e])
			})
			if choice < 0 {
				return fmt.Errorf("setting a mapping: edge %s cannot use %s", app.Edges[e].Name,
					s.Problem.Architecture.linkNames(m.Route[e]))
			}
			s.choose(int32(e), choice)
		}
		s.cross(int32(e), s.chosenRoute(e))
		s.carry(int32(e), s.route[e], s.place[app.Edges[e].From], s.place[app.Edges[e].To])
	}
	for c := range s.load {
		s.touch(c)
	}
	s.Commit()
	return nil
}

// clear removes every kernel and every edge.
func (s *Scorer) clear() {
	s.undo.forget()
	s.sums.clear()
	for c := range s.ranked {
		clear(s.ranked[c].words)
	}
	for r := range s.cycles {
		clear(s.cycles[r].words)
		clear(s.period[r].words)
	}
	s.contention.clear()
	clear(s.choice)
	s.totals = totals{stale: true}
}

// Place returns the resource of each kernel; the caller must not modify it.
func (s *Scorer) Place() []int32 { return s.place }

// Route returns the links that an edge crosses; the caller must not modify it.
func (s *Scorer) Route(edge int) []int {
	if alternatives := s.alternatives(edge); len(alternatives) > 0 {
		return alternatives[s.choice[edge]]
	}
	return nil
}

// RouteNumber returns a number that two edges share if and only if their routes are equal.
func (s *Scorer) RouteNumber(edge int) int { return int(s.route[edge]) }

// Alternatives returns the number of possible routes of an edge for the current placement of its ends. It is 0 if both
// ends are on one resource, or if no route connects them.
func (s *Scorer) Alternatives(edge int) int {
	e := &s.Problem.Application.Edges[edge]
	return int(s.pairs[int(s.place[e.From])*s.resources+int(s.place[e.To])].count)
}

// Choice returns the index of the alternative that an edge uses.
func (s *Scorer) Choice(edge int) int { return int(s.choice[edge]) }

// Mapping returns a copy of the mapping.
func (s *Scorer) Mapping() *Mapping {
	m := &Mapping{Place: make([]int, len(s.place)), Route: make([][]int, len(s.choice))}
	for k, r := range s.place {
		m.Place[k] = int(r)
	}
	for e := range s.choice {
		m.Route[e] = append([]int{}, s.Route(e)...)
	}
	return m
}

// Fits reports whether a resource has enough free area for a kernel that is not on it.
func (s *Scorer) Fits(kernel, resource int) bool {
	if s.rule[resource] != inArea {
		return true
	}
	used, need, have := &s.area[resource], &s.need[kernel*s.resources+resource], &s.have[resource]
	return used[LUT]+need[LUT] <= have[LUT] && used[FF]+need[FF] <= have[FF] &&
		used[BRAM]+need[BRAM] <= have[BRAM] && used[DSP]+need[DSP] <= have[DSP]
}

// Violations returns the number of resources with exceeded area, plus the number of edges without a route.
func (s *Scorer) Violations() int { return s.unrouted + s.overfull }

// Used returns the number of resources that have kernels.
func (s *Scorer) Used() int {
	used := 0
	for _, n := range s.count[:s.resources] {
		if n > 0 {
			used++
		}
	}
	return used
}

// Traffic returns the total flow over links, counted on each hop, per byte/s of the free sources.
func (s *Scorer) Traffic() float64 { return s.traffic.Float() * s.volUnit }

// Throughput returns Γ in bytes/s; 0 if there are violations or no flow, +Inf if nothing limits the flow.
func (s *Scorer) Throughput() float64 {
	if s.unrouted+s.overfull > 0 {
		return 0
	}
	if s.free == 1 {
		return s.scale / s.greatest()
	}
	s.refresh()
	if !s.solved {
		s.solveLP()
		s.solved = true
	}
	switch {
	case s.stuck():
		return 0
	case s.lp.status == packed:
		return s.lp.value()
	case s.lp.status == packingUnbounded:
		return math.Inf(1)
	}
	return 0
}

// MaxLoad returns the maximum load of a mapping with the given throughput in bytes/s, for one free source. Exceeds uses
// the same unit.
func (s *Scorer) MaxLoad(throughput float64) float64 { return s.scale / throughput }

// greatest returns, for one free source, the larger of the maximum load and the equivalent load of cycles.
func (s *Scorer) greatest() float64 {
	s.refresh()
	if s.stale {
		s.max, s.stale = greatestOf(s.load), false
	}
	if s.contention != nil {
		return s.contended()
	}
	if s.waiting != nil {
		return max(s.max, s.turning())
	}
	return s.max
}

// Loads returns the utilization of each resource, then of each link, at the throughput of the mapping. A resource that
// is not shared in time has the utilization of its busiest member. All values are 0 if Throughput is 0 or unbounded.
// The next call overwrites the result.
func (s *Scorer) Loads() []float64 {
	clear(s.loads)
	total := s.Throughput()
	if total == 0 || math.IsInf(total, 1) {
		return s.loads
	}
	if s.free == 1 {
		z := s.phi / s.greatest()
		for c := range s.load {
			s.loads[c] = s.slowedLoad(c, z)
		}
		return s.loads
	}
	row := s.lp.a // the rows of solveLP are in the order of the constraints
	for c, rule := range s.rule {
		rows := int(s.count[c])
		if rule == inTime {
			rows = min(rows, 1)
		}
		for range rows {
			s.loads[c] = math.Max(s.loads[c], dot(row[:s.free], s.lp.z))
			row = row[s.free:]
		}
	}
	return s.loads
}

// Imbalance returns the mean square of the utilizations of all resources and links at the throughput of the mapping.
// Among mappings of equal throughput, a lower value means more headroom after the bottleneck. Imbalance is 0 if
// Throughput is 0 or unbounded.
func (s *Scorer) Imbalance() float64 {
	loads, z := s.load, 1.0
	if s.free == 1 && s.contention == nil {
		maximum := s.greatest()
		if s.unrouted+s.overfull > 0 || maximum == 0 {
			return 0
		}
		z = s.phi / maximum
	} else {
		loads = s.Loads()
	}
	var even, odd float64
	for ; len(loads) > 1; loads = loads[2:] {
		even += loads[0] * loads[0]
		odd += loads[1] * loads[1]
	}
	if len(loads) == 1 {
		even += loads[0] * loads[0]
	}
	return (even + odd) * z * z / float64(len(s.load))
}

// greatestOf returns the largest of nonnegative numbers. It compares their bits, which have the same order. This avoids
// a branch for each number.
func greatestOf(loads []float64) float64 {
	var a, b uint64
	for ; len(loads) > 1; loads = loads[2:] {
		a, b = max(a, math.Float64bits(loads[0])), max(b, math.Float64bits(loads[1]))
	}
	if len(loads) == 1 {
		a = max(a, math.Float64bits(loads[0]))
	}
	return math.Float64frombits(max(a, b))
}
