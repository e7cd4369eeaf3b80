package copyplan

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Problem is the input of a search. A load is the time in s for which a core or link is busy per unit of throughput.
type Problem struct {
	// Work is the load of a core, by task and core, if it runs only this task and the task processes the complete
	// stream. Work is +Inf if the task cannot run on the core.
	Work [][]float64
	// Shared is the same load if the core also runs other tasks; nil if it equals Work.
	Shared [][]float64
	// Copyable reports, by task, whether the task may run in copies. Divisible reports whether bounds must assume that
	// it may; nil if it equals Copyable.
	Copyable, Divisible []bool
	// Edges contains the streams between tasks. Most edges lead to later tasks, but any direction is permitted.
	Edges []Edge
	// Links is the number of links. Routes contains the links from core c to core d, at c·cores + d. Without a route,
	// no stream can connect the two cores. If Links is 0, streams between cores need no links.
	Links  int
	Routes [][]int
	// Common contains, for bounds, the links that are part of all possible routes from core c to core d, at c·cores +
	// d. It is nil if Routes are the only routes.
	Common [][]int
	// Outside contains, by task and core, the loads on links of streams to kernels that do not move; nil for none.
	Outside [][][]LinkLoad
}

// LinkLoad is the load of a link due to a task that processes the complete stream.
type LinkLoad struct {
	Link int
	Load float64
}

// Edge is a stream between two tasks. Its loads are for the transfer of the complete stream to another core. A nil list
// means no load.
type Edge struct {
	From, To        int       // tasks
	Send, Receive   []float64 // by core: load of the core if it runs the writer or the reader
	Carried         []float64 // by link: load of the link if it is part of the route
	Sends, Receives []float64 // by link: load of the writer's core if the link is first, of the reader's if it is last
}

// free reports whether the edge causes no load between different cores.
func (e *Edge) free() bool {
	for _, loads := range [][]float64{e.Send, e.Receive, e.Carried, e.Sends, e.Receives} {
		if slices.ContainsFunc(loads, func(l float64) bool { return l != 0 }) {
			return false
		}
	}
	return true
}

// Copy is one copy of a unit: its core, and the number of batches that it processes in one round.
type Copy struct{ Core, Turns int }

// Unit is a group of tasks that are copied together. A unit with one copy is an ordinary unit without copies.
type Unit struct {
	Tasks  []int // ascending
	Copies []Copy
}

// Plan places all tasks, each in one unit.
type Plan struct {
	Units []Unit
	Load  float64 // maximum load of a core or link, in s per unit of throughput
}

// The limits of the search for plans.
const (
	maxTurns = 64  // maximum number of turns in a round
	maxDP    = 3e8 // maximum number of steps of the dynamic programming
)

// Validate returns an error if the sizes of the fields differ, or if no core can run a task.
func (p *Problem) Validate() error {
	if len(p.Work) == 0 || len(p.Copyable) != len(p.Work) {
		return fmt.Errorf("the problem has %d tasks, but copy permissions for %d tasks", len(p.Work), len(p.Copyable))
	}
	var errs []error
	for t, w := range p.Work {
		runs := false
		for _, x := range w {
			runs = runs || !math.IsInf(x, 1)
		}
		if !runs {
			errs = append(errs, fmt.Errorf("no core can run task %d", t))
		}
		if len(w) != len(p.Work[0]) {
			errs = append(errs, fmt.Errorf("task %d has loads for %d of %d cores", t, len(w), len(p.Work[0])))
		}
	}
	if p.Links > 0 && len(p.Routes) != p.cores()*p.cores() {
		errs = append(errs, fmt.Errorf("the problem has %d routes for %d cores, expected one route for each pair "+
			"of cores", len(p.Routes), p.cores()))
	}
	if p.Common != nil && len(p.Common) != len(p.Routes) {
		errs = append(errs, fmt.Errorf("the problem has common links for %d pairs of cores, but routes for %d",
			len(p.Common), len(p.Routes)))
	}
	return errors.Join(errs...)
}

// cores returns the number of cores.
func (p *Problem) cores() int { return len(p.Work[0]) }

// routed reports whether routes connect all pairs of cores, or streams between cores need no link.
func (p *Problem) routed() bool {
	for at, route := range p.Routes {
		if from, to := at/p.cores(), at%p.cores(); p.Links > 0 && from != to && len(route) == 0 {
			return false
		}
	}
	return true
}

// common reports whether a link is part of all routes between different cores.
func (p *Problem) common(link int) bool {
	links := p.Common
	if links == nil {
		links = p.Routes
	}
	for pair, list := range links {
		if pair%(p.cores()+1) != 0 && !slices.Contains(list, link) {
			return false
		}
	}
	return true
}

// divisible reports whether bounds may divide a task between cores.
func (p *Problem) divisible(t int) bool {
	if p.Divisible != nil {
		return p.Divisible[t]
	}
	return p.Copyable[t]
}

// allowed reports whether a core can run all tasks.
func (p *Problem) allowed(tasks []int, core int) bool {
	return !slices.ContainsFunc(tasks, func(t int) bool { return math.IsInf(p.Work[t][core], 1) })
}

// copyable reports whether all tasks may be copied.
func (p *Problem) copyable(tasks []int) bool {
	return !slices.ContainsFunc(tasks, func(t int) bool { return !p.Copyable[t] })
}
