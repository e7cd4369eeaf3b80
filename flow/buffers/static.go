package buffers

import (
	"math"

	"xopt/flow"
	"xopt/queueing/sdf"
)

// StaticGraph is the part of an application with static element counts. Its actors are the kernels, by number. Its
// channels are the edges on which every firing of the writer sends, and every firing of the reader consumes, a constant
// number of elements. The bounds of the graph apply to the entire application, because other edges can only delay
// kernels.
type StaticGraph struct {
	sdf.Graph
	Channel  []int // channel of each edge; -1 without static counts
	Edge     []int // edge of each channel
	Complete bool  // the graph contains all edges with a flow
}

// Counts returns the static graph of an application, without times; nil if no edge has static counts. flows identifies
// edges without a steady-state flow. If it is nil, all edges count as edges with a flow.
func Counts(app *flow.Application, flows *flow.Flows) *StaticGraph {
	g := &StaticGraph{Channel: make([]int, len(app.Edges)), Complete: true}
	for k := range app.Kernels {
		g.Actors = append(g.Actors, sdf.Actor{Name: app.Kernels[k].Name, Concurrent: 1})
	}
	consumes := staticConsumption(app, flows)
	for e := range app.Edges {
		edge := &app.Edges[e]
		g.Channel[e] = -1
		switch {
		case !carries(flows, e):
		case edge.Emits == 0 || consumes[e] == 0:
			g.Complete = false
		default:
			g.Channel[e] = len(g.Channels)
			g.Edge = append(g.Edge, e)
			g.Channels = append(g.Channels, sdf.Channel{Name: edge.Name, From: edge.From, To: edge.To,
				Produced: int64(edge.Emits), Consumed: consumes[e], Initial: int64(edge.Initial),
				Bytes: int64(math.Ceil(edge.ElementBytes))})
		}
	}
	if len(g.Channels) == 0 {
		return nil
	}
	return g
}

// carries reports whether an edge has a steady-state flow. If flows is nil, it returns true.
func carries(flows *flow.Flows, e int) bool {
	if flows == nil {
		return true
	}
	for _, x := range flows.Edge(e) {
		if x != 0 {
			return true
		}
	}
	return false
}

// staticConsumption returns, by edge, the number of elements that every firing of its reader consumes. It is 0 if this
// number is not static, because several edges lead to the port or the kernel chooses among ports.
func staticConsumption(app *flow.Application, flows *flow.Flows) []int64 {
	consumes := make([]int64, len(app.Edges))
	groups := make([]int, len(app.Kernels)) // groups of ports from which the kernel consumes together
	joined := make([]bool, len(app.Edges))
	for k := range app.Kernels {
		for _, j := range app.Kernels[k].Joins {
			live := 0
			for _, p := range j.Ports {
				for _, e := range p.Edges {
					joined[e] = true
					if carries(flows, e) {
						live++
					}
				}
				if len(p.Edges) == 1 {
					n := p.Bytes / app.Edges[p.Edges[0]].ElementBytes
					if complete := math.Round(n); complete >= 1 && math.Abs(n-complete) <= countRounding*complete {
						consumes[p.Edges[0]] = int64(complete)
					}
				}
			}
			if live > 0 {
				groups[k]++
			}
		}
	}
	for e := range app.Edges {
		if !joined[e] && carries(flows, e) {
			consumes[e] = 1
			groups[app.Edges[e].To]++
		}
	}
	for e := range consumes {
		if groups[app.Edges[e].To] > 1 {
			consumes[e] = 0
		}
	}
	return consumes
}

// countRounding is the relative rounding tolerance for counts computed from byte sizes.
const countRounding = 1e-9

// Stuck simulates one iteration of the static part of an application with sizes in elements, by edge; 0 means
// unlimited. A firing waits for space for its entire output. Stuck returns nil if the iteration completes. Otherwise it
// returns the cycle of kernels that wait for each other. This cycle proves a deadlock.
func (g *StaticGraph) Stuck(sizes []float64) (*sdf.Stuck, error) {
	return g.With(g.capacities(sizes)).Play()
}

// maxElements is the size in elements that represents an unlimited buffer in a simulated iteration.
const maxElements = 1 << 40
