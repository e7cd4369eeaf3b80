package mapper

import (
	"context"
	"math"
	"sync/atomic"
	"time"
)

// counters are what all chains of a search report to, for progress.
type counters struct {
	evals       atomic.Uint64
	best        atomic.Uint64 // bits of the best throughput
	temperature atomic.Uint64 // bits, of the chain that reported last
	acceptance  atomic.Uint64
}

func (c *counters) offer(throughput float64) {
	for {
		old := c.best.Load()
		if math.Float64frombits(old) >= throughput {
			return
		}
		if c.best.CompareAndSwap(old, math.Float64bits(throughput)) {
			return
		}
	}
}

// tally counts the mappings that one chain has scored and decides when it stops.
type tally struct {
	shared *counters
	start  time.Time
	limit  uint64 // of this chain; 0 = none
	evals  uint64
	told   uint64 // evals already added to shared
	best   float64
	// history is the best so far, whenever it rose.
	history []Point
}

// Point is one rise of the best throughput of a search.
type Point struct {
	Evals      uint64 // mappings scored by the chain that found it
	Elapsed    time.Duration
	Throughput float64 // bytes/s
}

// tellEvery is how many mappings are scored between two looks at the clock and
// the context.
const tellEvery = 256

// scored counts one mapping.
func (t *tally) scored(throughput float64) {
	t.evals++
	if throughput > t.best*(1+sameThroughput) {
		t.best = throughput
		t.shared.offer(throughput)
		t.history = append(t.history, Point{Evals: t.evals, Elapsed: time.Since(t.start), Throughput: throughput})
	}
}

// stop reports whether the chain has to end.
func (t *tally) stop(ctx context.Context) bool {
	if t.limit > 0 && t.evals >= t.limit {
		t.tell()
		return true
	}
	if t.evals-t.told < tellEvery {
		return false
	}
	t.tell()
	return ctx.Err() != nil
}

func (t *tally) tell() {
	t.shared.evals.Add(t.evals - t.told)
	t.told = t.evals
}
