package buffers

import (
	"fmt"
	"math"

	"xopt/flow"
	"xopt/queueing"
)

// Level is how sure a size is.
type Level uint8

// The levels, the weakest first.
const (
	Heuristic Level = iota // only means and variances are known
	Simulated              // an event simulation keeps the throughput with it
	Certified              // a bound of the overflow's probability holds for the measured distributions
	Proven                 // element counts and times are static: exact
)

// String returns "heuristic", "simulated", "certified" or "proven".
func (l Level) String() string {
	switch l {
	case Heuristic:
		return "heuristic"
	case Simulated:
		return "simulated"
	case Certified:
		return "certified"
	case Proven:
		return "proven"
	}
	return "unknown"
}

// Operation is a mapping at the throughput that it allows: a [flow.Scorer] after Operate, or a
// [flow.Operation].
type Operation interface {
	Resource(kernel int) int
	Route(edge int) []int
	EdgeRate(edge int) float64
	KernelLoad(kernel int) flow.StationLoad
	LinkLoad(edge, link int) flow.StationLoad
}

// Size is the recommended size of an edge.
type Size struct {
	Elements float64
	Level    Level
	Reason   string // in one line
	Least    Least
}

// Recommend returns the recommended size of every edge of a mapping at the throughput that it
// allows.
func Recommend(p *flow.Problem, flows *flow.Flows, o Operation) ([]Size, error) {
	m := &flow.Mapping{Place: make([]int, len(p.Application.Kernels)), Route: make([][]int, len(p.Application.Edges))}
	for k := range m.Place {
		m.Place[k] = o.Resource(k)
	}
	for e := range m.Route {
		m.Route[e] = o.Route(e)
	}
	sizes := make([]Size, len(p.Application.Edges))
	for e, least := range LeastSizes(p, flows, m) {
		edge := &p.Application.Edges[e]
		sizes[e] = Size{Elements: least.Elements, Reason: least.Why, Least: least}
		needs := Needs(p, flows, m.Route[e], e, m.Place[edge.To])
		for hop := range len(m.Route[e]) + 1 {
			load := o.KernelLoad(edge.To)
			if hop < len(m.Route[e]) {
				load = o.LinkLoad(e, m.Route[e][hop])
			}
			need := needs.At(hop)
			need.Utilization = load.Total
			if load.Total < 1 {
				own, err := queueing.SharedUtilization(math.Min(load.Own, load.Total), load.Total)
				if err != nil {
					return nil, fmt.Errorf("sizing %s: %w", edge.Name, err)
				}
				need.Utilization = own
			}
			k, err := queueing.Recommend(need, queueing.DefaultProbability)
			if err != nil {
				return nil, fmt.Errorf("sizing %s: %w", edge.Name, err)
			}
			if k.Elements > sizes[e].Elements {
				sizes[e].Elements, sizes[e].Reason = k.Elements, k.Estimator
			}
		}
	}
	return sizes, nil
}
