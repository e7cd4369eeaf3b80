package flow

import (
	"math"

	"xopt/queueing/int128"
)

// StationLoad is the load of one station at the throughput of the scorer's mapping.
type StationLoad struct {
	Rate  float64 // λ, bytes/s
	Own   float64 // utilization of its server by this station alone
	Total float64 // utilization by all stations that share the server in time; Own if the station is alone
}

// Operate computes the state at the throughput of the mapping, and returns this throughput in bytes/s. KernelLoad,
// LinkLoad and EdgeRate return this state until the next change. There is no state if the throughput is 0 or unbounded.
func (s *Scorer) Operate() float64 {
	total := s.Throughput()
	if total == 0 || math.IsInf(total, 1) {
		return total
	}
	if s.free == 1 {
		s.inject = append(s.inject[:0], s.phi/s.greatest()/s.unit)
	} else {
		s.inject = append(s.inject[:0], s.lp.z...)
	}
	s.Loads()
	return total
}

// Resource returns the resource of a kernel.
func (s *Scorer) Resource(kernel int) int { return int(s.place[kernel]) }

// EdgeRate returns the flow on an edge, in bytes/s.
func (s *Scorer) EdgeRate(edge int) float64 { return dot(s.Flows.Edge(edge), s.inject) }

// KernelLoad returns the state of a kernel on its resource as a station.
func (s *Scorer) KernelLoad(kernel int) StationLoad {
	r := int(s.place[kernel])
	at := kernel*s.resources + r
	l := StationLoad{Rate: dot(s.Flows.Arrival(kernel), s.inject), Own: s.weight(s.alone, at), Total: s.loads[r]}
	if s.contention != nil && s.free == 1 {
		flow := s.inject[0] * s.unit
		l.Own += s.contention.squareOfMember(kernel, r) * flow * flow
	}
	switch s.rule[r] {
	case equally:
		l.Own = (l.Own + s.costsOf(kernel, r)) * float64(s.count[r])
		l.Total = l.Own
	case inArea:
		if c := s.clocks[r]; c != nil && c.follows[kernel] {
			l.Own *= s.Problem.Figures[kernel][r].MaxClock * s.period[r].greatest()
		}
		l.Total = l.Own
	default:
		l.Own += s.costsOf(kernel, r)
	}
	return l
}

// costsOf returns the load of switching, co-location and crossing edges that a kernel adds to the resource.
func (s *Scorer) costsOf(kernel, r int) float64 {
	sum := 0.0
	if s.shared != nil && s.count[r] > 1 {
		sum = s.weight(s.shared, kernel*s.resources+r)
	}
	if s.anyEnds {
		sum += s.endsOf(kernel, r)
	}
	if s.carrying.sends != nil {
		for _, a := range s.arcsAt(int32(kernel)) {
			if table, row, ok := s.workRow(a); ok {
				sum += s.weight(table, row)
			}
		}
	}
	return sum
}

// endsOf returns the load on a kernel's resource due to the receive and send costs of its crossing edges.
func (s *Scorer) endsOf(kernel, r int) float64 {
	sum := 0.0
	for _, a := range s.arcsAt(int32(kernel)) {
		table := s.to
		if a.way != 0 {
			table = s.from
		}
		if int(s.place[a.other]) != r {
			sum += s.weight(table, int(a.edge)*s.resources+r)
		}
	}
	return sum
}

// LinkLoad returns the state of an edge on a link that it crosses, as a station.
func (s *Scorer) LinkLoad(edge, link int) StationLoad {
	c := s.resources + link
	l := StationLoad{Rate: s.EdgeRate(edge), Own: s.weight(s.crossing, edge*s.links+link), Total: s.loads[c]}
	if s.rule[c] == equally {
		l.Own *= float64(s.count[c])
		l.Total = l.Own
	}
	return l
}

// weight returns the utilization that a row of a table causes at the current flows.
func (s *Scorer) weight(table []int128.Int, at int) float64 {
	sum := 0.0
	for f, z := range s.inject {
		sum += table[at*s.free+f].Float() * z
	}
	return sum * s.unit
}

// AreaUsed returns the utilization of the scarcest kind of area of a resource; 0 if no kind is limited.
func (s *Scorer) AreaUsed(resource int) float64 {
	maximum := 0.0
	if s.rule[resource] != inArea {
		return 0
	}
	for kind, used := range s.area[resource] {
		if have := s.have[resource][kind]; have > 0 {
			maximum = math.Max(maximum, float64(used)/float64(have))
		}
	}
	return maximum
}

// InUse reports whether a resource has kernels.
func (s *Scorer) InUse(resource int) bool { return s.count[resource] > 0 }
