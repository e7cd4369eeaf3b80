package flow

import "math"

// Operation is a solved network with the methods of a [Scorer]. It reports the state of every station at the throughput
// of the mapping.
type Operation struct {
	network  *Network
	solution *Solution
}

// NewOperation returns the operation of a network and its solution.
func NewOperation(n *Network, s *Solution) *Operation {
	return &Operation{network: n, solution: s}
}

// Resource returns the resource of a kernel.
func (o *Operation) Resource(kernel int) int { return o.network.Mapping.Place[kernel] }

// Route returns the links that an edge crosses; the caller must not modify them.
func (o *Operation) Route(edge int) []int { return o.network.Mapping.Route[edge] }

// EdgeRate returns the flow on an edge, in bytes/s.
func (o *Operation) EdgeRate(edge int) float64 { return o.solution.EdgeFlow[edge] }

// KernelLoad returns the state of a kernel as a station on its resource.
func (o *Operation) KernelLoad(kernel int) StationLoad {
	r := o.Resource(kernel)
	rule := o.network.Problem.Architecture.Resources[r].Sharing.Rule
	return o.load(kernel, rule, o.solution.Resources[r].Utilization)
}

// LinkLoad returns the state of an edge as a station on a link that it crosses.
func (o *Operation) LinkLoad(edge, link int) StationLoad {
	for hop, l := range o.Route(edge) {
		if l == link {
			return o.load(o.network.hops[edge]+hop, o.network.Problem.Architecture.Links[link].Sharing.Rule,
				o.solution.Links[link].Utilization)
		}
	}
	return StationLoad{}
}

func (o *Operation) load(station int, rule SharingRule, total float64) StationLoad {
	s := &o.solution.Stations[station]
	l := StationLoad{Rate: s.ArrivalRate, Own: s.Utilization, Total: s.Utilization}
	if rule == Conserving || rule == Bulk {
		l.Own, l.Total = s.Share, math.Max(s.Share, total)
	}
	return l
}
