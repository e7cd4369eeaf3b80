package flow

import (
	"fmt"
	"math"
	"slices"
)

// Scorer keeps the throughput of one mapping while it is changed kernel by
// kernel and edge by edge. A change costs what it touches: the two resources
// that a kernel leaves and enters and the links of its edges. Nothing is
// allocated once its buffers have grown.
//
// It equals NewNetwork and Fast on the same mapping. A Scorer belongs to one
// goroutine; [Scorer.Clone] makes another.
type Scorer struct {
	*scorerTables

	place  []int32
	choice []int16 // which of its ways each edge takes
	route  []int32 // number of the route of each edge

	// Of each resource, then of each link.
	count  []int32 // kernels there, or edges that cross it
	sum    []wide  // × F: Σ λ/μ of its members, and the ends of their edges
	extra  []wide  // × F: what switching and company add when there are several
	load   []float64
	ranked []ranks
	cycles []ranks // of resources, by kernels that follow a clock
	period []ranks

	area     []areaUnits // in use, per resource
	over     []bool      // per resource: area exceeded
	unrouted int         // edges that cross resources without a route
	overfull int         // resources whose area is exceeded
	traffic  wide        // Σ flow over each hop, per byte/s of the free sources
	chosen   int         // edges that do not take the default route

	// most is the greatest load; where it is stale, no load is above it, and the
	// greatest is to be looked for again.
	most  float64
	stale bool

	journal    []change
	savedMost  float64 // at the last Commit
	savedStale bool

	lp     packing
	solved bool // lp is of the present mapping
	loads  []float64
	inject []float64 // of the free sources, bytes/s, as Operate has worked it out
}

// change is one journal entry; kernel is -1 for a change of route.
type change struct {
	kernel, edge int32
	old          int32
}

// NewScorer makes a scorer of p that starts at mapping m. Every kernel must be
// placed on a resource that it has an implementation for; missing routes and
// exceeded area are counted as violations.
func NewScorer(p *Problem, m *Mapping) (*Scorer, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	flows, err := NewFlows(&p.Application, p.JoinTolerance)
	if err != nil {
		return nil, err
	}
	t := newScorerTables(p, flows)
	kernels, edges, constraints := len(p.Application.Kernels), len(p.Application.Edges), len(t.rule)
	s := &Scorer{
		scorerTables: t,
		place:        make([]int32, kernels), choice: make([]int16, edges), route: make([]int32, edges),
		count: make([]int32, constraints), sum: make([]wide, constraints*t.free),
		extra: make([]wide, t.resources*t.free),
		load:  make([]float64, constraints), ranked: make([]ranks, constraints),
		area: make([]areaUnits, t.resources), over: make([]bool, t.resources),
		loads: make([]float64, constraints),
	}
	for c, r := range t.rank {
		if r != nil {
			s.ranked[c] = newRanks(r)
		}
	}
	s.cycles, s.period = make([]ranks, t.resources), make([]ranks, t.resources)
	for r, c := range t.clocks {
		if c != nil {
			s.cycles[r], s.period[r] = newRanks(c.cycles), newRanks(c.period)
		}
	}
	if err := s.Set(m); err != nil {
		return nil, err
	}
	return s, nil
}

// Clone returns an independent scorer at the same mapping, with nothing to undo.
func (s *Scorer) Clone() *Scorer {
	c := *s
	c.place, c.choice, c.route = slices.Clone(s.place), slices.Clone(s.choice), slices.Clone(s.route)
	c.count, c.sum, c.extra, c.load = slices.Clone(s.count), slices.Clone(s.sum), slices.Clone(s.extra),
		slices.Clone(s.load)
	c.ranked, c.cycles, c.period = cloneRanks(s.ranked), cloneRanks(s.cycles), cloneRanks(s.period)
	c.area, c.over = slices.Clone(s.area), slices.Clone(s.over)
	c.loads = slices.Clone(s.loads)
	c.journal, c.inject = nil, nil
	c.lp, c.solved = packing{}, false
	c.Commit()
	return &c
}

