package queueing

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// Draw returns a random time in seconds.
type Draw func(*rand.Rand) float64

// BulkQueue is a model of the virtual queue of Lancaster 2011 §5.3. It simulates each element. Stage 1 is the link: it
// waits for Bulk elements, moves them together in a constant time, and delivers them together. Stage 2 is the reader,
// which serves one element after another. Simulate draws gaps between insertions and service times independently.
//
// A service time is the time from one removal to the next removal while elements wait. Do not use all gaps between
// removals as service times. In equilibrium, the mean of these gaps equals the mean of the gaps between insertions, so
// the queue would be fully utilized.
type BulkQueue struct {
	Gap, Service Draw
	Bulk         int     // elements of a transfer, at least 1; 0 without a link
	Transfer     float64 // duration of a full transfer, s
	Setup        float64 // part of Transfer that is independent of the number of elements, s
	Latency      float64 // time from the end of a transfer to its arrival, s
	Jitter       float64 // maximum additional latency, uniformly distributed, s; transfers stay in order
	Flush        float64 // timeout after which an incomplete transfer starts, s; 0 for none
	// RemovesFirst is true if the reader removes an element before its service, and false if it removes the element
	// after its service.
	RemovesFirst bool
}

// BulkQueueRun is the result of a simulation. Distributions are by number of elements, from 0.
type BulkQueueRun struct {
	// Upstream, Moving, Downstream and Virtual are distributions of the number of elements at the insertion of an
	// element: before the link, in transfer, after the link, and in total.
	Upstream, Moving, Downstream, Virtual Distribution
	// Left is the distribution of the number of elements after the link, counted at each removal without the removed
	// element.
	Left Distribution
	// MeanUpstream and MeanVirtual are the mean numbers of elements over time.
	MeanUpstream, MeanVirtual float64
}

// Distribution is the frequency of each number of elements.
type Distribution []float64

// Total returns the sum of the frequencies.
func (d Distribution) Total() (sum float64) {
	for _, n := range d {
		sum += n
	}
	return sum
}

// Mean returns the mean number of elements.
func (d Distribution) Mean() float64 {
	sum, all := 0.0, 0.0
	for i, n := range d {
		sum += float64(i) * n
		all += n
	}
	return sum / all
}

// Quantile returns the smallest number of elements that is exceeded with a frequency of at most 1-p.
func (d Distribution) Quantile(p float64) int {
	rest := (1 - p) * d.Total()
	for i := len(d) - 1; i >= 0; i-- {
		if rest -= d[i]; rest < 0 {
			return i
		}
	}
	return 0
}

// Distance returns the total variation distance of two distributions, in [0, 1].
func (d Distribution) Distance(other Distribution) float64 {
	a, b, sum := d.Total(), other.Total(), 0.0
	for i := range max(len(d), len(other)) {
		x, y := 0.0, 0.0
		if i < len(d) {
			x = d[i] / a
		}
		if i < len(other) {
			y = other[i] / b
		}
		sum += math.Abs(x-y) / 2
	}
	return sum
}

func (d *Distribution) add(n int) {
	for len(*d) <= n {
		*d = append(*d, 0)
	}
	(*d)[n]++
}

// Validate returns an error for parameters that cannot be simulated. It wraps [ErrRange] if a value is out of range.
func (q *BulkQueue) Validate() error {
	switch {
	case q.Gap == nil || q.Service == nil:
		return errors.New("a bulk queue has no distribution of gaps or service times")
	case q.Bulk < 0:
		return fmt.Errorf("bulk of %d elements: %w", q.Bulk, ErrRange)
	}
	for _, x := range []float64{q.Transfer, q.Setup, q.Latency, q.Jitter, q.Flush} {
		if !(x >= 0) || math.IsInf(x, 1) {
			return fmt.Errorf("link time %g s: %w", x, ErrRange)
		}
	}
	if q.Setup > q.Transfer {
		return fmt.Errorf("transfer time %g s with a fixed part of %g s: %w", q.Transfer, q.Setup, ErrRange)
	}
	return nil
}

// warmUp is the fraction of elements at the start that the statistics exclude, because the queue is still filling.
const warmUp = 0.02

