package queueing

import "math"

// MM1 is the station with Poisson arrivals, exponential service and room without
// end. The zero value is an empty station.
type MM1 struct {
	Utilization float64 // ρ = λ/μ, in [0, 1)
}

// Probability returns P[N = n] = (1-ρ)ρⁿ, for a whole n ≥ 0.
func (q MM1) Probability(n float64) float64 {
	if n < 0 || q.Utilization >= 1 {
		return 0
	}
	return idle(q.Utilization) * math.Pow(q.Utilization, n)
}

// MeanNumber returns L = ρ/(1-ρ), elements in the station on average.
func (q MM1) MeanNumber() float64 { return q.Utilization / idle(q.Utilization) }

// MeanQueue returns Lq = ρ²/(1-ρ), elements waiting on average (Lancaster 2011
// §7.3, N_Q).
func (q MM1) MeanQueue() float64 { return q.Utilization * q.MeanNumber() }

// MeanWait returns the mean time before service, Wq = Lq/λ by Little's law, in
// seconds, for a service rate in elements/s.
func (q MM1) MeanWait(serviceRate float64) float64 { return q.MeanNumber() / serviceRate }
