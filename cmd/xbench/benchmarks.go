package main

import (
	"math"
	"time"

	"github.com/spf13/pflag"
)

// The limits of benchmark options.
const (
	maxRuns     = 10_000
	maxGraphs   = 10_000
	maxMappings = 100_000
	maxWindow   = time.Hour
	maxDuration = time.Duration(math.MaxInt64)
)

// benchmarks returns all benchmarks, in the order of the help.
func benchmarks() []*benchmark {
	return []*benchmark{ring(), network(), hosts(), taps(), queues(), sharing(), buffers(), rivals(), unseenApps(),
		hardware(), xsim(), replay(), clocks(), searches(), proofs()}
}

// timing holds the options of benchmarks that alternate runs of several variants.
type timing struct {
	runs   int
	window time.Duration
}

// timingOf declares --runs and --window with their defaults.
func timingOf(f *pflag.FlagSet, runs int, window time.Duration) *timing {
	t := &timing{}
	f.IntVar(&t.runs, "runs", runs, "`number` of runs of each variant, which alternate")
	f.DurationVar(&t.window, "window", window, "`length` of each run")
	return t
}

// check reports lengths that are too short to measure.
func (t *timing) check(shortest time.Duration) error {
	if err := between("runs", t.runs, 1, maxRuns); err != nil {
		return err
	}
	return between("window", t.window, shortest, maxWindow)
}

// shortestWindow is the shortest run in which links and buffers settle.
const shortestWindow = 50 * time.Millisecond
