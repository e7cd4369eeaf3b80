package buffers

import (
	"fmt"
	"math"

	"xopt/flow"
)

// Least is the least size of an edge: with less, data does not move at all, or stops.
type Least struct {
	Elements float64 // at least 1
	Why      string  // in one line, such as "one firing of top.j takes 100 of b"
	// Shared says that a larger buffer elsewhere may do as well: that smaller sizes stop the data
	// follows from all of them together ([StaticGraph.Stuck]).
	Shared bool
}

// LeastSizes returns those of all edges for a mapping; where it is nil, what the application alone
// needs.
func LeastSizes(p *flow.Problem, flows *flow.Flows, m *flow.Mapping) []Least {
	all := make([]Least, len(p.Application.Edges))
	static, _ := LeastStatic(&p.Application, flows) // where nothing can be played, all are 0
	for e := range all {
		edge := &p.Application.Edges[e]
		grain := flows.Grain(e)
		to := &p.Application.Kernels[edge.To]
		x := Least{Elements: 1, Why: "an element"}
		raise := func(k float64, why string) {
			if k > x.Elements {
				x = Least{Elements: k, Why: why}
			}
		}
		raise(math.Ceil(grain.Takes), fmt.Sprintf("one firing of %s takes %g of %s", to.Name, math.Ceil(grain.Takes),
			edge.ToPort))
		raise(math.Ceil(grain.Brings), fmt.Sprintf("one firing of %s sends %g", p.Application.Kernels[edge.From].Name,
			math.Ceil(grain.Brings)))
		if static[e].Elements > x.Elements {
			x = static[e]
		}
		if m != nil {
			for _, l := range m.Route[e] {
				link := &p.Architecture.Links[l]
				if bulk := link.BulkElements(edge.ElementBytes); bulk > 1 {
					raise(2*bulk, fmt.Sprintf("two transfers of %s, of %g each", link.Name, bulk))
				}
			}
		}
		all[e] = x
	}
	return all
}
