package queueing

import (
	"fmt"
	"math"
)

// The following properties of stations are used only by tests (Little's law, tails against sizes).

// Validate reports a utilization outside [0, 1).
func (q MM1) Validate() error { return check(q.Utilization) }

// Tail returns P[N > n] = ρⁿ⁺¹ for an integer n. Lancaster 2011 §7.3 prints it as P[N ≥ n] = ρⁿ.
func (q MM1) Tail(n float64) float64 {
	if n < 0 || q.Utilization >= 1 {
		return 1
	}
	if q.Utilization < 0 {
		return math.NaN()
	}
	return math.Pow(q.Utilization, n+1)
}

// Quantile returns the smallest n for which P[N ≤ n] is at least p, a probability
// in [0, 1).
func (q MM1) Quantile(p float64) (float64, error) {
	if err := check(q.Utilization); err != nil {
		return 0, err
	}
	if !(p >= 0 && p < 1) {
		return 0, fmt.Errorf("quantile %g is not in [0, 1): %w", p, ErrRange)
	}
	if q.Utilization == 0 || p == 0 {
		return 0, nil
	}
	n := math.Log1p(-p)/logUtilization(q.Utilization) - 1
	return math.Max(0, math.Ceil(n-capacityRounding*(n+1))), nil
}

// MeanResponse returns the mean time in the station, W = L/λ by Little's law, in
// seconds, for a service rate in elements/s.
func (q MM1) MeanResponse(serviceRate float64) float64 {
	return 1 / (serviceRate * idle(q.Utilization))
}

// MeanWait returns the mean time before service, Wq = Lq/λ by Little's law, in
// seconds, for a service rate in elements/s.
func (q MG1) MeanWait(serviceRate float64) float64 {
	return MM1{q.Utilization}.MeanWait(serviceRate) * (1 + q.ServiceSCV) / 2
}

// MeanResponse returns the mean time in the station in seconds, for a service
// rate in elements/s.
func (q MG1) MeanResponse(serviceRate float64) float64 {
	return q.MeanWait(serviceRate) + 1/serviceRate
}

// Tail returns P[N > n] for an integer n. Its relative error is below 1e-7 if it is larger than 1e-30, and there is no
// cancellation below that. It is NaN for an invalid station, and 1 for an unstable one.
func (q MG1) Tail(n float64) float64 {
	switch {
	case math.IsNaN(n):
		return math.NaN()
	case q.Utilization >= 1 || n < 0:
		return 1
	case q.Validate() != nil:
		return math.NaN()
	case n < 1:
		return q.Utilization
	case q.ServiceSCV >= 1:
		h := q.hyper()
		return h.tail(math.Floor(n))
	}
	var c chain
	q.embed(&c)
	return c.at(math.Floor(n))
}

// at returns P[N > n].
func (c *chain) at(n float64) float64 {
	switch {
	case n < chainTerms:
		return c.tails[int(n)]
	case c.x == 0:
		return 0
	}
	return c.asymptote(n)
}

// MeanResponse returns the mean time in the station in seconds, for a service
// rate in elements/s.
func (q GG1) MeanResponse(serviceRate float64) float64 {
	return q.MeanWait(serviceRate) + 1/serviceRate
}

// MeanQueue returns Kingman's approximation for heavy traffic,
//
//	Lq = ρ²/(1-ρ) · (ca²+cs²)/2
//
// It is exact for Poisson arrivals, where it is the equation of Pollaczek and Khinchine ([MG1]), and asymptotically
// exact as ρ approaches 1. For more regular arrivals it is too large at low ρ. [GG1.MeanQueueBound] is an upper bound.
func (q GG1) MeanQueue() float64 {
	return MM1{q.Utilization}.MeanQueue() * (q.ArrivalSCV + q.ServiceSCV) / 2
}

// MeanQueueBound returns Kingman's upper bound on the mean queue (Kingman 1962),
//
//	Lq ≤ (ca²+ρ²cs²) / (2(1-ρ))
//
// which holds at every ρ below 1 and for all distributions.
func (q GG1) MeanQueueBound() float64 {
	rho := q.Utilization
	return (q.ArrivalSCV + rho*rho*q.ServiceSCV) / (2 * idle(rho))
}

// MeanNumber returns L = Lq + ρ.
func (q GG1) MeanNumber() float64 { return q.MeanQueue() + q.Utilization }
