package mapper

import (
	"context"
	"fmt"
	"time"

	"xopt/flow"
	"xopt/internal/units"
)

// The limits of the search in attainable.
const (
	probePart  = 8 // divisor of the main search's limits
	probeTime  = 2 * time.Second
	probeEvals = 1_000_000 // used if the main search has no limit
)

// attainable returns a *NoMappingError if it proves that no mapping reaches the goal's minimum throughput. It maximizes
// throughput alone until a mapping reaches this minimum, or the bound is below it. A nil error does not prove that a
// mapping exists.
func attainable(ctx context.Context, p *flow.Problem, c *flow.Constraints, o *Options) error {
	minimum := o.Goal.MinThroughput
	if !(minimum > 0) || o.Resume != nil {
		return nil
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	bound := 0.0 // the last bound, because a search that ends by stop may return none
	probe := Options{Seed: o.Seed, Threads: o.Threads, Top: 1, MaxTime: min(o.MaxTime/probePart, probeTime),
		MaxEvals: o.MaxEvals / probePart, Progress: func(at Progress) {
			if at.Bound > 0 {
				bound = at.Bound
			}
			if at.Best >= minimum || at.Bound > 0 && at.Bound < minimum {
				stop()
			}
		}}
	if o.MaxTime == 0 && o.MaxEvals == 0 {
		probe.MaxEvals = probeEvals
	}
	// The main search reports any error.
	proven := "proven so far" // a longer search may prove a lower bound
	if r, err := Search(ctx, p, c, probe); err == nil && r.Bound > 0 {
		if bound = r.Bound; r.Optimal() {
			proven = "proven"
		}
	}
	if !(bound > 0) || bound >= minimum*(1-sameThroughput) {
		return nil
	}
	return &NoMappingError{Proven: true, Bound: bound, Faults: []flow.Fault{{Text: fmt.Sprintf("the throughput "+
		"of any mapping is at most %s (%s), below the required %s (--min-throughput)", units.Rate(bound), proven,
		units.Rate(minimum))}}}
}
