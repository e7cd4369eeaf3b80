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
	*scorerProblem

	place   []int32
	choice  []int16 // route alternative of each edge
	members []list  // of each resource: kernels; of each link: crossings
	next    []int32 // kernels, then crossings
	prev    []int32

	load     []float64 // per constraint × free source; the shared sum, or the largest member
	area     []Area    // in use, per resource
	over     []bool    // per resource: area exceeded
	unrouted int       // edges that cross resources without a route
	overfull int       // resources whose area is exceeded

	dirty   []int32 // constraints whose load is to be computed again
	isDirty []bool

	journal []change
	saved   []savedLoad
	savedAt []uint64 // per constraint: epoch of its saved load
	epoch   uint64

	lp    packing
	loads []float64
}

// scorerProblem is what all scorers of one problem share, read-only.
type scorerProblem struct {
	problem   *Problem
	flows     *Flows
	routes    *Routes
	phi       float64
	resources int
	incident  [][]int32 // edges of each kernel
	cost      []float64 // kernel × resource: 1/μ
	extra     []float64 // kernel × resource: switching and company, s/byte
	linkCost  []float64 // edge × link
	take      []float64 // kernel × resource: of an edge from another resource, s/byte; nil for none
	send      []float64 // likewise to another resource
}

// list heads a doubly linked list of members.
type list struct {
	head  int32
	count int32
}

// change is one journal entry; kernel is -1 for a change of route.
type change struct {
	kernel, edge int32
	old          int32
}

type savedLoad struct {
	constraint int32
	load       float64 // of the one free source
	area       Area
	over       bool
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
	s := &Scorer{scorerProblem: newScorerProblem(p, flows)}
	kernels, edges := len(p.Application.Kernels), len(p.Application.Edges)
	constraints := s.resources + len(p.Architecture.Links)
	s.place = make([]int32, kernels)
	s.choice = make([]int16, edges)
	s.members = make([]list, constraints)
	s.next = make([]int32, kernels+edges*maxRouteHops)
	s.prev = make([]int32, len(s.next))
	s.load = make([]float64, constraints*flows.Free)
	s.area = make([]Area, s.resources)
	s.over = make([]bool, s.resources)
	s.isDirty = make([]bool, constraints)
	s.savedAt = make([]uint64, constraints)
	s.loads = make([]float64, constraints)
	s.epoch = 1
	if err := s.Set(m); err != nil {
		return nil, err
	}
	return s, nil
}

func newScorerProblem(p *Problem, flows *Flows) *scorerProblem {
	kernels, edges := len(p.Application.Kernels), len(p.Application.Edges)
	resources, links := len(p.Architecture.Resources), len(p.Architecture.Links)
	sp := &scorerProblem{
		problem: p, flows: flows, routes: NewRoutes(&p.Architecture), phi: p.maxUtilization(),
		resources: resources,
		incident:  make([][]int32, kernels),
		cost:      make([]float64, kernels*resources),
		extra:     make([]float64, kernels*resources),
		linkCost:  make([]float64, edges*links),
	}
	for k := range kernels {
		for r := range resources {
			if p.Figures[k][r].Available {
				sp.cost[k*resources+r] = 1 / p.Figures[k][r].ServiceRate
				sp.extra[k*resources+r] = p.switchCost(k, r)
				sp.addEnds(k, r)
			}
		}
	}
	for e := range edges {
		edge := &p.Application.Edges[e]
		sp.incident[edge.From] = append(sp.incident[edge.From], int32(e))
		sp.incident[edge.To] = append(sp.incident[edge.To], int32(e))
		for l := range links {
			sp.linkCost[e*links+l] = p.Architecture.Links[l].cost(edge.ElementBytes)
		}
	}
	return sp
}

// addEnds takes in what the ends of crossing edges cost kernel k on resource r.
func (sp *scorerProblem) addEnds(k, r int) {
	fig := &sp.problem.Figures[k][r]
	if fig.TakeCost == 0 && fig.SendCost == 0 {
		return
	}
	if sp.take == nil {
		sp.take, sp.send = make([]float64, len(sp.cost)), make([]float64, len(sp.cost))
	}
	sp.take[k*sp.resources+r], sp.send[k*sp.resources+r] = fig.TakeCost, fig.SendCost
}

