package flow

import "xopt/queueing/int128"

// This file implements the moves of a Scorer. A move changes the sums and loads of the old and the new resource or
// link. scorerundo.go reverts moves.

// Move places a kernel on another resource, and its edges on their default routes. The kernel must have an
// implementation for the resource.
func (s *Scorer) Move(kernel, resource int) {
	k := int32(kernel)
	old := s.place[kernel]
	if old == int32(resource) {
		return
	}
	if s.chosen > 0 {
		for _, a := range s.arcsAt(k) {
			if s.choice[a.edge] != 0 {
				s.choose(a.edge, 0)
			}
		}
	}
	s.undo.moved = append(s.undo.moved, wasAt{k, old})
	s.move(k, int32(resource))
}

// move is like Move, for a kernel whose edges already use their default routes.
func (s *Scorer) move(k, to int32) {
	from := s.place[k]
	s.place[k] = to
	s.leave(from, k)
	s.enter(to, k)
	if s.contention != nil {
		s.contention.leave(from, k)
		s.contention.enter(to, k)
	}
	arcs := s.arcsAt(k)
	if s.anyEnds {
		s.moveEnds(arcs, from, to)
	}
	row := s.defaults[int(to)*s.resources:]
	if s.carrying.sends != nil {
		s.moveCarried(arcs, from, to, row)
	}
	for _, a := range arcs {
		if was, now := s.route[a.edge], row[a.way+s.place[a.other]]; was != now {
			s.undo.rerouted = append(s.undo.rerouted, wasAt{a.edge, was})
			s.uncross(a.edge, was)
			s.cross(a.edge, now)
			if s.carrying.sends != nil {
				s.touch(int(s.place[a.other]))
			}
		}
	}
}

// Exceeds reports whether the load of a core would be at least limit with the kernels in join and without the kernels
// in leave. It returns false if the load also depends on the places of other kernels. It does not change the mapping.
func (s *Scorer) Exceeds(resource int, join, leave []int, limit float64) bool {
	if !s.simple || s.anyEnds || s.carrying.sends != nil || s.contention != nil || s.rule[resource] != inTime {
		return false
	}
	sum := s.sum[resource]
	for _, k := range join {
		sum = sum.Plus(s.alone[k*s.resources+resource])
	}
	for _, k := range leave {
		sum = sum.Minus(s.alone[k*s.resources+resource])
	}
	return sum.Load() >= limit
}

// moveEnds moves the receive and send costs of a kernel's crossing edges when the kernel moves from one resource to
// another. Both resources must be marked as touched.
func (s *Scorer) moveEnds(arcs []arc, from, to int32) {
	for _, a := range arcs {
		near, far := s.to, s.from // costs of the kernel's own end, and of the other end
		if a.way != 0 {
			near, far = s.from, s.to
		}
		q := s.place[a.other]
		row := int(a.edge) * s.resources
		if from != q {
			s.subtract(s.sum, int(from), near, row+int(from))
		}
		if to != q {
			s.add(s.sum, int(to), near, row+int(to))
		}
		if from == q {
			s.add(s.sum, int(q), far, row+int(q))
		} else if to == q {
			s.subtract(s.sum, int(q), far, row+int(q))
		}
	}
}

// Reroute changes the route of an edge to another of its alternatives.
func (s *Scorer) Reroute(edge, alternative int) {
	if int(s.choice[edge]) == alternative {
		return
	}
	s.choose(int32(edge), alternative)
	e := &s.Problem.Application.Edges[edge]
	from, to, was := s.place[e.From], s.place[e.To], s.route[edge]
	s.undo.rerouted = append(s.undo.rerouted, wasAt{int32(edge), was})
	s.uncarry(int32(edge), was, from, to)
	s.uncross(int32(edge), was)
	s.cross(int32(edge), s.chosenRoute(edge))
	if s.carrying.sends != nil {
		s.carry(int32(edge), s.route[edge], from, to)
		s.touch(int(from))
		s.touch(int(to))
	}
}

// choose records the alternative that an edge uses.
func (s *Scorer) choose(edge int32, alternative int) {
	was := s.choice[edge]
	s.undo.chosen = append(s.undo.chosen, wasAt{edge, int32(was)})
	if was != 0 {
		s.chosen--
	}
	if s.choice[edge] = int16(alternative); alternative != 0 {
		s.chosen++
	}
}

func (s *Scorer) alternatives(edge int) [][]int {
	e := &s.Problem.Application.Edges[edge]
	return s.Routes.Between(int(s.place[e.From]), int(s.place[e.To]))
}

// chosenRoute returns the number of the route that an edge uses.
func (s *Scorer) chosenRoute(edge int) int32 {
	e := &s.Problem.Application.Edges[edge]
	pair := int(s.place[e.From])*s.resources + int(s.place[e.To])
	if s.choice[edge] == 0 {
		return s.defaults[int(s.outward())+pair]
	}
	return s.ways[s.pairs[pair].first+int32(s.choice[edge])]
}

// enter adds a kernel to a resource.
func (s *Scorer) enter(r, k int32) {
	at := int(k)*s.resources + int(r)
	s.touch(int(r))
	s.count[r]++
	if s.rule[r] == inTime {
		if s.simple {
			s.sum[r] = s.sum[r].Plus(s.alone[at])
			return
		}
		s.add(s.sum, int(r), s.alone, at)
		if s.shared != nil {
			s.add(s.extra, int(r), s.shared, at)
		}
		return
	}
	s.join(r, k, &s.need[at], 1)
}

