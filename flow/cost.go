package flow

import "math"

// Part is a component of a utilization.
type Part uint8

// These are the components of a utilization.
const (
	Compute    Part = iota // λ/μ of a kernel; bytes divided by bandwidth for an edge on a link
	Switching              // switches between turns on a shared core
	CoLocation             // additional cost of each byte when other kernels use the core
	Receiving              // cost of each byte that arrives from another resource
	Sending                // cost of each byte to another resource
	Carrying               // work of the core, in addition to its kernels, for bytes on a network
	Contended              // additional time of each byte, due to kernels on other cores of the memory
	Transfers              // fixed cost of the transfers of a link
	Unused                 // under equal sharing: the unused part of a share, which other members cannot use
	NumParts
)

func (p Part) String() string {
	return [NumParts]string{"compute", "switch", "co-location", "receive", "send", "carry", "memory contention",
		"transfers", "unused"}[p]
}

// Cost is the fraction of a limit that a member uses in addition to its service.
type Cost struct {
	Member int // index into Limit.Members
	Part   Part
	Edge   int     // edge to whose bytes the cost applies; -1 for λ of the member
	Weight float64 // utilization per byte/s
}

// addCosts adds the costs of switching, co-location and crossing to the limits of cores.
func (n *Network) addCosts() {
	p := n.Problem
	members := make([]int, len(p.Architecture.Resources))
	for _, r := range n.Mapping.Place {
		members[r]++
	}
	add := func(k int, part Part, edge int, cost float64) {
		res := &p.Architecture.Resources[n.Mapping.Place[k]]
		if cost == 0 || res.Sharing.Rule == AreaOnly {
			return
		}
		st := &n.Stations[k] // the first stations are the kernels, in order
		l := &n.Limits[st.limit]
		l.Costs = append(l.Costs, Cost{Member: st.member, Part: part, Edge: edge, Weight: cost * l.sharers})
	}
	for k, r := range n.Mapping.Place {
		if members[r] < 2 {
			continue
		}
		n.eachSharedCost(k, r, func(part Part, edge int, cost float64) { add(k, part, edge, cost) })
	}
	for e := range p.Application.Edges {
		edge := &p.Application.Edges[e]
		from, to := n.Mapping.Place[edge.From], n.Mapping.Place[edge.To]
		if from != to {
			add(edge.From, Sending, e, p.Figures[edge.From][from].SendCost)
			add(edge.To, Receiving, e, p.Figures[edge.To][to].ReceiveCost)
			add(edge.From, Carrying, e, p.Sending(e, n.Mapping.Route[e]))
			add(edge.To, Carrying, e, p.Receiving(e, n.Mapping.Route[e]))
		}
	}
}

// [Network] and [Scorer] both use the following coefficients of loads, so that their results agree.

// TimePerByte returns 1/μ in s/byte, the service time of a kernel that is alone on its resource.
func (f *Figures) TimePerByte() float64 { return timePerByte(f.ServiceRate) }

// TimePerByte returns the inverse of the link's bandwidth in s/byte, without the fixed cost of transfers.
func (l *Link) TimePerByte() float64 { return timePerByte(l.Bandwidth) }

func timePerByte(rate float64) float64 { return 1 / rate }

// eachSharedCost calls visit for every cost that kernel k adds to resource r if other kernels share r. The cost is in s
// per byte on the edge, or per byte of λ if the edge is -1.
func (p *Prepared) eachSharedCost(k, r int, visit func(part Part, edge int, cost float64)) {
	f := &p.Figures[k][r]
	visit(CoLocation, -1, f.CoLocationCost)
	if p.OwnSwitchCost(k, r) {
		visit(Switching, -1, f.SwitchCost)
		return
	}
	for _, t := range p.Flows.Firings(k) {
		visit(Switching, t.Edge, p.Architecture.Resources[r].Sharing.SwitchCost*t.PerByte)
	}
}

// TransferCost returns the cost in s/byte that transfers add to an edge with elements of the given size. A transfer
// moves as many complete elements as fit. An element larger than a transfer needs several transfers.
func (l *Link) TransferCost(elementBytes float64) float64 {
	transfers := 1.0
	if size := l.Sharing.TransferBytes; size > 0 {
		transfers = max(1, math.Ceil(elementBytes/size))
	}
	return l.Sharing.TransferCost * transfers / (l.BulkElements(elementBytes) * elementBytes)
}
