package queueing

import (
	"fmt"
	"math"
)

// MM1 is the station with Poisson arrivals, exponential service and room without
// end. The zero value is an empty station.
type MM1 struct {
	Utilization float64 // ρ = λ/μ, in [0, 1)
}

// Validate refuses a utilization outside [0, 1).
func (q MM1) Validate() error { return check(q.Utilization) }

// Probability returns P[N = n] = (1-ρ)ρⁿ, for a whole n ≥ 0.
func (q MM1) Probability(n float64) float64 {
	if n < 0 || q.Utilization >= 1 {
		return 0
	}
	return idle(q.Utilization) * math.Pow(q.Utilization, n)
}

// Tail returns P[N > n] = ρⁿ⁺¹, for a whole n. Lancaster 2011 §7.3 prints the same
// as P[N ≥ n] = ρⁿ.
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

// MeanNumber returns L = ρ/(1-ρ), elements in the station on average.
func (q MM1) MeanNumber() float64 { return q.Utilization / idle(q.Utilization) }

// MeanQueue returns Lq = ρ²/(1-ρ), elements waiting on average (Lancaster 2011
// §7.3, N_Q).
func (q MM1) MeanQueue() float64 { return q.Utilization * q.MeanNumber() }

// MeanWait returns the mean time before service, Wq = Lq/λ by Little's law, in
// seconds, for a service rate in elements/s.
func (q MM1) MeanWait(serviceRate float64) float64 { return q.MeanNumber() / serviceRate }

// MeanResponse returns the mean time in the station, W = L/λ by Little's law, in
// seconds, for a service rate in elements/s.
func (q MM1) MeanResponse(serviceRate float64) float64 {
	return 1 / (serviceRate * idle(q.Utilization))
}
