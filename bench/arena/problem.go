// Package arena compares xopt's search with other mapping methods on published task graphs. Its data are facts from
// public repositories. Each set contains its source, its license and its published results.
package arena

import "math"

// Problem is a task graph on a machine, in the cost model that all methods share: the steady state of successive
// iterations. The period is the largest load of a core or of the bus, in seconds per iteration.
type Problem struct {
	Name  string
	Tasks []Task
	Edges []Edge
	Kinds []string // names of the kinds of cores
	Cores []int    // kind of each core
	// Bus is the rate of the bus that connects all cores, in bytes/s; 0 if transfers cost nothing.
	Bus float64
	// Cycle is the shortest period in seconds that the cycles of the graph permit with their initial tokens; 0 for no
	// limit.
	Cycle float64
}

// Task is a node of the graph. It corresponds to a kernel in X.
type Task struct {
	Name string
	// Work is the time of one iteration on a core of each kind, in seconds; +Inf if the kind cannot run the task.
	Work []float64
	// Replicable tasks have no state, so several cores can share their iterations.
	Replicable bool
}

// Edge is a stream between two tasks.
type Edge struct {
	From, To int     // indices of Problem.Tasks
	Bytes    float64 // per iteration
}

// Share is the fraction of a task's iterations that a core processes.
type Share struct {
	Core int     // index of Problem.Cores
	Part float64 // fraction of the iterations
}

// Placement contains the shares of each task, by index of Problem.Tasks. The shares of a task add up to 1. A task that
// is not replicable has one share.
type Placement [][]Share

// Period returns the time between iterations of a placement in seconds; +Inf if a task is on a core that cannot run it.
// Only bytes that leave a core use the bus. If both tasks of an edge have shares on a core, the smaller share of the
// edge's bytes stays there.
func (p *Problem) Period(placement Placement) float64 {
	loads := make([]float64, len(p.Cores))
	for t, shares := range placement {
		for _, s := range shares {
			loads[s.Core] += s.Part * p.Tasks[t].Work[p.Cores[s.Core]]
		}
	}
	period := p.Cycle
	for _, load := range loads {
		period = math.Max(period, load)
	}
	if p.Bus > 0 {
		period = math.Max(period, p.crossing(placement)/p.Bus)
	}
	return period
}

// crossing returns the number of bytes per iteration on the bus.
func (p *Problem) crossing(placement Placement) float64 {
	total := 0.0
	for _, e := range p.Edges {
		inPlace := 0.0
		for _, from := range placement[e.From] {
			for _, to := range placement[e.To] {
				if from.Core == to.Core {
					inPlace += math.Min(from.Part, to.Part)
				}
			}
		}
		total += e.Bytes * (1 - inPlace)
	}
	return total
}
