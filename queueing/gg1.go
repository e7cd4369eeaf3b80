package queueing

import "math"

// GG1 is the station with arrivals and service of any distribution, known by the
// squared coefficients of variation of the times between arrivals and of the
// service times. Both are independent from one element to the next.
type GG1 struct {
	Utilization float64 // ρ, in [0, 1)
	ArrivalSCV  float64 // ca²: 1 for Poisson arrivals, 0 for a regular stream
	ServiceSCV  float64 // cs²: 1 for exponential, 0 for constant service
}

// Validate refuses a utilization outside [0, 1) and a negative variation.
func (q GG1) Validate() error {
	if err := check(q.Utilization); err != nil {
		return err
	}
	if err := checkSCV("arrivals", q.ArrivalSCV); err != nil {
		return err
	}
	return checkSCV("service", q.ServiceSCV)
}

// MeanQueue returns Kingman's approximation for heavy traffic,
//
//	Lq = ρ²/(1-ρ) · (ca²+cs²)/2
//
// It is exact for Poisson arrivals, where it is the equation of Pollaczek and
// Khinchine ([MG1]), and tends to be exact as ρ approaches 1. For arrivals that are
// more regular than that it is too large at low ρ; [GG1.MeanQueueBound] is an upper
// bound.
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

// MeanWait returns the mean time before service, Wq = Lq/λ by Little's law, in
// seconds, for a service rate in elements/s.
func (q GG1) MeanWait(serviceRate float64) float64 {
	return MM1{q.Utilization}.MeanWait(serviceRate) * (q.ArrivalSCV + q.ServiceSCV) / 2
}

// MeanResponse returns the mean time in the station in seconds, for a service
// rate in elements/s.
func (q GG1) MeanResponse(serviceRate float64) float64 {
	return q.MeanWait(serviceRate) + 1/serviceRate
}

// Capacity returns the smallest K, at least 1, for which P[N > K] is at most p
// when the queue decays as in heavy traffic: P[N > n] ≈ ρ·σⁿ, with the mean that
// [GG1.MeanQueue] gives, so that σ = b/(1+b) with b = Lq/ρ the elements waiting on
// average while the server is busy. It equals the M/M/1 figure for ca² = cs² = 1.
//
// It is an estimate, no bound. With Poisson arrivals and p = 1e-7, for ρ from 0.1 to
// φ, it is none to three elements above the exact figure for gamma service times of
// cs² ≤ 1 ([MG1.Capacity]), and too small for hyperexponential ones: at cs² = 4 by
// 22 % at ρ = 0.5, 5 % at 0.9, 0.1 % at 0.999. It says nothing about correlated or
// bursty arrivals.
func (q GG1) Capacity(p float64) (float64, error) {
	if err := q.Validate(); err != nil {
		return 0, err
	}
	if err := checkProbability(p); err != nil {
		return 0, err
	}
	rho := q.Utilization
	busy := q.MeanWait(1)
	if busy == 0 || rho <= p {
		return 1, nil
	}
	// log σ = -log(1+1/b)
	return wholeElements((math.Log(p) - math.Log(rho)) / -math.Log1p(1/busy)), nil
}
