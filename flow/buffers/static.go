package buffers

import (
	"math"

	"xopt/flow"
	"xopt/queueing/sdf"
)

// StaticGraph is the part of an application whose element counts are static: actors are its
// kernels, by number, and channels those edges on which every firing of the writer sends, and
// every firing of the reader takes, the same number of elements. What is proven of it holds for
// the application: other edges can only make kernels wait longer.
type StaticGraph struct {
	sdf.Graph
	Channel []int // of each edge; -1 for one whose counts are not static
	Edge    []int // of each channel
	Whole   bool  // all edges that anything flows over are in it
}

// Counts returns the static graph of an application, without times; nil where no edge has static
// counts. Flows tell where nothing flows in the steady state; they may be nil.
func Counts(app *flow.Application, flows *flow.Flows) *StaticGraph {
	g := &StaticGraph{Channel: make([]int, len(app.Edges)), Whole: true}
	for k := range app.Kernels {
		g.Actors = append(g.Actors, sdf.Actor{Name: app.Kernels[k].Name, Concurrent: 1})
	}
	takes := staticTakes(app, flows)
	for e := range app.Edges {
		edge := &app.Edges[e]
		g.Channel[e] = -1
		switch {
		case !carries(flows, e):
		case edge.Emits == 0 || takes[e] == 0:
			g.Whole = false
		default:
			g.Channel[e] = len(g.Channels)
			g.Edge = append(g.Edge, e)
			g.Channels = append(g.Channels, sdf.Channel{Name: edge.Name, From: edge.From, To: edge.To,
				Produced: int64(edge.Emits), Consumed: takes[e], Initial: int64(edge.Initial),
				Bytes: int64(math.Ceil(edge.ElementBytes))})
		}
	}
	if len(g.Channels) == 0 {
		return nil
	}
	return g
}

// carries reports whether anything flows over an edge in the steady state; where the flows are nil,
// for they are not known, something does.
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

// staticTakes is how many elements of each edge every firing of its reader takes; 0 where that is
// not static: where several edges lead into a port, or the kernel takes from one port or another.
func staticTakes(app *flow.Application, flows *flow.Flows) []int64 {
	takes := make([]int64, len(app.Edges))
	groups := make([]int, len(app.Kernels)) // of ports that are taken together
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
					if whole := math.Round(n); whole >= 1 && math.Abs(n-whole) <= countRounding*whole {
						takes[p.Edges[0]] = int64(whole)
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
			takes[e] = 1
			groups[app.Edges[e].To]++
		}
	}
	for e := range takes {
		if groups[app.Edges[e].To] > 1 {
			takes[e] = 0
		}
	}
	return takes
}

// countRounding is what a count computed from sizes in bytes may be off a whole number, relative.
const countRounding = 1e-9

// Stuck plays one iteration of the static part of an application with sizes in elements, by edge;
// 0 is one without end. It returns the cycle of kernels that wait for each other where the
// iteration cannot finish, so that a run is proven to hang, and nil where that is not so. A firing
// waits until there is room for all that it sends.
func (g *StaticGraph) Stuck(sizes []float64) (*sdf.Stuck, error) {
	return g.With(g.capacities(sizes)).Play()
}

// maxElements is the largest size that is told from one without end.
const maxElements = 1 << 40
