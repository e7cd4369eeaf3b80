package queueing

import (
	"math"
)

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

// MeanWait returns the mean time before service, Wq = Lq/λ by Little's law, in
// seconds, for a service rate in elements/s.
func (q GG1) MeanWait(serviceRate float64) float64 {
	return MM1{q.Utilization}.MeanWait(serviceRate) * (q.ArrivalSCV + q.ServiceSCV) / 2
}

// Capacity returns the smallest K, at least 1, for which P[N > K] is at most p
// when the queue decays as in heavy traffic: P[N > n] ≈ ρ·σⁿ, with the mean of
// Kingman's approximation,
//
//	Lq = ρ²/(1-ρ) · (ca²+cs²)/2
//
// so that σ = b/(1+b) with b = Lq/ρ the elements waiting on average while the server is
// busy. It equals the M/M/1 figure for ca² = cs² = 1.
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

// FiniteCapacity returns the room between a writer and a reader, in elements, with which blocking
// and starving take at most a part loss of the throughput of the slower:
//
//	K = v/(-2 ln ρ) · ln(1 + (1-ρ)/loss),  v/(2·loss) for ρ = 1
//
// ρ is how much the less busy of the two is used when the other works all of the time, and v =
// ca²+cs² the variance that their times add for each element, in squares of its mean time. Near ρ =
// 1 it is Brownian motion with drift -(1-ρ) and variance v between the barriers 0 and K, whose
// regulator pushes with the rate (1-ρ)/(e^(2(1-ρ)K/v) - 1) at the far one (Harrison 1985, §5.6);
// with -ln ρ in the exponent it is right for exponential services (v = 2) at every ρ, where the
// queue decays as ρᴷ. Unlike the sizes of open stations it is finite at ρ = 1, where a source sends
// as fast as it can.
//
// A place for what the writer works on and one for what the reader works on come on top.
func FiniteCapacity(rho, v, loss float64) float64 {
	if !(v > 0) || !(rho > 0) {
		return 0
	}
	d := math.Max(0, 1-rho)
	if d/loss < 1e-9 {
		return v / (2 * loss)
	}
	return v / (-2 * logUtilization(rho)) * math.Log1p(d/loss)
}
