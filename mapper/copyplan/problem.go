package copyplan

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Problem is the input of a search. A load is the time in s of a core or link per unit of throughput.
type Problem struct {
	// Work is the load of each task on each core if the task processes the complete stream and is alone on the core;
	// +Inf if the task cannot run there.
	Work [][]float64
	// Shared is the load if the core also runs other tasks; nil if it equals Work.
	Shared [][]float64
	// Copyable reports, by task, whether the task may run in copies. Divisible reports, for bounds, the same for any
	// mapping; nil if it equals Copyable.
	Copyable, Divisible []bool
	// Edges usually lead from tasks to later tasks, but may have any direction.
	Edges []Edge
	// Links is the number of links. Routes are the links from core c to core d, at c·cores + d. Without a route, no
	// stream can cross between the two cores. If Links is 0, crossing is free.
	Links  int
	Routes [][]int
	// Outside contains the loads, for each task and core, of links to tasks that do not move; nil for none.
	Outside [][][]LinkLoad
}

// LinkLoad is the load of a link if a task processes the complete stream.
type LinkLoad struct {
	Link int
	Load float64
}

// Edge is a stream between two tasks. Send and Receive are the loads that it adds to each core of its writer and reader
// if the complete stream crosses to another core. Carried is the load that it adds to each link of its route. Sends is
// the load that the first link adds to the writer's core; Receives is the load that the last link adds to the reader's
// core. Nil means no load.
type Edge struct {
	From, To        int
	Send, Receive   []float64
	Carried         []float64
	Sends, Receives []float64
}

// free reports whether the edge crosses between cores at no cost.
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

type Unit struct {
	Tasks  []int // ascending
	Copies []Copy
}

// Plan places all tasks, each in one unit.
type Plan struct {
	Units []Unit
	Load  float64 // maximum load of a core or link
}

// Limits of the search.
const (
	maxTurns = 64  // in a round
	maxDP    = 3e8 // steps of the dynamic programming
)

// Validate returns an error if no plan can exist.
func (p *Problem) Validate() error {
	if len(p.Work) == 0 || len(p.Copyable) != len(p.Work) {
		return fmt.Errorf("the problem has %d tasks, but copy permissions for %d", len(p.Work), len(p.Copyable))
	}
	var errs []error
	for t, w := range p.Work {
		runs := false
		for _, x := range w {
			runs = runs || !math.IsInf(x, 1)
		}
		if !runs {
			errs = append(errs, fmt.Errorf("task %d runs on no core", t))
		}
		if len(w) != len(p.Work[0]) {
			errs = append(errs, fmt.Errorf("task %d has loads for %d of %d cores", t, len(w), len(p.Work[0])))
		}
	}
	if p.Links > 0 && len(p.Routes) != p.cores()*p.cores() {
		errs = append(errs, fmt.Errorf("the problem has %d routes for %d cores, expected one for each pair",
			len(p.Routes), p.cores()))
	}
	return errors.Join(errs...)
}

func (p *Problem) cores() int { return len(p.Work[0]) }

func (p *Problem) divisible(t int) bool {
	if p.Divisible != nil {
		return p.Divisible[t]
	}
	return p.Copyable[t]
}

func (p *Problem) allowed(tasks []int, core int) bool {
	return !slices.ContainsFunc(tasks, func(t int) bool { return math.IsInf(p.Work[t][core], 1) })
}

// copyable reports whether all tasks may be copied.
func (p *Problem) copyable(tasks []int) bool {
	return !slices.ContainsFunc(tasks, func(t int) bool { return !p.Copyable[t] })
}
