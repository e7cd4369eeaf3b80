package queueing

import (
	"math"
)

// GG1 is a station with general independent arrivals and service. Its results depend only on the squared coefficients
// of variation of the interarrival and service times.
type GG1 struct {
	Utilization float64 // ρ, in [0, 1)
	ArrivalSCV  float64 // ca²: 1 for Poisson arrivals, 0 for a regular stream
	ServiceSCV  float64 // cs²: 1 for exponential, 0 for constant service
}

// Validate returns an error for a utilization outside [0, 1) or a negative variation.
func (q GG1) Validate() error {
	if err := check(q.Utilization); err != nil {
		return err
	}
	if err := checkSCV("arrivals", q.ArrivalSCV); err != nil {
		return err
	}
	return checkSCV("service", q.ServiceSCV)
}

// MeanWait returns the mean time before service by Kingman's approximation, Wq = ρ/(1-ρ) · (ca²+cs²)/2 / μ, in seconds.
// serviceRate is μ in elements/s.
func (q GG1) MeanWait(serviceRate float64) float64 {
	return MM1{q.Utilization}.MeanWait(serviceRate) * (q.ArrivalSCV + q.ServiceSCV) / 2
}

// Capacity returns the smallest K, at least 1, for which P[N > K] is at most p. It assumes the geometric tail of heavy
// traffic, P[N > n] ≈ ρ·σⁿ, with the mean queue of Kingman's approximation,
//
//	Lq = ρ²/(1-ρ) · (ca²+cs²)/2
//
// so that σ = b/(1+b), where b = Lq/ρ is the mean number of waiting elements while the server is busy. The capacity
// equals the M/M/1 result for ca² = cs² = 1.
//
// The capacity is an estimate, not a bound. For Poisson arrivals, p = 1e-7, ρ from 0.1 to φ and gamma service times
// with cs² ≤ 1, it exceeds the exact result ([MG1.Capacity]) by zero to three elements. For hyperexponential service
// times, it is too small. With cs² = 4, the difference is 22 % at ρ = 0.5, 5 % at ρ = 0.9, and 0.1 % at ρ = 0.999. The
// estimate does not apply to correlated or bursty arrivals.
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
	return roundUp((math.Log(p) - math.Log(rho)) / -math.Log1p(1/busy)), nil
}

// FiniteCapacity returns the buffer space in elements between a writer and a reader for a given loss. With this space,
// blocking and starvation reduce the throughput of the slower kernel by at most the fraction loss:
//
//	K = v/(-2 ln ρ) · ln(1 + (1-ρ)/loss),  v/(2·loss) for ρ = 1
//
// ρ is the utilization of the less busy kernel while the busier kernel always works. v = ca²+cs² is the sum of both
// kernels' variances per element, in squares of the mean time of an element. Near ρ = 1, the formula describes Brownian
// motion with drift -(1-ρ) and variance v between the barriers 0 and K. The regulator at the far barrier has the rate
// (1-ρ)/(e^(2(1-ρ)K/v) - 1) (Harrison 1985, §5.6). With -ln ρ in the exponent, the formula is correct for exponential
// services (v = 2) at every ρ, where the queue decays as ρᴷ. Unlike the capacity of an open station, the result is
// finite at ρ = 1, the case of a source that sends as fast as possible.
//
// K excludes the elements in service at the writer and at the reader.
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
