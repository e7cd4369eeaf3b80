package queueing

import "math"

// GG1 is the station with arrivals and service of any distribution, known by the
// squared coefficients of variation of the times between arrivals and of the
// service times.
type GG1 struct {
	Utilization float64 // ρ, in [0, 1)
	ArrivalSCV  float64 // ca²: 1 for Poisson arrivals, 0 for a regular stream
	ServiceSCV  float64 // cs²: 1 for exponential, 0 for constant service
}

// MeanQueue returns Lq = ρ²/(1-ρ) · (ca²+cs²)/2. It is exact for Poisson arrivals
// (Pollaczek and Khinchine), and otherwise Kingman's approximation, an upper
// bound in heavy traffic.
func (q GG1) MeanQueue() float64 {
	return MM1{q.Utilization}.MeanQueue() * (q.ArrivalSCV + q.ServiceSCV) / 2
}

// MeanResponse returns the mean time in the station in seconds, for a service
// rate in elements/s.
func (q GG1) MeanResponse(serviceRate float64) float64 {
	if q.Utilization == 0 {
		return 1 / serviceRate
	}
	return (1 + q.MeanQueue()/q.Utilization) / serviceRate
}

// Capacity returns the smallest K, at least 1, for which P[N > K] is at most p
// when the queue decays as in heavy traffic: P[N > n] ≈ ρ·σⁿ, with the mean that
// [GG1.MeanQueue] gives, so that σ = L/(1+L) with L the mean number given that the
// server is busy. It equals the M/M/1 figure for ca² = cs² = 1. For streams that
// are less variable than that it holds from ρ of about 0.5 on, and says nothing
// about correlated or bursty arrivals.
func (q GG1) Capacity(p float64) (float64, error) {
	if err := checkCapacity(q.Utilization, p); err != nil {
		return 0, err
	}
	if !(q.ArrivalSCV >= 0 && q.ServiceSCV >= 0) || math.IsInf(q.ArrivalSCV+q.ServiceSCV, 0) {
		return 0, ErrRange
	}
	rho := q.Utilization
	waiting := q.MeanQueue()
	if rho == 0 || waiting == 0 || rho <= p {
		return 1, nil
	}
	busy := waiting / rho // waiting elements on average while the server is busy
	// σ = busy/(1+busy)
	return wholeElements(math.Log(p/rho) / -math.Log1p(1/busy)), nil
}