// Set goes to mapping m and forgets what could be undone. On an error the scorer
// must be Set again before use.
func (s *Scorer) Set(m *Mapping) error {
	app := &s.problem.Application
	if len(m.Place) != len(app.Kernels) {
		return fmt.Errorf("setting a mapping: %d kernels are placed of %d", len(m.Place), len(app.Kernels))
	}
	for k, r := range m.Place {
		if r < 0 || r >= s.resources || !s.problem.Figures[k][r].Available {
			return fmt.Errorf("setting a mapping: kernel %s is placed on resource %d, for which it has no "+
				"implementation", app.Kernels[k].Name, r)
		}
	}
	s.clear()
	for k, r := range m.Place {
		s.place[k] = int32(r)
		s.enter(int32(r), int32(k))
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
				return fmt.Errorf("setting a mapping: edge %s cannot go over %s", app.Edges[e].Name,
					s.problem.Architecture.linkNames(m.Route[e]))
			}
			s.choose(e, choice)
		}
		s.cross(int32(e), s.chosenRoute(e))
	}
	for c := range s.load {
		s.weigh(c)
	}
	s.Commit()
	return nil
}

// clear takes every kernel off and every edge out.
func (s *Scorer) clear() {
	clear(s.count)
	clear(s.sum)
	clear(s.extra)
	clear(s.load)
	clear(s.area)
	clear(s.over)
	for c := range s.ranked {
		clear(s.ranked[c].words)
	}
	for r := range s.cycles {
		clear(s.cycles[r].words)
		clear(s.period[r].words)
	}
	clear(s.choice)
	s.unrouted, s.overfull, s.chosen = 0, 0, 0
	s.traffic = wide{}
	s.most, s.stale = 0, true
}

// Place returns the resource of each kernel; a view, do not modify.
func (s *Scorer) Place() []int32 { return s.place }

// Route returns the links that an edge crosses; a view, do not modify.
func (s *Scorer) Route(edge int) []int {
	if alternatives := s.alternatives(edge); len(alternatives) > 0 {
		return alternatives[s.choice[edge]]
	}
	return nil
}

// RouteNumber is the same for equal routes of edges, and for no others.
func (s *Scorer) RouteNumber(edge int) int { return int(s.route[edge]) }

// Alternatives returns how many routes an edge has to choose from as its ends
// are placed now; 0 when it stays inside one resource or has none.
func (s *Scorer) Alternatives(edge int) int {
	e := &s.problem.Application.Edges[edge]
	return int(s.pairs[int(s.place[e.From])*s.resources+int(s.place[e.To])].count)
}

// Choice returns which of its alternatives an edge takes.
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

// Fits reports whether a resource has the area for a kernel that is not on it.
func (s *Scorer) Fits(kernel, resource int) bool {
	if s.rule[resource] != inArea {
		return true
	}
	used, need, have := &s.area[resource], &s.need[kernel*s.resources+resource], &s.have[resource]
	return used[LUT]+need[LUT] <= have[LUT] && used[FF]+need[FF] <= have[FF] &&
		used[BRAM]+need[BRAM] <= have[BRAM] && used[DSP]+need[DSP] <= have[DSP]
}

// Move places a kernel on another resource, for which it must have an
// implementation; its edges take their default routes.
func (s *Scorer) Move(kernel, resource int) {
	k := int32(kernel)
	old := s.place[kernel]
	if old == int32(resource) {
		return
	}
	if s.chosen > 0 { // the routes are journaled first, so that they are restored last
		for _, a := range s.arcsAt(k) {
			if c := s.choice[a.edge]; c != 0 {
				s.journal = append(s.journal, change{kernel: -1, edge: a.edge, old: int32(c)})
				s.choice[a.edge] = 0
				s.chosen--
			}
		}
	}
	s.journal = append(s.journal, change{kernel: k, old: old})
	s.move(k, int32(resource))
}

// move is Move where every edge of the kernel takes its default route afterwards.
func (s *Scorer) move(k, to int32) {
	from := s.place[k]
	s.place[k] = to
	s.leave(from, k)
	s.enter(to, k)
	arcs := s.arcsAt(k)
	if s.anyEnds {
		s.moveEnds(arcs, from, to)
	}
	row := s.defaults[int(to)*s.resources:]
	for _, a := range arcs {
		if was, now := s.route[a.edge], row[a.way+s.place[a.other]]; was != now {
			s.uncross(a.edge, was)
			s.cross(a.edge, now)
		}
	}
}

// moveEnds moves what the ends of crossing edges cost, when their kernel goes from one
// resource to another.
func (s *Scorer) moveEnds(arcs []arc, from, to int32) {
	for _, a := range arcs {
		near, far := s.to, s.from // what they cost there, and where the other kernel is
		if a.way != 0 {
			near, far = s.from, s.to
		}
		q := s.place[a.other]
		row := int(a.edge) * s.resources
		if from != q {
			s.take(s.sum, int(from), near, row+int(from))
		}
		if to != q {
			s.add(s.sum, int(to), near, row+int(to))
		}
		if from == q {
			s.add(s.sum, int(q), far, row+int(q))
		} else if to == q {
			s.take(s.sum, int(q), far, row+int(q))
		}
	}
	s.weigh(int(from))
	s.weigh(int(to))
}

