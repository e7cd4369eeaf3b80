package flow

import "xopt/queueing/int128"

// Work is what a core has to do beside its kernels for data that an edge brings in, or takes away, over a link: to send
// and to receive them over a network, as TCP does. It takes turns with the kernels of the core, and counts as load of
// it. Where a link leads into another, as at a switch, only the first of a route has sending to do, and only the last
// receiving.
type Work struct {
	PerByte, PerElement           float64  // s; 0 when not known
	ByteInterval, ElementInterval Interval // 95 % confidence intervals; none when not known
}

// For is the work for a byte in elements of a size, in s.
func (w Work) For(elementBytes float64) float64 { return w.PerByte + w.PerElement/elementBytes }

// atEnd is the work at an end of its intervals.
func (w Work) atEnd(end End) Work {
	w.PerByte = w.ByteInterval.cost(w.PerByte, end)
	w.PerElement = w.ElementInterval.cost(w.PerElement, end)
	return w
}

// HasWork reports whether what crosses the link gives cores work.
func (l *Link) HasWork() bool {
	return l.Sends.PerByte+l.Sends.PerElement+l.Receives.PerByte+l.Receives.PerElement > 0
}

// Sending is the work for a byte of an edge at the core of its writer when it takes a route, Receiving that at the core
// of its reader, in s.
func (p *Problem) Sending(edge int, route []int) float64 {
	if len(route) == 0 {
		return 0
	}
	return p.Architecture.Links[route[0]].Sends.For(p.Application.Edges[edge].ElementBytes)
}

// Receiving is as Sending.
func (p *Problem) Receiving(edge int, route []int) float64 {
	if len(route) == 0 {
		return 0
	}
	return p.Architecture.Links[route[len(route)-1]].Receives.For(p.Application.Edges[edge].ElementBytes)
}

// carryingTables are, of all edges and links, what sending over the link costs the core of the writer, and receiving
// that of the reader, per byte/s of each free source: edge × link × F. Both are nil where nothing costs anything.
type carryingTables struct{ sends, receives []int128.Int }

// carryingLoads works them out in floating point.
func (t *scorerTables) carryingLoads(x *floatLoads) {
	p, n := t.Problem, t.free
	x.sends, x.receives = make([]float64, x.edges*t.links*n), make([]float64, x.edges*t.links*n)
	for e := range x.edges {
		for l := range t.links {
			at, over := (e*t.links+l)*n, []int{l}
			for f, w := range t.Flows.Edge(e) {
				x.sends[at+f], x.receives[at+f] = w*p.Sending(e, over), w*p.Receiving(e, over)
			}
		}
	}
}

// carried finds the rows of both tables for an edge on a route; false where it costs nothing.
func (t *scorerTables) carried(e, route int32) (sends, receives int, ok bool) {
	if t.carrying.sends == nil || route < firstRoute {
		return 0, 0, false
	}
	hops, row := t.hopsOn(route), int(e)*t.links
	return row + int(hops[0]), row + int(hops[len(hops)-1]), true
}

// carry has the cores of both ends do the work for an edge on a route.
func (s *Scorer) carry(e, route, from, to int32) {
	sends, receives, ok := s.carried(e, route)
	if !ok {
		return
	}
	if s.rule[from] != inArea {
		s.add(s.sum, int(from), s.carrying.sends, sends)
	}
	if s.rule[to] != inArea {
		s.add(s.sum, int(to), s.carrying.receives, receives)
	}
}

// uncarry takes it from them.
func (s *Scorer) uncarry(e, route, from, to int32) {
	sends, receives, ok := s.carried(e, route)
	if !ok {
		return
	}
	if s.rule[from] != inArea {
		s.take(s.sum, int(from), s.carrying.sends, sends)
	}
	if s.rule[to] != inArea {
		s.take(s.sum, int(to), s.carrying.receives, receives)
	}
}

// moveCarried moves the work for the edges of a kernel that goes from one resource to another, before their routes are
// changed to what defaults holds.
func (s *Scorer) moveCarried(arcs []arc, from, to int32, defaults []int32) {
	for _, a := range arcs {
		q := s.place[a.other]
		was, now := s.route[a.edge], defaults[a.way+q]
		if a.way != 0 { // it writes
			s.uncarry(a.edge, was, from, q)
			s.carry(a.edge, now, to, q)
		} else {
			s.uncarry(a.edge, was, q, from)
			s.carry(a.edge, now, q, to)
		}
	}
}

// workRow is the table and its row of the work that an edge of a kernel gives its core; false for none.
func (s *Scorer) workRow(a arc) (table []int128.Int, row int, ok bool) {
	sends, receives, ok := s.carried(a.edge, s.route[a.edge])
	if a.way != 0 {
		return s.carrying.sends, sends, ok
	}
	return s.carrying.receives, receives, ok
}
