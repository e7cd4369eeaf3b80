package queueing

import (
	"fmt"
	"math"
)

// VirtualQueue contains all elements between a writer and a reader on different resources: elements before the link, in
// transfer, and after the link (Lancaster 2011 §5.1). A link with bulk transfers waits for a complete bulk and delivers
// all of its elements at once. The queues of such a link differ from the queues of a server of single elements (§5.3).
//
// Sizes computes bounds on the number of elements. Consider a queue without a link in which element i arrives when the
// link has moved the last element of its bulk. An element leaves the virtual queue no later than it leaves this queue.
// The link has moved the last element of its bulk at most a transfer time D after the arrival of element i+B-1, so that
//
//	N(t) ≤ (B-1) + A(t-D, t) + N'(t-D)
//
// where N' is the length of a queue without a link, and A is the number of arrivals during D. The tail of N is the tail
// of N', shifted by B-1 and by the quantile of A. This applies to independent gaps and service times of any
// distribution. The terms of several links add up. If a flush time f limits the wait for a bulk, only the first element
// and the arrivals during f wait.
type VirtualQueue struct {
	// Rate is the writer's rate in elements/s.
	Rate float64
	// Batch is the number of elements that the writer inserts at once; 0 means 1.
	Batch float64
	// Alone is the number of elements that the queue before the reader would need without a link. Any estimator of this
	// package can compute it, with the same probability.
	Alone float64
	// Links are the links that the elements cross, in order.
	Links []BulkLink
}

// BulkLink is a link that moves elements in bulks.
type BulkLink struct {
	Bulk     float64 // elements of a full transfer, at least 1
	Transfer float64 // duration of a full transfer including its fixed cost, s
	Latency  float64 // time from the end of a transfer to its arrival, s; meanwhile the link carries other transfers
	Flush    float64 // timeout after which an incomplete transfer starts, s; 0 for none
	Others   float64 // utilization of the link by other edges, in [0, 1)
}

// VirtualSizes are buffer sizes in elements.
type VirtualSizes struct {
	// Upstream is the size of a separate buffer before the first link. It has space for the bulk that is being filled,
	// for the bulk that waits or moves, and for the arrivals in that time. The minimum is twice the unit of transfer: a
	// bulk, or the arrivals in the flush time.
	Upstream float64
	// Downstream is the size of a separate buffer after the last link, with the same minimum.
	Downstream float64
	// Ring is the size of a single ring from insertion to removal. xopt deploy allocates one ring per edge, regardless
	// of the links that it crosses. `buffer { e } = N` sets this size.
	Ring float64
}

// Sizes returns sizes that the queues exceed with a probability of at most p. Alone must be the size for the same p.
// The number of arrivals in a short time must not vary more than for Poisson arrivals. For a fully utilized link, the
// error is [ErrUnstable].
func (q *VirtualQueue) Sizes(p float64) (VirtualSizes, error) {
	if err := checkProbability(p); err != nil {
		return VirtualSizes{}, err
	}
	if !(q.Rate > 0 && q.Alone >= 1) || math.IsInf(q.Rate, 1) || math.IsInf(q.Alone, 1) {
		return VirtualSizes{}, fmt.Errorf("virtual queue with a rate of %g elements/s and a size of %g elements "+
			"without links: %w", q.Rate, q.Alone, ErrRange)
	}
	waiting, away, first, last, maximum := 0.0, 0.0, 0.0, 0.0, 1.0
	for i, l := range q.Links {
		wait, busy, err := l.needs(q, p)
		if err != nil {
			return VirtualSizes{}, err
		}
		waiting, away, maximum = waiting+wait, away+busy+l.Latency, max(maximum, wait+1)
		if i == 0 {
			first = wait + q.arrivals(busy, p)
		}
		last = wait + 1
	}
	s := VirtualSizes{
		Upstream: max(first+1, 2*maximum), Downstream: max(q.Alone+last-1, 2*maximum),
		Ring: max(q.Alone+waiting+q.arrivals(away, p), 2*maximum),
	}
	if len(q.Links) == 0 {
		s = VirtualSizes{Upstream: q.Alone, Downstream: q.Alone, Ring: q.Alone}
	}
	return s, nil
}

// needs returns two upper bounds that hold with probability 1-p. wait is a bound on the number of elements that wait
// for a full transfer. busy is a bound on the time in s that an element waits for the link and its transfer.
func (l *BulkLink) needs(q *VirtualQueue, p float64) (wait, busy float64, err error) {
	if !(l.Bulk >= 1 && l.Transfer >= 0 && l.Latency >= 0 && l.Flush >= 0 && l.Others >= 0) ||
		math.IsInf(l.Bulk+l.Transfer+l.Latency+l.Flush+l.Others, 1) {
		return 0, 0, fmt.Errorf("link with bulks of %g elements, a transfer time of %g s and a latency of %g s: %w",
			l.Bulk,
			l.Transfer, l.Latency, ErrRange)
	}
	own := q.Rate * l.Transfer / l.Bulk
	// The time between bulks is a sum of gaps, unless bulks of other edges are between them. The transfer time of bulks
	// is constant.
	scv := 1.0
	if l.Others == 0 {
		scv = min(1, max(q.Batch, 1)/l.Bulk)
	}
	transfers := 1.0
	if own+l.Others > 0 {
		if transfers, err = (GG1{own + l.Others, scv, 0}).Capacity(p); err != nil {
			return 0, 0, fmt.Errorf("link with a utilization of %g: %w", own+l.Others, err)
		}
	}
	wait = math.Ceil(l.Bulk) - 1
	if l.Flush > 0 {
		wait = min(wait, max(q.Batch, 1)+q.arrivals(l.Flush, p))
	}
	return wait, l.Transfer * max(transfers, 1), nil
}

// arrivals returns a bound, with probability 1-p, on the number of elements that arrive in a time.
func (q *VirtualQueue) arrivals(time, p float64) float64 {
	batch := max(q.Batch, 1)
	return batch * poissonQuantile(q.Rate*time/batch, p)
}

// poissonQuantile returns an n that a Poisson number with the given mean exceeds with a probability of at most p. It
// uses the Chernoff bound, P(N ≥ n) ≤ exp(-m) (em/n)^n for n > m, so n is slightly larger than necessary.
func poissonQuantile(mean, p float64) float64 {
	if !(mean > 0) {
		return 0
	}
	bound := func(n float64) float64 { return n - mean + n*math.Log(mean/n) } // bound on log P(N ≥ n)
	low, high := mean, mean+1
	for bound(high) > math.Log(p) {
		low, high = high, high+(high-mean)+1
	}
	for high-low > 1e-6*high && high-low > 0.01 {
		if middle := (low + high) / 2; bound(middle) > math.Log(p) {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Ceil(high) - 1
}
