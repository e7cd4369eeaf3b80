package copies

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Problem is the input of a search. A load is the time of a core or link per unit of throughput, in s.
type Problem struct {
	// Work is the load of each task on each core if it processes the complete stream and has the core alone; +Inf if
	// it cannot run there.
	Work [][]float64
	// Shared is the load if the core also runs other tasks; nil for Work.
	Shared [][]float64
	// Copyable lists whether each task may run in copies. Divisible lists the tasks that any mapping may copy, for
	// bounds; nil for Copyable.
	Copyable, Divisible []bool
	// Edges are usually from tasks to later ones, but may have any direction.
	Edges []Edge
	// Links is the number of links. Routes are the links from core c to core d, at c·cores + d. Without a route, no
	// stream may cross between the two cores. If Links is 0, links are free.
	Links  int
	Routes [][]int
	// Outside are the loads, for each task and core, of links to tasks that do not move; nil for none.
	Outside [][][]LinkLoad
}

// LinkLoad is the load of a link if a task processes the complete stream.
type LinkLoad struct {
	Link int
	Load float64
}

// Edge is a stream between two tasks. Send and Receive are the loads that it adds to each core of its writer and
// reader if all of it crosses to another core. Carried is the load that it adds to each link of its route. Sends and
// Receives are the loads that the first link adds to the writer's core, and the last link to the reader's. Nil
// stands for no loads.
type Edge struct {
	From, To        int
	Send, Receive   []float64
	Carried         []float64
	Sends, Receives []float64
}

// free reports whether it costs nothing that the edge crosses between cores.
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

// Unit is a set of tasks that are copied together.
type Unit struct {
	Tasks  []int // ascending
	Copies []Copy
}

// Plan places all tasks, each in one unit.
type Plan struct {
	Units []Unit
	Load  float64 // greatest load of a core or link
}

// Limits of the search.
const (
	mostTurns = 64  // in a round
	mostDP    = 3e8 // steps of the dynamic programming
)

// Validate returns an error if no plan can exist.
func (p *Problem) Validate() error {
	if len(p.Work) == 0 || len(p.Copyable) != len(p.Work) {
		return fmt.Errorf("%d tasks, but the copy permissions of %d", len(p.Work),
			len(p.Copyable))
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
		errs = append(errs, fmt.Errorf("%d routes between %d cores", len(p.Routes), p.cores()))
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

// allowed reports whether tasks can run on a core.
func (p *Problem) allowed(tasks []int, core int) bool {
	return !slices.ContainsFunc(tasks, func(t int) bool { return math.IsInf(p.Work[t][core], 1) })
}

// copyable reports whether all tasks may be copied.
func (p *Problem) copyable(tasks []int) bool {
	return !slices.ContainsFunc(tasks, func(t int) bool { return !p.Copyable[t] })
}
