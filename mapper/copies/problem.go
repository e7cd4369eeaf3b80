package copies

import (
	"errors"
	"fmt"
	"math"
)

// Problem is the input of a search. A load is the core time per unit of throughput, in s.
type Problem struct {
	// Work is the load of each task on each core if it processes the complete stream and has the core alone; +Inf if
	// it cannot run there.
	Work [][]float64
	// Shared is the load if the core also runs other tasks; nil for Work.
	Shared [][]float64
	// Copyable lists whether each task may run in copies.
	Copyable []bool
	// Edges are usually from tasks to later ones, but may have any direction.
	Edges []Edge
}

// Edge is a stream between two tasks. Send and Receive are the loads that it adds to each core of its writer and
// reader if all of it crosses to another core; nil for none.
type Edge struct {
	From, To      int
	Send, Receive []float64
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
	Load  float64 // greatest load of a core
}

// Limits of the search.
const (
	mostTurns = 32  // in a round
	mostDP    = 3e8 // steps of the dynamic programming
)

// Validate returns an error if no plan can exist.
func (p *Problem) Validate() error {
	if len(p.Work) == 0 || len(p.Copyable) != len(p.Work) {
		return fmt.Errorf("%d tasks, but permissions to copy for %d", len(p.Work),
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
	return errors.Join(errs...)
}

func (p *Problem) cores() int { return len(p.Work[0]) }

// Bound returns a lower bound on the load of all plans, and of all mappings without copies. All cores together do the
// work of all tasks, each at its lowest load. A task that is not copied runs on one core, and all copies of a task
// together are as fast as all cores.
func (p *Problem) Bound() float64 {
	total, most := 0.0, 0.0
	for t, work := range p.Work {
		least, rate := math.Inf(1), 0.0
		for _, w := range work {
			least = math.Min(least, w)
			rate += 1 / w
		}
		total += least
		if !p.Copyable[t] {
			most = math.Max(most, least)
		} else {
			most = math.Max(most, 1/rate)
		}
	}
	return math.Max(most, total/float64(p.cores()))
}
