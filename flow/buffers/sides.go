package buffers

import "math"

// side represents all stations on one side of an edge, as seen from the edge.
type side struct {
	load float64 // utilization of the busiest server
	scv  float64 // squared coefficient of variation of the times between firings
}

// prepare computes the tables that do not depend on the mapping.
func (s *Sizer) prepare() {
	app := &s.problem.Application
	kernels, resources := len(app.Kernels), len(s.members)
	s.scv = make([]float64, kernels*resources)
	for k := range app.Kernels {
		for r := range resources {
			s.scv[k*resources+r] = variation(&s.problem.Figures[k][r])
		}
	}
	s.before, s.behind = make([]side, kernels), make([]side, kernels)
	s.in, s.out = make([][]int, kernels), make([][]int, kernels)
	for e := range app.Edges {
		edge := &app.Edges[e]
		if !s.flows.Back[e] && s.flows.Grain(e).Sends > 0 {
			s.in[edge.To], s.out[edge.From] = append(s.in[edge.To], e), append(s.out[edge.From], e)
		}
	}
}

// follow computes both sides of all kernels. The output of a kernel has the variation of its service times while the
// kernel is busy, and otherwise the variation of its arrivals:
//
//	c² = ρ²·cs² + (1-ρ²)·ca²
//
// (Marshall 1968, as in Whitt's queueing network analyzer 1983). Freed space moves from the readers to the writers by
// the same rule.
func (s *Sizer) follow() {
	order := s.flows.Order
	for _, k := range order {
		x := side{load: s.load[k], scv: s.own(k)}
		arrivals := -1.0
		for _, e := range s.in[k] {
			from := s.problem.Application.Edges[e].From
			x.load = math.Max(x.load, math.Max(s.before[from].load, s.onWay(e)))
			grain := s.flows.Grain(e)
			arrivals = math.Max(arrivals, sending(grain, s.before[from].scv)/grain.Consumes)
		}
		x.mix(s.load[k], arrivals)
		s.before[k] = x
	}
	for i := len(order) - 1; i >= 0; i-- {
		k := order[i]
		x := side{load: s.load[k], scv: s.own(k)}
		room := -1.0
		for _, e := range s.out[k] {
			to := s.problem.Application.Edges[e].To
			x.load = math.Max(x.load, math.Max(s.behind[to].load, s.onWay(e)))
			grain := s.flows.Grain(e)
			room = math.Max(room, grain.Consumes*s.behind[to].scv/math.Max(1, grain.Sends))
		}
		x.mix(s.load[k], room)
		s.behind[k] = x
	}
}

// mix adds the variation of the events for which a kernel waits. A negative value of waits means that there are none.
func (x *side) mix(load, waits float64) {
	if waits >= 0 {
		rho := math.Min(1, load)
		x.scv = rho*rho*x.scv + (1-rho*rho)*waits
	}
}

// own returns the squared coefficient of variation of a kernel's service times.
func (s *Sizer) own(k int) float64 { return s.scv[k*len(s.members)+s.at.Resource(k)] }

// onWay returns the utilization of the busiest link that an edge crosses.
func (s *Sizer) onWay(e int) float64 {
	maximum := 0.0
	for _, l := range s.at.Route(e) {
		load := s.at.LinkLoad(e, l)
		maximum = math.Max(maximum, load.Total)
	}
	return maximum
}

// busy returns the lower utilization of the two sides of an edge. One side is the busiest kernel before the edge. The
// other side is the busiest kernel or link after the edge. If pair is true, busy considers only the two kernels of the
// edge.
func (s *Sizer) busy(e int, pair bool) float64 {
	edge := &s.problem.Application.Edges[e]
	first, second := s.before[edge.From].load, s.behind[edge.To].load
	if pair {
		first, second = s.load[edge.From], s.load[edge.To]
	}
	if first < second {
		first, second = second, first
	}
	return math.Min(1, math.Max(second, math.Min(first, s.onWay(e))))
}

// variance returns the variance per element that both sides of an edge contribute, in squares of the mean time
// of an element.
func (s *Sizer) variance(e int, pair bool) float64 {
	edge := &s.problem.Application.Edges[e]
	grain := s.flows.Grain(e)
	if pair {
		return grain.Consumes*s.own(edge.To) + sending(grain, s.own(edge.From))
	}
	return grain.Consumes*s.behind[edge.To].scv + sending(grain, s.before[edge.From].scv)
}