// Reroute sends an edge over another of its alternatives.
func (s *Scorer) Reroute(edge, alternative int) {
	if int(s.choice[edge]) == alternative {
		return
	}
	s.journal = append(s.journal, change{kernel: -1, edge: int32(edge), old: int32(s.choice[edge])})
	s.reroute(edge, alternative)
}

func (s *Scorer) reroute(edge, alternative int) {
	s.choose(edge, alternative)
	s.uncross(int32(edge), s.route[edge])
	s.cross(int32(edge), s.chosenRoute(edge))
}

// choose notes which of its ways an edge takes.
func (s *Scorer) choose(edge, alternative int) {
	if s.choice[edge] != 0 {
		s.chosen--
	}
	if s.choice[edge] = int16(alternative); alternative != 0 {
		s.chosen++
	}
}

// Commit makes the present mapping the one that Undo returns to.
func (s *Scorer) Commit() {
	s.journal = s.journal[:0]
	s.savedMost, s.savedStale = s.most, s.stale
}

// Undo takes back every change since the last Commit or Undo.
func (s *Scorer) Undo() {
	for i := len(s.journal) - 1; i >= 0; i-- {
		c := s.journal[i]
		if c.kernel >= 0 {
			s.move(c.kernel, c.old)
		} else {
			s.reroute(int(c.edge), int(c.old))
		}
	}
	s.journal = s.journal[:0]
	s.most, s.stale = s.savedMost, s.savedStale
}

// Violations returns how many resources have their area exceeded and how many
// edges have no route.
func (s *Scorer) Violations() int { return s.unrouted + s.overfull }

// Used returns how many resources hold kernels.
func (s *Scorer) Used() int {
	used := 0
	for _, n := range s.count[:s.resources] {
		if n > 0 {
			used++
		}
	}
	return used
}

// Traffic returns the flow over links, each hop counted, per byte/s of the free sources.
func (s *Scorer) Traffic() float64 { return s.traffic.float() * s.volUnit }

// Throughput returns Γ in bytes/s; 0 when there are violations or no flow, +Inf
// when nothing limits it.
func (s *Scorer) Throughput() float64 {
	if s.unrouted+s.overfull > 0 {
		return 0
	}
	if s.free == 1 {
		return s.scale / s.greatest()
	}
	if !s.solved {
		s.solveLP()
		s.solved = true
	}
	switch s.lp.status {
	case packed:
		return s.lp.value()
	case packingUnbounded:
		return math.Inf(1)
	}
	return 0
}

// greatest is the greatest load, with one free source.
func (s *Scorer) greatest() float64 {
	if s.stale {
		s.most, s.stale = greatestOf(s.load), false
	}
	return s.most
}