// Clone returns an independent scorer at the same mapping, with nothing to undo.
func (s *Scorer) Clone() *Scorer {
	c := *s
	c.place = slices.Clone(s.place)
	c.choice = slices.Clone(s.choice)
	c.members = slices.Clone(s.members)
	c.next, c.prev = slices.Clone(s.next), slices.Clone(s.prev)
	c.load = slices.Clone(s.load)
	c.area, c.over = slices.Clone(s.area), slices.Clone(s.over)
	c.dirty, c.isDirty = slices.Clone(s.dirty), slices.Clone(s.isDirty)
	c.savedAt = slices.Clone(s.savedAt)
	c.loads = slices.Clone(s.loads)
	c.journal, c.saved = nil, nil
	c.lp = packing{}
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
			return fmt.Errorf("setting a mapping: kernel %s is placed on resource %d, for which it has no implementation", app.Kernels[k].Name, r)
		}
	}
	for c := range s.members {
		s.members[c] = list{head: -1}
		s.markDirty(int32(c))
	}
	s.unrouted = 0
	for k, r := range m.Place {
		s.place[k] = int32(r)
		s.insert(int32(r), int32(k))
	}
	for e := range app.Edges {
		s.choice[e] = 0
		if e < len(m.Route) && len(m.Route[e]) > 0 {
			choice := slices.IndexFunc(s.alternatives(e), func(route []int) bool { return slices.Equal(route, m.Route[e]) })
			if choice < 0 {
				return fmt.Errorf("setting a mapping: edge %s cannot go over %s", app.Edges[e].Name, s.problem.Architecture.linkNames(m.Route[e]))
			}
			s.choice[e] = int16(choice)
		}
		s.cross(e)
	}
	s.Commit()
	return nil
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

// Alternatives returns how many routes an edge has to choose from as its ends
// are placed now; 0 when it stays inside one resource or has none.
func (s *Scorer) Alternatives(edge int) int { return len(s.alternatives(edge)) }

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

// Move places a kernel on another resource, for which it must have an
// implementation; its edges take their default routes.
func (s *Scorer) Move(kernel, resource int) {
	s.move(int32(kernel), int32(resource), true)
}

func (s *Scorer) move(kernel, resource int32, journal bool) {
	old := s.place[kernel]
	if old == resource {
		return
	}
	// The routes are journaled first, so that they are restored last.
	for _, e := range s.incident[kernel] {
		if journal && s.choice[e] != 0 {
			s.journal = append(s.journal, change{kernel: -1, edge: e, old: int32(s.choice[e])})
		}
		s.uncross(int(e))
		s.choice[e] = 0
	}
	if journal {
		s.journal = append(s.journal, change{kernel: kernel, old: old})
	}
	s.remove(old, kernel)
	s.place[kernel] = resource
	s.insert(resource, kernel)
	for _, e := range s.incident[kernel] {
		s.cross(int(e))
	}
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
	s.uncross(edge)
	s.choice[edge] = int16(alternative)
	s.cross(edge)
}

// Commit makes the present mapping the one that Undo returns to.
func (s *Scorer) Commit() {
	s.refresh() // what is saved from now on must be what holds now
	s.journal = s.journal[:0]
	s.saved = s.saved[:0]
	s.epoch++
}

// Undo takes back every change since the last Commit or Undo.
func (s *Scorer) Undo() {
	for i := len(s.journal) - 1; i >= 0; i-- {
		c := s.journal[i]
		if c.kernel >= 0 {
			s.move(c.kernel, c.old, false)
		} else {
			s.reroute(int(c.edge), int(c.old))
		}
	}
	// What had been computed before the changes holds again.
	for _, old := range s.saved {
		s.restore(&old)
	}
	s.Commit()
}

// Violations returns how many resources have their area exceeded and how many
// edges have no route.
func (s *Scorer) Violations() int {
	s.refresh()
	return s.unrouted + s.overfull
}

// Throughput returns Γ in bytes/s; 0 when there are violations or no flow, +Inf
// when nothing limits it.
func (s *Scorer) Throughput() float64 {
	s.refresh()
	if s.unrouted+s.overfull > 0 {
		return 0
	}
	if s.flows.Free == 1 {
		most := 0.0
		for _, l := range s.load {
			most = math.Max(most, l)
		}
		return s.flows.objective[0] * (s.phi / most)
	}
	s.solveLP()
	switch s.lp.status {
	case packed:
		return s.lp.value()
	case packingUnbounded:
		return math.Inf(1)
	}
	return 0
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
	if s.flows.Free == 1 {
		z := total / s.flows.objective[0]
		for c, l := range s.load {
			s.loads[c] = l * z
		}
		return s.loads
	}
	for c := range s.members {
		s.loads[c] = s.loadAt(c, s.lp.z)
	}
	return s.loads
}

