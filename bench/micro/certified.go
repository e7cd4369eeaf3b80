package micro

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"

	"xopt/queueing"
	"xopt/queueing/times"
)

// CertifiedQueue is what the measured times of a queue certify, beside what its size must be.
type CertifiedQueue struct {
	// Size is certified for a probability of 1e-7, in elements, those in service counted; 0 where
	// Refused says why not.
	Size    float64
	Refused string
	// Needed is what independent times of the measured distributions need for that, by importance
	// sampling, which no run of this length could see; 0 where nothing is certified.
	Needed float64
	// Most is the most that was in the queue in the run, in elements.
	Most float64
}

// Exceeded reports whether the run had more in the queue than what was certified.
func (c *CertifiedQueue) Exceeded() bool { return c.Size > 0 && c.Most > c.Size }

// certify sizes a queue from its undisturbed times.
func (c *QueueCase) certify(between, service, found []float64) {
	x := CertifiedQueue{}
	if len(found) > 0 {
		x.Most = slices.Max(found) + 1 // with the element that found it so
	}
	certificate, err := queueing.Certify(times.Of(service), times.Of(between), queueing.Pace{})
	if err != nil {
		x.Refused = strings.TrimPrefix(err.Error(), queueing.ErrNotCertified.Error()+": ")
	} else {
		x.Size = certificate.Elements(queueing.DefaultProbability)
		x.Needed = needed(service, between, queueing.DefaultProbability)
	}
	c.Certified = x
}

// tilted draws samples with probabilities in proportion to exp(θx).
type tilted struct{ values, cumulated []float64 }

func newTilted(samples []float64, theta float64) *tilted {
	t := &tilted{values: slices.Sorted(slices.Values(samples))}
	most := max(theta*t.values[0], theta*t.values[len(t.values)-1])
	sum := 0.0
	for _, x := range t.values {
		sum += math.Exp(theta*x - most)
		t.cumulated = append(t.cumulated, sum)
	}
	return t
}

func (t *tilted) draw(r *rand.Rand) float64 {
	u := r.Float64() * t.cumulated[len(t.cumulated)-1]
	return t.values[min(sort.SearchFloat64s(t.cumulated, u), len(t.values)-1)]
}

// logMean is log E exp(θX) of samples.
func logMean(samples []float64, theta float64) float64 {
	most := math.Inf(-1)
	for _, x := range samples {
		most = max(most, theta*x)
	}
	sum := 0.0
	for _, x := range samples {
		sum += math.Exp(theta*x - most)
	}
	return most + math.Log(sum/float64(len(samples)))
}

// needed is the least K with P(N > K) at most p, as an arrival sees it, in a queue with independent
// service times and gaps of the samples' distributions; 0 where it cannot be told.
//
// More than K wait when, for some g, g + 1 services are longer than g + K + 1 gaps. With both drawn from
// the distributions tilted by θ, the root of E exp(θS) E exp(-θT) = 1, that always happens, and its
// probability is σ^K E exp(-θX), where X is by how much it does and σ = E exp(-θT).
func needed(service, gaps []float64, p float64) float64 {
	mean, _ := moments(service)
	low, high := 0.0, 1/mean
	over := func(theta float64) bool { return logMean(service, theta)+logMean(gaps, -theta) > 0 }
	for range 60 {
		if over(high) {
			break
		}
		low, high = high, 2*high
	}
	if !over(high) {
		return 1
	}
	for high-low > 1e-9*high {
		if mid := (low + high) / 2; over(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	if low == 0 {
		return 0
	}
	const (
		runs  = 2000
		far   = 40 // elements from which on E exp(-θX) is the same
		steps = 1e6
	)
	log := logMean(gaps, -low)
	r := rand.New(rand.NewPCG(1, 2))
	up, down := newTilted(service, low), newTilted(gaps, -low)
	k := math.Ceil(math.Log(p) / log)
	for range 2 {
		sum := 0.0
		for range runs {
			x := up.draw(r)
			for range int(min(k+1, far)) {
				x -= down.draw(r)
			}
			for i := 0; x <= 0 && i < steps; i++ {
				x += up.draw(r) - down.draw(r)
			}
			sum += math.Exp(-low * max(x, 0))
		}
		k = max(math.Ceil((math.Log(p)-math.Log(sum/runs))/log), 1)
	}
	return k
}
