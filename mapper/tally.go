package mapper

import (
	"sync"
	"sync/atomic"
	"time"
)

// counters contains the totals of all chains of a search, for progress reports.
type counters struct {
	evals       atomic.Uint64 // evaluations and nodes
	temperature atomic.Uint64 // float64 bits, of the chain that reported last
	acceptance  atomic.Uint64
	bound       atomic.Uint64 // float64 bits of an upper bound on throughput; 0 for none

	mu   sync.Mutex
	best rise
}

// rise is the best result found, by the first objective and then by throughput. The zero value means no result.
type rise struct{ throughput, value float64 }

// offer records a better result, and reports whether it was better.
func (r *rise) offer(throughput, value float64) bool {
	if r.throughput > 0 && (value > r.value || value == r.value && throughput <= r.throughput) {
		return false
	}
	r.throughput, r.value = throughput, value
	return true
}

func (c *counters) offer(throughput, value float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.best.offer(throughput, value)
}

// get returns the throughput and the value of the best result of all chains.
func (c *counters) get() (throughput, value float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.best.throughput, c.best.value
}

// tally contains the evaluations, the limit and the best result of one chain.
type tally struct {
	shared    *counters
	start     time.Time
	limit     uint64 // maximum evaluations of this chain; 0 for none
	full      bool   // the next step would exceed the limit
	evals     uint64
	nodes     uint64  // nodes of branch and bound, which count as evaluations
	published uint64  // evaluations already added to shared
	next      uint64  // evaluations at the next check of the clock and the limits
	best      float64 // throughput of the best mapping, even if the first objective is not throughput
	value     float64 // value of the first objective, if it is not throughput
	annealed  Annealed
	// history contains all improvements of the best mapping.
	history []Point
}

// Annealed counts the moves of annealing in this run. Time is the total time of all threads for these moves, without
// waiting for other threads.
type Annealed struct {
	Moves uint64
	Time  time.Duration
}

// Rate returns the moves per second and thread; 0 without moves.
func (a Annealed) Rate() float64 { return float64(a.Moves) / max(a.Time.Seconds(), 1e-9) }

// Point is one improvement of the best mapping of a search.
type Point struct {
	Evals      uint64 // mappings scored by the chain that found the improvement
	Elapsed    time.Duration
	Throughput float64 // bytes/s
	Value      float64 // value of the first objective, if it is not throughput
}

// reportEvery is the number of evaluations between two checks of the clock and the context. Searches of larger problems
// check more often: after evaluations with a total of approximately reportUnits units, but at least minReport
// evaluations.
const (
	reportEvery = 1024
	minReport   = 16
	reportUnits = reportEvery * 512
)

// rose records the throughput and the value of a new best mapping.
func (t *tally) rose(throughput, value float64) {
	t.best, t.value = throughput, value
	t.shared.offer(throughput, value)
	t.history = append(t.history, Point{Evals: t.evals, Elapsed: time.Since(t.start), Throughput: throughput,
		Value: value})
}

func (t *tally) publish() {
	t.shared.evals.Add(t.work() - t.published)
	t.published = t.work()
}

// work returns the chain's evaluations: scored mappings, and partial mappings that branch and bound visits.
func (t *tally) work() uint64 { return t.evals + t.nodes }

// hasEvals reports whether the limit permits evals more evaluations. If not, the chain ends at its next check.
func (t *tally) hasEvals(evals uint64) bool {
	if t.limit > 0 && t.work()+evals > t.limit {
		t.full, t.next = true, 0
	}
	return !t.full
}
