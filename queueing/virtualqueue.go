package queueing

import (
	"fmt"
	"math"
)

// VirtualQueue is all that lies between a writer and a reader on different resources: what waits
// for the link in front of it, what is under way, and what waits for the reader behind it
// (Lancaster 2011 §5.1). A link that moves bulks waits until one is there and delivers it at
// once; its queues do not even resemble those of a server of single elements (§5.3).
//
// Sizes bounds what it holds. An element leaves no later than in a queue without a link whose
// element i comes when the last of its bulk is there and moved. At the latest that is the arrival
// of element i+B-1 and the time D of the transfer, so that
//
//	N(t) ≤ (B-1) + A(t-D, t) + N'(t-D)
//
// with N' a queue without a link and A the arrivals of D. Its tail is that of N' shifted by B-1
// and the quantile of A, for independent gaps and service times, whatever their distribution.
// Several links add theirs. A flush time f bounds the wait for a bulk: no more wait than come in
// f, and the first.
type VirtualQueue struct {
	// Rate is how many elements the writer inserts, in elements/s.
	Rate float64
	// Batch is how many of them it inserts at once, at least 1; 0 for 1.
	Batch float64
	// Alone is how many elements the queue in front of the reader would need without a link, by
	// any estimator of this package: it holds N' but with the same probability.
	Alone float64
	// Links are those that the elements cross, in order.
	Links []BulkLink
}

// BulkLink is a link that moves elements in bulks.
type BulkLink struct {
	Bulk     float64 // elements of a full transfer, at least 1
	Transfer float64 // what one takes, its fixed cost included, s
	Latency  float64 // until what it has moved arrives, s; the link carries others meanwhile
	Flush    float64 // after which a transfer goes that is not full, s; 0 for never
	Others   float64 // the part of its time that other edges take of it, in [0, 1)
}

// VirtualSizes are sizes in elements.
type VirtualSizes struct {
	// Upstream is for a buffer of its own in front of the first link: the bulk that is filled,
	// the one that waits or is moved, and what comes meanwhile; at the least twice what goes
	// together: a bulk, or what comes in the flush time.
	Upstream float64
	// Downstream is for a buffer of its own behind the last link, at the least as much.
	Downstream float64
	// Ring is for all of it in one ring, from insertion to removal. xopt deploy allocates one
	// ring for an edge, whatever links it crosses: `buffer { e } = N` is this size.
	Ring float64
}

// Sizes returns sizes that are exceeded with a probability of at most p, where Alone is the size
// for p, and the arrivals of a short time vary no more than those of a Poisson process. A link
// that is utilized fully has no such size, and the error is [ErrUnstable].
func (q *VirtualQueue) Sizes(p float64) (VirtualSizes, error) {
	if err := checkProbability(p); err != nil {
		return VirtualSizes{}, err
	}
	if !(q.Rate > 0 && q.Alone >= 1) || math.IsInf(q.Rate, 1) || math.IsInf(q.Alone, 1) {
		return VirtualSizes{}, fmt.Errorf("%g elements/s to a queue that needs %g elements alone: %w", q.Rate, q.Alone,
			ErrRange)
	}
	waiting, away, first, last, most := 0.0, 0.0, 0.0, 0.0, 1.0
	for i, l := range q.Links {
		wait, busy, err := l.needs(q, p)
		if err != nil {
			return VirtualSizes{}, err
		}
		waiting, away, most = waiting+wait, away+busy+l.Latency, max(most, wait+1)
		if i == 0 {
			first = wait + q.arrivals(busy, p)
		}
		last = wait + 1
	}
	s := VirtualSizes{
		Upstream: max(first+1, 2*most), Downstream: max(q.Alone+last-1, 2*most),
		Ring: max(q.Alone+waiting+q.arrivals(away, p), 2*most),
	}
	if len(q.Links) == 0 {
		s = VirtualSizes{Upstream: q.Alone, Downstream: q.Alone, Ring: q.Alone}
	}
	return s, nil
}

// needs is how many elements wait for a transfer to be full at the most, and how long one waits
// for the link and is moved, but with probability p.
func (l *BulkLink) needs(q *VirtualQueue, p float64) (wait, busy float64, err error) {
	if !(l.Bulk >= 1 && l.Transfer >= 0 && l.Latency >= 0 && l.Flush >= 0 && l.Others >= 0) ||
		math.IsInf(l.Bulk+l.Transfer+l.Latency+l.Flush+l.Others, 1) {
		return 0, 0, fmt.Errorf("a link with bulks of %g elements that take %g s, and a latency of %g s: %w", l.Bulk,
			l.Transfer, l.Latency, ErrRange)
	}
	own := q.Rate * l.Transfer / l.Bulk
	// Bulks come as sums of as many gaps, unless others are between them, and take one time.
	scv := 1.0
	if l.Others == 0 {
		scv = min(1, max(q.Batch, 1)/l.Bulk)
	}
	transfers := 1.0
	if own+l.Others > 0 {
		if transfers, err = (GG1{own + l.Others, scv, 0}).Capacity(p); err != nil {
			return 0, 0, fmt.Errorf("a link whose transfers take %g of its time: %w", own+l.Others, err)
		}
	}
	wait = math.Ceil(l.Bulk) - 1
	if l.Flush > 0 {
		wait = min(wait, max(q.Batch, 1)+q.arrivals(l.Flush, p))
	}
	return wait, l.Transfer * max(transfers, 1), nil
}

// arrivals is how many elements come in a time at the most, but with probability p.
func (q *VirtualQueue) arrivals(time, p float64) float64 {
	batch := max(q.Batch, 1)
	return batch * poissonQuantile(q.Rate*time/batch, p)
}

// poissonQuantile is the least n that more than n of a Poisson process of the given mean exceed with a
// probability of at most p: by the Chernoff bound, P(N ≥ n) ≤ exp(-m) (em/n)^n for n > m, which is
// a little more than is needed.
func poissonQuantile(mean, p float64) float64 {
	if !(mean > 0) {
		return 0
	}
	bound := func(n float64) float64 { return n - mean + n*math.Log(mean/n) } // of log P(N ≥ n)
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