func (s *Scorer) alternatives(edge int) [][]int {
	e := &s.problem.Application.Edges[edge]
	return s.routes.Between(int(s.place[e.From]), int(s.place[e.To]))
}

// cross enters an edge into the links of its route.
func (s *Scorer) cross(edge int) {
	e := &s.problem.Application.Edges[edge]
	if s.place[e.From] == s.place[e.To] {
		return
	}
	route := s.Route(edge)
	if route == nil {
		s.unrouted++
		return
	}
	for hop, l := range route {
		s.insert(int32(s.resources+l), s.crossing(edge, hop))
	}
}

// uncross takes an edge out of the links of its route.
func (s *Scorer) uncross(edge int) {
	e := &s.problem.Application.Edges[edge]
	if s.place[e.From] == s.place[e.To] {
		return
	}
	route := s.Route(edge)
	if route == nil {
		s.unrouted--
		return
	}
	for hop, l := range route {
		s.remove(int32(s.resources+l), s.crossing(edge, hop))
	}
}

// crossing is the list node of an edge on one hop of its route.
func (s *Scorer) crossing(edge, hop int) int32 {
	return int32(len(s.place) + edge*maxRouteHops + hop)
}

func (s *Scorer) insert(constraint, node int32) {
	l := &s.members[constraint]
	s.next[node], s.prev[node] = l.head, -1
	if l.head >= 0 {
		s.prev[l.head] = node
	}
	l.head = node
	l.count++
	s.markDirty(constraint)
}

func (s *Scorer) remove(constraint, node int32) {
	l := &s.members[constraint]
	if p := s.prev[node]; p >= 0 {
		s.next[p] = s.next[node]
	} else {
		l.head = s.next[node]
	}
	if n := s.next[node]; n >= 0 {
		s.prev[n] = s.prev[node]
	}
	l.count--
	s.markDirty(constraint)
}

func (s *Scorer) markDirty(constraint int32) {
	if !s.isDirty[constraint] {
		s.isDirty[constraint] = true
		s.dirty = append(s.dirty, constraint)
	}
}

// refresh computes the loads that changes have made stale. They are summed anew
// from the members, so that no rounding builds up over millions of moves.
func (s *Scorer) refresh() {
	for _, c := range s.dirty {
		if !s.isDirty[c] {
			continue // restored by Undo
		}
		s.isDirty[c] = false
		s.save(c)
		if int(c) < s.resources {
			s.loadResource(int(c))
		} else {
			s.loadLink(int(c))
		}
	}
	s.dirty = s.dirty[:0]
}

// save keeps the load of a constraint as it was at the last Commit.
func (s *Scorer) save(c int32) {
	if s.savedAt[c] == s.epoch || s.flows.Free != 1 {
		return
	}
	s.savedAt[c] = s.epoch
	old := savedLoad{constraint: c, load: s.load[c]}
	if int(c) < s.resources {
		old.area, old.over = s.area[c], s.over[c]
	}
	s.saved = append(s.saved, old)
}

// restore brings a saved load back. With several free sources nothing is saved,
// and the constraint is computed again.
func (s *Scorer) restore(old *savedLoad) {
	c := old.constraint
	s.load[c] = old.load
	if int(c) < s.resources {
		s.area[c] = old.area
		s.setOver(int(c), old.over)
	}
	s.isDirty[c] = false
}

func (s *Scorer) setOver(r int, over bool) {
	if over == s.over[r] {
		return
	}
	s.over[r] = over
	if over {
		s.overfull++
	} else {
		s.overfull--
	}
}

// loadResource computes the load of a resource and the area in use.
func (s *Scorer) loadResource(r int) {
	res := &s.problem.Architecture.Resources[r]
	members := s.members[r]
	free := s.flows.Free
	load := s.load[r*free : (r+1)*free]
	clear(load)
	shared := members.count > 1
	for k := members.head; k >= 0; k = s.next[k] {
		at := int(k)*s.resources + r
		cost := s.cost[at]
		if res.Sharing.Rule == Conserving {
			if shared {
				cost += s.extra[at]
			}
			for f, a := range s.flows.Arrival(int(k)) {
				load[f] += a * cost
			}
			if s.take != nil {
				s.loadEnds(load, k, r)
			}
			continue
		}
		if free == 1 {
			load[0] = math.Max(load[0], s.flows.arrive[k]*cost)
		}
	}
	if res.Sharing.Rule == Equal && free == 1 {
		load[0] *= float64(members.count)
	}
	if res.Sharing.Rule == AreaOnly {
		s.area[r] = s.areaOf(r)
		s.setOver(r, exceeds(&s.area[r], &res.Area))
	}
}

