package copies

import (
	"errors"
	"fmt"
	"math"
)

// Problem is what a plan is made for. Loads are the part of the time that a core works for one unit of the
// throughput, in s.
type Problem struct {
	// Work is the load of each task on each core, if it takes all of the stream alone; +Inf where it cannot run.
	Work [][]float64
	// Shared is the same where other tasks are on the core; nil for Work.
	Shared [][]float64
	// Copyable tells which tasks may run in copies.
	Copyable []bool
	// Edges lead from tasks to later ones, or anywhere.
	Edges []Edge
}

// Edge is a stream between two tasks. Send and Receive are what it adds to the load of each core on which its
// writer and its reader run, where all of it crosses to another core; nil for nothing.
type Edge struct {
	From, To      int
	Send, Receive []float64
}

// Copy is one copy of a unit: the core, and how many batches it takes in a round of turns.
type Copy struct{ Core, Turns int }

// Unit is tasks that are copied together.
type Unit struct {
	Tasks  []int // ascending
	Copies []Copy
}

// Plan places all tasks, each in one unit.
type Plan struct {
	Units []Unit
	Load  float64 // the greatest of a core
}

// Limits of what is searched.
const (
	mostTurns = 32  // in a round
	mostDP    = 3e8 // steps of the dynamic programming
)

// Validate refuses problems that no plan fits.
func (p *Problem) Validate() error {
	if len(p.Work) == 0 || len(p.Copyable) != len(p.Work) {
		return fmt.Errorf("%d tasks, of %d of which it is known whether they may be copied", len(p.Work),
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

// Bound is a load that no plan is below, and no mapping without copies: all cores together have the work of all
// tasks to do, each where it is least; a task that is not copied is on one core, and the copies of one together are
// as fast as all cores.
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
