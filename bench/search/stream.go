package search

import (
	"fmt"
	"math"

	"xopt/flow"
)

// stream is a task graph with the time of each task and the bytes on each arc, per iteration.
type stream struct {
	times       []float64 // time of each task per iteration on the fastest core, s
	arcs        []arc
	first, last []int // bytes from the source to each task, and from each task to the sink; 0 for none
}

// arc is an arc of a stream, with its bytes per iteration.
type arc struct{ from, to, bytes int }

// application converts the graph to an application with a source (kernel 0), the tasks (task t is kernel t+1), and a
// sink. Each edge transfers one element per iteration.
func (s *stream) application() flow.Application {
	var app flow.Application
	n := len(s.times)
	in, out := make([]float64, n+2), make([]float64, n+2)
	edge := func(from, to, bytes int) {
		app.Edges = append(app.Edges, flow.Edge{Name: fmt.Sprintf("e%d", len(app.Edges)+1), From: from, To: to,
			ElementBytes: float64(bytes), Routing: float64(bytes)})
		out[from] += float64(bytes)
		in[to] += float64(bytes)
	}
	for t, bytes := range s.first {
		if bytes > 0 {
			edge(0, t+1, bytes)
		}
	}
	for _, a := range s.arcs {
		edge(a.from+1, a.to+1, a.bytes)
	}
	for t, bytes := range s.last {
		if bytes > 0 {
			edge(t+1, n+1, bytes)
		}
	}
	for i := range app.Edges {
		app.Edges[i].Routing /= out[app.Edges[i].From]
	}
	for k := range n + 2 {
		kernel := flow.Kernel{Name: fmt.Sprintf("t%d", k-1), Gain: 1}
		switch k {
		case 0:
			kernel.Name = "source"
		case n + 1:
			kernel.Name = "sink"
		default:
			kernel.Gain = out[k] / in[k]
		}
		app.Kernels = append(app.Kernels, kernel)
	}
	return app
}

// consumed returns the number of bytes that a task consumes per iteration.
func (s *stream) consumed(task int) float64 {
	sum := s.first[task]
	for _, a := range s.arcs {
		if a.to == task {
			sum += a.bytes
		}
	}
	return float64(sum)
}

// unlimited returns an infinite area.
func unlimited() (a flow.Area) {
	for kind := range a {
		a[kind] = math.Inf(1)
	}
	return a
}