// leave removes a kernel from a resource.
func (s *Scorer) leave(r, k int32) {
	at := int(k)*s.resources + int(r)
	s.touch(int(r))
	s.count[r]--
	if s.rule[r] == inTime {
		if s.simple {
			s.sum[r] = s.sum[r].Minus(s.alone[at])
			return
		}
		s.subtract(s.sum, int(r), s.alone, at)
		if s.shared != nil {
			s.subtract(s.extra, int(r), s.shared, at)
		}
		return
	}
	s.join(r, k, &s.need[at], -1)
}

// join adds a kernel to a resource that is not shared in time if times is 1, and removes the kernel if times is -1.
func (s *Scorer) join(r, k int32, need *areaUnits, times int64) {
	s.flip(r, k)
	if s.rule[r] == inArea {
		s.fill(r, need, times)
	}
}

// flip adds a kernel to the ordered members of a resource, or removes it.
func (s *Scorer) flip(r, k int32) {
	if c := s.clocks[r]; c != nil && c.follows[k] {
		s.cycles[r].flip(k)
		s.period[r].flip(k)
	} else {
		s.ranked[r].flip(k)
	}
}

// fill changes the area in use, and checks Beard 2013, Eq. 10, for every kind of area.
func (s *Scorer) fill(r int32, need *areaUnits, times int64) {
	used, have := &s.area[r], &s.have[r]
	exceeded := false
	for kind := range used {
		used[kind] += times * need[kind]
		exceeded = exceeded || used[kind] > have[kind]
	}
	if exceeded != s.exceeded[r] {
		s.exceeded[r] = exceeded
		if exceeded {
			s.overfull++
		} else {
			s.overfull--
		}
	}
}

// cross adds an edge to the links of a route.
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
		s.touch(c)
		s.count[c]++
		s.traffic = s.traffic.Plus(s.volume[e])
		if s.rule[c] == inTime {
			s.add(s.sum, c, s.crossing, int(e)*s.links+int(l))
		} else {
			s.ranked[c].flip(e)
		}
	}
}

// uncross removes an edge from the links of its route.
func (s *Scorer) uncross(e, route int32) {
	if route < firstRoute {
		if route == unjoined {
			s.unrouted--
		}
		return
	}
	for _, l := range s.hopsOn(route) {
		c := s.resources + int(l)
		s.touch(c)
		s.count[c]--
		s.traffic = s.traffic.Minus(s.volume[e])
		if s.rule[c] == inTime {
			s.subtract(s.sum, c, s.crossing, int(e)*s.links+int(l))
		} else {
			s.ranked[c].flip(e)
		}
	}
}

// add adds row at of a table to the sums of a constraint.
func (s *Scorer) add(sum []int128.Int, constraint int, table []int128.Int, at int) {
	if s.free == 1 {
		sum[constraint] = sum[constraint].Plus(table[at])
		return
	}
	for f := range s.free {
		sum[constraint*s.free+f] = sum[constraint*s.free+f].Plus(table[at*s.free+f])
	}
}

// subtract subtracts row at of a table from the sums of a constraint.
func (s *Scorer) subtract(sum []int128.Int, constraint int, table []int128.Int, at int) {
	if s.free == 1 {
		sum[constraint] = sum[constraint].Minus(table[at])
		return
	}
	for f := range s.free {
		sum[constraint*s.free+f] = sum[constraint*s.free+f].Minus(table[at*s.free+f])
	}
}

// weigh computes the load of a constraint from its members.
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
		if s.clocks[c] != nil { // the lowest clock of its kernels
			l = max(l, s.cycles[c].greatest()*s.period[c].greatest())
		}
		s.settle(c, l)
	}
}

// costliest returns the largest load of a member under equal sharing, including all of its costs, for the first free
// source.
func (s *Scorer) costliest(c int) float64 {
	maximum := 0.0
	s.ranked[c].each(func(member int32) { maximum = max(maximum, s.memberLoad(c, member, 0)) })
	return maximum
}

// memberLoad returns the load of one member of an equally shared constraint, for a free source.
func (s *Scorer) memberLoad(c int, member int32, f int) float64 {
	if c >= s.resources {
		return s.crossing[(int(member)*s.links+c-s.resources)*s.free+f].Load()
	}
	w := s.alone[(int(member)*s.resources+c)*s.free+f]
	if s.shared != nil && s.count[c] > 1 {
		w = w.Plus(s.shared[(int(member)*s.resources+c)*s.free+f])
	}
	if s.anyEnds {
		for _, a := range s.arcsAt(member) {
			table := s.to
			if a.way != 0 {
				table = s.from
			}
			if int(s.place[a.other]) != c {
				w = w.Plus(table[(int(a.edge)*s.resources+c)*s.free+f])
			}
		}
	}
	if s.carrying.sends != nil && s.rule[c] != inArea {
		for _, a := range s.arcsAt(member) {
			if table, row, ok := s.workRow(a); ok {
				w = w.Plus(table[row*s.free+f])
			}
		}
	}
	return w.Load()
}

// timed returns the load of a time-shared constraint, for the first free source. It is 0 if negative costs exceed the
// positive costs. Measurement errors may cause negative costs.
func (s *Scorer) timed(c int) float64 {
	w := s.sum[c*s.free]
	if s.shared != nil && c < s.resources && s.count[c] > 1 {
		w = w.Plus(s.extra[c*s.free])
	}
	return w.Load()
}

// settle stores a load. With several free sources, the linear program computes the loads, and this load is unused.
func (s *Scorer) settle(c int, load float64) {
	was := s.load[c]
	s.load[c] = load
	if load >= s.max {
		s.max, s.stale = load, false
	} else if was == s.max {
		s.stale = true
	}
}