// Simulate simulates the queue with the given number of elements and random source. It returns an error of
// [BulkQueue.Validate] or of ctx.
func (q *BulkQueue) Simulate(ctx context.Context, elements int, src rand.Source) (*BulkQueueRun, error) {
	if err := q.Validate(); err != nil {
		return nil, err
	}
	s := bulkSimulation{q: q, rng: rand.New(src), bulk: max(q.Bulk, 1)}
	skip := int(warmUp * float64(elements))
	for i := range elements {
		if i == skip {
			s.counts, s.start = true, s.clock
		}
		s.clock += q.Gap(s.rng)
		s.until(s.clock)
		if s.counts {
			s.found()
		}
		s.upstream.push(s.clock)
		if i%(1<<16) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	span := s.clock - s.start
	s.run.MeanUpstream, s.run.MeanVirtual = s.waited/span, s.stayed/span
	return &s.run, nil
}

// transfer is a group of elements in transfer or, without a link, a single element.
type transfer struct {
	elements int
	arrives  float64
}

// bulkSimulation is the state of a simulation. It advances from arrival to arrival. Earlier arrivals determine the
// events between two arrivals.
type bulkSimulation struct {
	q     *BulkQueue
	rng   *rand.Rand
	bulk  int
	run   BulkQueueRun
	clock float64 // time of the current arrival

	counts         bool
	start          float64
	waited, stayed float64 // element seconds before the link, and in total

	upstream queueOf[float64]  // insertion times of elements that wait for the link
	free     float64           // time at which the link becomes free
	arrived  float64           // arrival of the last transfer
	moving   queueOf[transfer] // transfers that have not arrived
	away     int               // elements in transfer
	inserted queueOf[float64]  // insertion times of elements that were moved but are not removed
	leaving  queueOf[float64]  // removal times
	ready    float64           // time at which the reader becomes free
	here     int               // elements that have arrived but are not removed
}

// until processes all events until time t.
func (s *bulkSimulation) until(t float64) {
	for s.upstream.len() > 0 {
		n, start := min(s.upstream.len(), s.bulk), math.Inf(1)
		if n == s.bulk {
			start = max(s.free, s.upstream.at(n-1))
		} else if s.q.Flush > 0 {
			start = max(s.free, s.upstream.at(0)+s.q.Flush)
		}
		if start > t {
			break
		}
		s.move(n, start)
	}
	for s.leaving.len() > 0 && s.leaving.at(0) <= t {
		at := s.leaving.pop()
		s.arrive(at)
		s.here--
		if came := s.inserted.pop(); s.counts {
			s.run.Left.add(s.here)
			s.stayed += at - came
		}
	}
	s.arrive(t)
}

// arrive delivers the transfers that have arrived by time t.
func (s *bulkSimulation) arrive(t float64) {
	for s.moving.len() > 0 && s.moving.at(0).arrives <= t {
		n := s.moving.pop().elements
		s.away -= n
		s.here += n
	}
}

// move starts a transfer and computes the removal times of its elements.
func (s *bulkSimulation) move(n int, start float64) {
	arrives := start
	if s.q.Bulk > 0 {
		s.free = start + s.q.Setup + (s.q.Transfer-s.q.Setup)*float64(n)/float64(s.bulk)
		arrives = s.free + s.q.Latency
		if s.q.Jitter > 0 {
			arrives = max(arrives+s.q.Jitter*s.rng.Float64(), s.arrived)
			s.arrived = arrives
		}
	}
	s.moving.push(transfer{n, arrives})
	s.away += n
	for range n {
		came := s.upstream.pop()
		if s.counts {
			s.waited += start - came
		}
		s.inserted.push(came)
		first := max(s.ready, arrives)
		s.ready = first + s.q.Service(s.rng)
		if s.q.RemovesFirst {
			s.leaving.push(first)
		} else {
			s.leaving.push(s.ready)
		}
	}
}

// found counts the elements in the queue at the current arrival.
func (s *bulkSimulation) found() {
	s.run.Upstream.add(s.upstream.len())
	s.run.Moving.add(s.away)
	s.run.Downstream.add(s.here)
	s.run.Virtual.add(s.upstream.len() + s.away + s.here)
}

// queueOf is a queue in a growing ring buffer. The zero value is empty.
type queueOf[T any] struct {
	ring        []T // length is a power of two
	first, last int
}

func (q *queueOf[T]) len() int   { return q.last - q.first }
func (q *queueOf[T]) at(i int) T { return q.ring[(q.first+i)&(len(q.ring)-1)] }

func (q *queueOf[T]) pop() T {
	v := q.ring[q.first&(len(q.ring)-1)]
	q.first++
	return v
}

func (q *queueOf[T]) push(v T) {
	if q.len() == len(q.ring) {
		grown := make([]T, max(16, 2*len(q.ring)))
		for i := range q.len() {
			grown[i] = q.at(i)
		}
		q.ring, q.first, q.last = grown, 0, q.len()
	}
	q.ring[q.last&(len(q.ring)-1)] = v
	q.last++
}
