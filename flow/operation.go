package flow

import "math"

// Operation is a solved network with the methods of a [Scorer]. It reports the state of every station at the throughput
// of the mapping.
type Operation struct {
	network  *Network
	solution *Solution
	kernel   []int   // station of each kernel
	crossing [][]int // stations of each edge, by hop
}

// NewOperation returns the operation of a network and its solution.
func NewOperation(n *Network, s *Solution) *Operation {
	app := &n.Problem.Application
	o := &Operation{network: n, solution: s, kernel: make([]int, len(app.Kernels)), crossing: make([][]int,
		len(app.Edges))}
	for i := range n.Stations {
		if st := &n.Stations[i]; st.Kind == KernelStation {
			o.kernel[st.Kernel] = i
		} else {
			o.crossing[st.Edge] = append(o.crossing[st.Edge], i)
		}
	}
	return o
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
	return o.load(o.kernel[kernel], rule, o.solution.Resources[r].Utilization)
}

// LinkLoad returns the state of an edge as a station on a link that it crosses.
func (o *Operation) LinkLoad(edge, link int) StationLoad {
	for _, i := range o.crossing[edge] {
		if o.network.Stations[i].Link == link {
			return o.load(i, o.network.Problem.Architecture.Links[link].Sharing.Rule,
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
