package mapper

import (
	"sync"
	"sync/atomic"
	"time"
)

// counters are what all chains of a search report to, for progress.
type counters struct {
	evals       atomic.Uint64 // and nodes
	temperature atomic.Uint64 // bits, of the chain that reported last
	acceptance  atomic.Uint64
	bound       atomic.Uint64 // bits of a throughput that no mapping exceeds; 0 for none known

	mu   sync.Mutex
	best rise
}

// rise is the best so far: by the first objective, then by throughput. The zero value is
// nothing yet.
type rise struct{ throughput, value float64 }

// offer takes in what is better, and reports whether it was.
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

// get returns the best so far.
func (c *counters) get() (throughput, value float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.best.throughput, c.best.value
}

// tally counts the mappings that one chain has scored.
type tally struct {
	shared *counters
	start  time.Time
	limit  uint64 // of this chain's evaluations; 0 = none
	full   bool   // what would come next is more than the limit leaves
	evals  uint64
	nodes  uint64  // of branch and bound; they count as evaluations
	told   uint64  // evaluations already added to shared
	next   uint64  // evaluations at which the chain looks up
	best   float64 // throughput; of the best by another objective, where there is one
	value  float64 // of that objective
	// history is the best so far, whenever it rose.
	history []Point
}

// Point is one rise of the best of a search.
type Point struct {
	Evals      uint64 // mappings scored by the chain that found it
	Elapsed    time.Duration
	Throughput float64 // bytes/s
	Value      float64 // of the first objective, where that is not throughput
}

// tellEvery is how many evaluations are made between two looks at the clock and the context:
// fewer of larger problems, but tellLeast, so that about as many units are looked at.
const (
	tellEvery = 1024
	tellLeast = 16
	tellUnits = tellEvery * 512
)

// rose notes a better mapping than all before.
func (t *tally) rose(throughput, value float64) {
	t.best, t.value = throughput, value
	t.shared.offer(throughput, value)
	t.history = append(t.history, Point{Evals: t.evals, Elapsed: time.Since(t.start), Throughput: throughput,
		Value: value})
}

func (t *tally) tell() {
	t.shared.evals.Add(t.work() - t.told)
	t.told = t.work()
}

// work is how many evaluations the chain has made: mappings scored, and partial mappings
// that branch and bound has looked at.
func (t *tally) work() uint64 { return t.evals + t.nodes }

// room reports whether the limit leaves so many evaluations. Where it does not, the chain has to
// look up: it ends.
func (t *tally) room(evals uint64) bool {
	if t.limit > 0 && t.work()+evals > t.limit {
		t.full, t.next = true, 0
	}
	return !t.full
}