// loadEnds adds to the load of resource r what the ends of the edges of kernel k cost
// there that lead to other resources. Only moves into and out of r change that.
func (s *Scorer) loadEnds(load []float64, k int32, r int) {
	take, send := s.take[int(k)*s.resources+r], s.send[int(k)*s.resources+r]
	if take == 0 && send == 0 {
		return
	}
	for _, e := range s.incident[k] {
		edge := &s.problem.Application.Edges[e]
		if s.place[edge.From] == s.place[edge.To] {
			continue
		}
		cost := take
		if edge.From == int(k) {
			cost = send
		}
		for f, a := range s.flows.Edge(int(e)) {
			load[f] += a * cost
		}
	}
}

func (s *Scorer) areaOf(r int) Area {
	var used Area
	for k := s.members[r].head; k >= 0; k = s.next[k] {
		for kind, need := range &s.problem.Figures[k][r].Area {
			used[kind] += need
		}
	}
	return used
}

// exceeds checks Beard 2013, Eq. 10, for every kind of area.
func exceeds(used, have *Area) bool {
	for kind := range used {
		if used[kind] > have[kind]*(1+areaRounding) {
			return true
		}
	}
	return false
}

// loadLink computes the load of a link.
func (s *Scorer) loadLink(c int) {
	l := c - s.resources
	links := len(s.problem.Architecture.Links)
	rule := s.problem.Architecture.Links[l].Sharing.Rule
	members := s.members[c]
	free := s.flows.Free
	load := s.load[c*free : (c+1)*free]
	clear(load)
	for node := members.head; node >= 0; node = s.next[node] {
		e := s.edgeOf(node)
		cost := s.linkCost[e*links+l]
		if rule != Equal {
			for f, a := range s.flows.Edge(e) {
				load[f] += a * cost
			}
			continue
		}
		if free == 1 {
			load[0] = math.Max(load[0], s.flows.edge[e]*cost)
		}
	}
	if rule == Equal && free == 1 {
		load[0] *= float64(members.count)
	}
}

func (s *Scorer) edgeOf(node int32) int { return (int(node) - len(s.place)) / maxRouteHops }

// solveLP solves for several free sources: a row for each resource or link that
// is shared in time, a row for each member of the others.
func (s *Scorer) solveLP() {
	s.lp.reset(s.flows.Free)
	for c := range s.members {
		if s.members[c].count == 0 {
			continue
		}
		if s.sharesTime(c) {
			s.lp.add(s.load[c*s.flows.Free:(c+1)*s.flows.Free], s.phi)
			continue
		}
		for node := s.members[c].head; node >= 0; node = s.next[node] {
			arrival, cost := s.member(c, node)
			s.lp.add(arrival, s.phi)
			row := s.lp.a[len(s.lp.a)-len(arrival):]
			for f := range row {
				row[f] *= cost
			}
		}
	}
	s.flows.addSlackSources(&s.lp)
	s.lp.solve(s.flows.objective)
}

// sharesTime reports whether the members of a constraint share one limit.
func (s *Scorer) sharesTime(c int) bool {
	if c < s.resources {
		return s.problem.Architecture.Resources[c].Sharing.Rule == Conserving
	}
	return s.problem.Architecture.Links[c-s.resources].Sharing.Rule != Equal
}

// member returns the arrival rate of a member that is limited on its own, and
// the utilization per byte/s.
func (s *Scorer) member(c int, node int32) (arrival []float64, cost float64) {
	share := 1.0
	if c < s.resources {
		if s.problem.Architecture.Resources[c].Sharing.Rule == Equal {
			share = float64(s.members[c].count)
		}
		return s.flows.Arrival(int(node)), s.cost[int(node)*s.resources+c] * share
	}
	e := s.edgeOf(node)
	links := len(s.problem.Architecture.Links)
	share = float64(s.members[c].count) // of the rules for links, only equal has limits of single members
	return s.flows.Edge(e), s.linkCost[e*links+c-s.resources] * share
}

// loadAt is the utilization of a constraint when the free sources inject z.
func (s *Scorer) loadAt(c int, z []float64) float64 {
	if s.sharesTime(c) {
		return dot(s.load[c*s.flows.Free:(c+1)*s.flows.Free], z)
	}
	most := 0.0
	for node := s.members[c].head; node >= 0; node = s.next[node] {
		arrival, cost := s.member(c, node)
		most = math.Max(most, dot(arrival, z)*cost)
	}
	return most
}
