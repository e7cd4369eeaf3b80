package mapper

import (
	"context"
	"fmt"
	"time"

	"xopt/flow"
	"xopt/internal/units"
)

// What a search for a least throughput spends on finding out whether any mapping reaches it.
const (
	probePart  = 8 // this part of the limits of the search
	probeTime  = 2 * time.Second
	probeEvals = 1_000_000 // where the search has no limit
)

// attainable returns a *NoMappingError if no mapping reaches the least throughput of the goal. It searches for the
// greatest throughput alone, with its bound, until one of the two decides; nil says that nothing was proven.
func attainable(ctx context.Context, p *flow.Problem, c *flow.Constraints, o *Options) error {
	least := o.Goal.MinThroughput
	if !(least > 0) || o.Resume != nil {
		return nil
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	probe := Options{Seed: o.Seed, Threads: o.Threads, Top: 1, MaxTime: min(o.MaxTime/probePart, probeTime),
		MaxEvals: o.MaxEvals / probePart, Progress: func(at Progress) {
			if at.Best >= least || at.Bound > 0 && at.Bound < least {
				stop()
			}
		}}
	if o.MaxTime == 0 && o.MaxEvals == 0 {
		probe.MaxEvals = probeEvals
	}
	r, err := Search(ctx, p, c, probe)
	if err != nil {
		return nil // the search itself reports what is wrong
	}
	if !(r.Bound > 0) || r.Bound >= least*(1-sameThroughput) {
		return nil
	}
	return &NoMappingError{Proven: true, Bound: r.Bound, Faults: []flow.Fault{{Text: fmt.Sprintf("the throughput of "+
		"any mapping is at most %s (proven), and %s is required", units.Rate(r.Bound), units.Rate(least))}}}
}
