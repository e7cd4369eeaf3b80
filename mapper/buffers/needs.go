package buffers

import (
	"math"

	"xopt/flow"
	"xopt/queueing"
)

// EdgeNeeds is what the buffers of one edge are sized for.
type EdgeNeeds struct {
	grain flow.Grain
	scv   float64
	links []flow.Link
	route []int
	size  float64
}

// Needs returns that of an edge that takes a route to a kernel on a resource.
func Needs(p *flow.Problem, flows *flow.Flows, route []int, edge, resource int) EdgeNeeds {
	e := &p.Application.Edges[edge]
	return EdgeNeeds{grain: flows.Grain(edge), scv: p.Figures[e.To][resource].ServiceSCV, links: p.Architecture.Links,
		route: route, size: e.ElementBytes}
}

// At returns what the buffer in front of link number i of the route is sized for, and for i
// behind the last, that in front of the kernel; all but its utilization. A buffer holds two
// transfers of the links on both of its sides.
func (n *EdgeNeeds) At(i int) queueing.Need {
	need := queueing.Need{Load: queueing.Load{ArrivalSCV: -1, ServiceSCV: -1}, Takes: 1, Brings: 1}
	if i == 0 {
		need.Brings = n.grain.Brings
	} else {
		need.Bulk = n.links[n.route[i-1]].BulkElements(n.size)
	}
	if i < len(n.route) {
		need.Takes = n.links[n.route[i]].BulkElements(n.size)
		need.Bulk = math.Max(need.Bulk, need.Takes)
		return need
	}
	// One ring may hold all of an edge, from its writer to its reader.
	need.Takes, need.Brings, need.ServiceSCV = n.grain.Takes, n.grain.Brings, n.scv
	return need
}
