// Package arena compares xopt's search with other methods on published task graphs. Its data are facts from public
// repositories; each set names its source, licence and published figures.
package arena

import "math"

// Problem is a task graph on a machine, in the cost model that all methods share: the steady state of successive
// iterations, in which the period is the largest load of a core or of the bus.
type Problem struct {
	Name  string
	Tasks []Task
	Edges []Edge
	Kinds []string // names of the kinds of cores
	Cores []int    // kind of each core
	// Bus is the rate of the bus that connects all cores, in bytes per second; 0 is a machine without such a cost.
	Bus float64
	// Cycle is a lower limit of the period in seconds, from the cycles of the graph and their initial tokens.
	Cycle float64
}

// Task is a kernel.
type Task struct {
	Name string
	// Work is the time of one iteration on a core of each kind, in seconds; +Inf if the task cannot run there.
	Work []float64
	// Replicable tasks have no state: several cores can share their iterations.
	Replicable bool
}

// Edge is a stream between two tasks.
type Edge struct {
	From, To int
	Bytes    float64 // per iteration
}

// Share is the part of a task's iterations that a core processes, from 0 to 1.
type Share struct {
	Core int
	Part float64
}

// Placement has the shares of each task, which add up to 1. Tasks that are not replicable have one share.
type Placement [][]Share

// Period returns the time between iterations of a placement in seconds, +Inf if a task is on a core that cannot run it.
// An edge uses the bus for the part of its bytes that leave a core: copies of two tasks pass data in place only where
// both have shares on the same core.
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

// crossing returns the bytes per iteration that cross the bus.
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