// Loads returns the utilization of each resource, then of each link, at the
// throughput that the mapping allows: of the resource when it is shared in
// time, else of its busiest member. The result is a view that the next call
// overwrites. It is all zero where Throughput is 0 or unbounded.
func (s *Scorer) Loads() []float64 {
	clear(s.loads)
	total := s.Throughput()
	if total == 0 || math.IsInf(total, 1) {
		return s.loads
	}
	if s.free == 1 {
		z := s.phi / s.greatest()
		for c, l := range s.load {
			s.loads[c] = l * z
		}
		return s.loads
	}
	row := s.lp.a // the rows are in the order of constraints, as solveLP has put them
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

// Imbalance returns the mean over all resources and links of the squares of their
// utilizations at the throughput that the mapping allows: of mappings of equal throughput,
// the one with more in reserve behind its bottleneck has less. It is 0 where Throughput is 0
// or unbounded.
func (s *Scorer) Imbalance() float64 {
	loads, z := s.load, 1.0
	if s.free == 1 {
		most := s.greatest()
		if s.unrouted+s.overfull > 0 || most == 0 {
			return 0
		}
		z = s.phi / most
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

func (s *Scorer) alternatives(edge int) [][]int {
	e := &s.problem.Application.Edges[edge]
	return s.routes.Between(int(s.place[e.From]), int(s.place[e.To]))
}

// chosenRoute is the number of the route that an edge has chosen.
func (s *Scorer) chosenRoute(edge int) int32 {
	e := &s.problem.Application.Edges[edge]
	pair := int(s.place[e.From])*s.resources + int(s.place[e.To])
	if s.choice[edge] == 0 {
		return s.defaults[int(s.outward())+pair]
	}
	return s.ways[s.pairs[pair].first+int32(s.choice[edge])]
}

// enter puts a kernel on a resource.
func (s *Scorer) enter(r, k int32) {
	at := int(k)*s.resources + int(r)
	s.count[r]++
	if s.rule[r] == inTime {
		if s.simple {
			w := s.sum[r].plus(s.alone[at])
			s.sum[r] = w
			s.settle(int(r), w.load())
			return
		}
		s.add(s.sum, int(r), s.alone, at)
		if s.shared != nil {
			s.add(s.extra, int(r), s.shared, at)
		}
		s.settle(int(r), s.timed(int(r)))
		return
	}
	s.join(r, k, &s.need[at], 1)
}

// leave takes it away.
func (s *Scorer) leave(r, k int32) {
	at := int(k)*s.resources + int(r)
	s.count[r]--
	if s.rule[r] == inTime {
		if s.simple {
			w := s.sum[r].minus(s.alone[at])
			s.sum[r] = w
			s.settle(int(r), w.load())
			return
		}
		s.take(s.sum, int(r), s.alone, at)
		if s.shared != nil {
			s.take(s.extra, int(r), s.shared, at)
		}
		s.settle(int(r), s.timed(int(r)))
		return
	}
	s.join(r, k, &s.need[at], -1)
}

// join puts a kernel on, or takes it off, a resource that is not shared in time.
func (s *Scorer) join(r, k int32, need *areaUnits, times int64) {
	if c := s.clocks[r]; c != nil && c.follows[k] {
		s.cycles[r].flip(k)
		s.period[r].flip(k)
	} else {
		s.ranked[r].flip(k)
	}
	if s.rule[r] == inArea {
		s.fill(r, need, times)
	}
	s.weigh(int(r))
}

// fill adds to the area in use, and checks Beard 2013, Eq. 10, for every kind.
func (s *Scorer) fill(r int32, need *areaUnits, times int64) {
	used, have := &s.area[r], &s.have[r]
	over := false
	for kind := range used {
		used[kind] += times * need[kind]
		over = over || used[kind] > have[kind]
	}
	if over != s.over[r] {
		s.over[r] = over
		if over {
			s.overfull++
		} else {
			s.overfull--
		}
	}
}

// cross sends an edge over a route.
func (s *Scorer) cross(e, route int32) {
	s.route[e] = route
	if route < firstRoute {
		if route == unjoined {
			s.unrouted++
		}
		return
	}
	for _, l := range s.hopsOn(route) {
		c := s.resources + int(l)
		s.count[c]++
		s.traffic = s.traffic.plus(s.volume[e])
		if s.rule[c] == inTime {
			s.add(s.sum, c, s.crossing, int(e)*s.links+int(l))
		} else {
			s.ranked[c].flip(e)
		}
		s.weigh(c)
	}
}

// uncross takes it off.
func (s *Scorer) uncross(e, route int32) {
	if route < firstRoute {
		if route == unjoined {
			s.unrouted--
		}
		return
	}
	for _, l := range s.hopsOn(route) {
		c := s.resources + int(l)
		s.count[c]--
		s.traffic = s.traffic.minus(s.volume[e])
		if s.rule[c] == inTime {
			s.take(s.sum, c, s.crossing, int(e)*s.links+int(l))
		} else {
			s.ranked[c].flip(e)
		}
		s.weigh(c)
	}
}

// add adds row number at of a table to sums of a constraint.
func (s *Scorer) add(sum []wide, constraint int, table []wide, at int) {
	if s.free == 1 {
		sum[constraint] = sum[constraint].plus(table[at])
		return
	}
	for f := range s.free {
		sum[constraint*s.free+f] = sum[constraint*s.free+f].plus(table[at*s.free+f])
	}
}

// take takes it away.
func (s *Scorer) take(sum []wide, constraint int, table []wide, at int) {
	if s.free == 1 {
		sum[constraint] = sum[constraint].minus(table[at])
		return
	}
	for f := range s.free {
		sum[constraint*s.free+f] = sum[constraint*s.free+f].minus(table[at*s.free+f])
	}
}

// weigh works out the load of a constraint from its members.
func (s *Scorer) weigh(c int) {
	switch s.rule[c] {
	case inTime:
		s.settle(c, s.timed(c))
	case equally:
		l := s.ranked[c].greatest()
		if s.costly[c] {
			l = s.costliest(c)
		}
		s.settle(c, l*float64(s.count[c]))
	default:
		l := s.ranked[c].greatest()
		if s.clocks[c] != nil { // the least clock of those there
			l = max(l, s.cycles[c].greatest()*s.period[c].greatest())
		}
		s.settle(c, l)
	}
}

// costliest is the greatest load of a member of equal sharing, with all of its costs, of the
// first free source.
func (s *Scorer) costliest(c int) float64 {
	most := 0.0
	s.ranked[c].each(func(member int32) { most = max(most, s.memberLoad(c, member, 0)) })
	return most
}

// memberLoad is what one member brings to a constraint that its members share equally, for a
// free source.
func (s *Scorer) memberLoad(c int, member int32, f int) float64 {
	if c >= s.resources {
		return s.crossing[(int(member)*s.links+c-s.resources)*s.free+f].load()
	}
	w := s.alone[(int(member)*s.resources+c)*s.free+f]
	if s.shared != nil && s.count[c] > 1 {
		w = w.plus(s.shared[(int(member)*s.resources+c)*s.free+f])
	}
	if s.anyEnds {
		for _, a := range s.arcsAt(member) {
			table := s.to
			if a.way != 0 {
				table = s.from
			}
			if int(s.place[a.other]) != c {
				w = w.plus(table[(int(a.edge)*s.resources+c)*s.free+f])
			}
		}
	}
	return w.load()
}

// timed is the load of a constraint that its members share in time, of the first free source;
// 0 where costs below 0, which measurement errors may leave, outweigh the others.
func (s *Scorer) timed(c int) float64 {
	w := s.sum[c*s.free]
	if s.shared != nil && c < s.resources && s.count[c] > 1 {
		w = w.plus(s.extra[c*s.free])
	}
	return w.load()
}

// settle notes a load. With several free sources loads are what the linear program says, and
// these mean nothing.
func (s *Scorer) settle(c int, load float64) {
	was := s.load[c]
	s.load[c], s.solved = load, false
	if load >= s.most {
		s.most, s.stale = load, false
	} else if was == s.most {
		s.stale = true
	}
}

// greatestOf is the greatest of numbers that are not negative, whose bits are in their order:
// without a branch for each.
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

// solveLP solves for several free sources: a row for each resource or link that
// is shared in time, a row for each member of the others.
func (s *Scorer) solveLP() {
	s.lp.reset(s.free)
	for c, rule := range s.rule {
		if s.count[c] == 0 {
			continue
		}
		if rule == inTime {
			row := s.row()
			s.loadRow(row, c)
			continue
		}
		s.ranked[c].each(func(member int32) { s.memberRow(s.row(), c, member, 1) })
		if c < s.resources && s.clocks[c] != nil {
			period := s.period[c].greatest()
			s.cycles[c].each(func(member int32) {
				s.memberRow(s.row(), c, member, s.problem.Figures[member][c].MaxClock*period)
			})
		}
	}
	s.flows.addSlackSources(&s.lp)
	s.lp.solve(s.flows.objective)
}

// row adds a row to the linear program.
func (s *Scorer) row() []float64 {
	for range s.free {
		s.lp.a = append(s.lp.a, 0)
	}
	s.lp.b = append(s.lp.b, s.phi)
	s.lp.rows++
	return s.lp.a[len(s.lp.a)-s.free:]
}

// loadRow is the load of a constraint that its members share in time, of each free source.
func (s *Scorer) loadRow(row []float64, c int) {
	for f := range row {
		w := s.sum[c*s.free+f]
		if c < s.resources && s.count[c] > 1 && s.shared != nil {
			w = w.plus(s.extra[c*s.free+f])
		}
		row[f] = w.float() * s.unit
	}
}

// memberRow is the load of a member that is limited on its own, times what sharing makes of it.
func (s *Scorer) memberRow(row []float64, c int, member int32, share float64) {
	if s.rule[c] == equally {
		for f := range row {
			row[f] = s.memberLoad(c, member, f) * s.unit * float64(s.count[c])
		}
		return
	}
	table, at := s.alone, int(member)*s.resources+c
	if c >= s.resources {
		table, at = s.crossing, int(member)*s.links+c-s.resources
	}
	for f := range row {
		row[f] = table[at*s.free+f].float() * s.unit * share
	}
}
