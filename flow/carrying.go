package flow

import (
	"slices"

	"xopt/queueing/int128"
)

// Work is the additional time that a core needs to send or receive the data of an edge over a link, such as for TCP.
// This time adds to the load of the core. A link may lead directly into another link, as at a switch. The first link of
// a route then has the send work, and the last link has the receive work.
type Work struct {
	PerByte, PerElement           float64  // s; 0 if unknown
	ByteInterval, ElementInterval Interval // 95 % confidence intervals; zero if unknown
}

// For returns the work in s per byte, for elements of the given size.
func (w Work) For(elementBytes float64) float64 { return w.PerByte + w.PerElement/elementBytes }

// atEnd returns the work at one end of its intervals.
func (w Work) atEnd(bound Bound) Work {
	w.PerByte = w.ByteInterval.cost(w.PerByte, bound)
	w.PerElement = w.ElementInterval.cost(w.PerElement, bound)
	return w
}

// HasWork reports whether data on the link cause work on cores.
func (l *Link) HasWork() bool {
	return l.Sends.PerByte+l.Sends.PerElement+l.Receives.PerByte+l.Receives.PerElement > 0
}

// Sending returns the work of the writer's core in s per byte of an edge on a route.
func (p *Problem) Sending(edge int, route []int) float64 {
	if len(route) == 0 {
		return 0
	}
	return p.Architecture.Links[route[0]].Sends.For(p.Application.Edges[edge].ElementBytes)
}

// Receiving returns the work of the reader's core in s per byte of an edge on a route.
func (p *Problem) Receiving(edge int, route []int) float64 {
	if len(route) == 0 {
		return 0
	}
	return p.Architecture.Links[route[len(route)-1]].Receives.For(p.Application.Edges[edge].ElementBytes)
}

// carryingTables contains the costs of an edge on a link: sends for the writer's core, and receives for the reader's
// core. The costs are per byte/s of each free source, with the shape edge × link × F. Both tables are nil if all costs
// are 0.
type carryingTables struct{ sends, receives []int128.Int }

// carryingLoads computes the tables in floating point.
func (t *scorerTables) carryingLoads(x *floatLoads) {
	p, n := t.Problem, t.free
	if !slices.ContainsFunc(p.Architecture.Links, func(l Link) bool {
		return l.Sends != Work{} || l.Receives != Work{}
	}) {
		return
	}
	x.sends, x.receives = make([]float64, x.edges*t.links*n), make([]float64, x.edges*t.links*n)
	for e := range x.edges {
		for l := range t.links {
			at, excess := (e*t.links+l)*n, []int{l}
			for f, w := range t.Flows.Edge(e) {
				x.sends[at+f], x.receives[at+f] = w*p.Sending(e, excess), w*p.Receiving(e, excess)
			}
		}
	}
}

// carried returns the rows of both tables for an edge on a route, or false if the edge causes no work.
func (t *scorerTables) carried(e, route int32) (sends, receives int, ok bool) {
	if t.carrying.sends == nil || route < firstRoute {
		return 0, 0, false
	}
	hops, row := t.hopsOn(route), int(e)*t.links
	return row + int(hops[0]), row + int(hops[len(hops)-1]), true
}

// carry adds the work for an edge on a route to the cores at both ends.
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

// uncarry removes the work for an edge on a route from the cores at both ends.
func (s *Scorer) uncarry(e, route, from, to int32) {
	sends, receives, ok := s.carried(e, route)
	if !ok {
		return
	}
	if s.rule[from] != inArea {
		s.subtract(s.sum, int(from), s.carrying.sends, sends)
	}
	if s.rule[to] != inArea {
		s.subtract(s.sum, int(to), s.carrying.receives, receives)
	}
}

// moveCarried moves the carrying work for the edges of a kernel from its old resource to its new resource. It runs
// before the routes change to the default routes.
func (s *Scorer) moveCarried(arcs []arc, from, to int32, defaults []int32) {
	for _, a := range arcs {
		q := s.place[a.other]
		was, now := s.route[a.edge], defaults[a.way+q]
		if a.way != 0 { // the kernel is the writer
			s.uncarry(a.edge, was, from, q)
			s.carry(a.edge, now, to, q)
		} else {
			s.uncarry(a.edge, was, q, from)
			s.carry(a.edge, now, q, to)
		}
	}
}

// workRow returns the table and the row with the work that an edge of a kernel adds to its core. It returns false if
// the edge adds no work.
func (s *Scorer) workRow(a arc) (table []int128.Int, row int, ok bool) {
	sends, receives, ok := s.carried(a.edge, s.route[a.edge])
	if a.way != 0 {
		return s.carrying.sends, sends, ok
	}
	return s.carrying.receives, receives, ok
}
