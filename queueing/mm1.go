package queueing

import (
	"fmt"
	"math"
)

// DefaultProbability is the P_K of Beard 2013, Eq. 8.
const DefaultProbability = 1e-7

// Capacity returns a buffer size in elements, including the element in service, by Beard 2013, Eq. 8:
//
//	K = log(P_K/(1-ρ)) / log ρ - 1
//
// The result is rounded up, and at least 1. It solves (1-ρ)ρᴷ⁺¹ = P_K. Therefore P_K is the probability of exactly K+1
// elements, not of more than K elements. At ρ = 0.9 and P_K = 1e-7, K is 131, but P[N > K] is 1e-7 only at K = 152
// ([TailCapacity]).
//
// If P_K/(1-ρ) is ρ² or more, the formula yields less than one element, and the result is 1. This occurs if ρ is so
// small that no element waits, or if 1-ρ is close to P_K. As ρ approaches 1, the result grows until 1-ρ is a few times
// P_K. It then falls to 1, although the queue keeps growing. For a nearly saturated station, only [TailCapacity] is
// meaningful. Reports label Capacity as the papers' figure.
func Capacity(rho, pk float64) (float64, error) {
	if err := checkCapacity(rho, pk); err != nil {
		return 0, err
	}
	if rho == 0 {
		return 1, nil
	}
	k := (math.Log(pk)-math.Log1p(-rho))/logUtilization(rho) - 1
	return roundUp(k), nil
}

// TailCapacity returns the smallest K, at least 1, for which P[N > K] = ρᴷ⁺¹ is at most p at an M/M/1 station. K
// includes the element in service.
func TailCapacity(rho, p float64) (float64, error) {
	if err := checkCapacity(rho, p); err != nil {
		return 0, err
	}
	if rho == 0 {
		return 1, nil
	}
	return roundUp(math.Log(p)/logUtilization(rho) - 1), nil
}

// checkCapacity returns an error for arguments that are out of range.
func checkCapacity(rho, p float64) error {
	if err := check(rho); err != nil {
		return err
	}
	return checkProbability(p)
}

// capacityRounding is the relative tolerance for rounding up a capacity. A smaller excess adds no element.
const capacityRounding = 1e-12

// roundUp rounds up, to at least one element.
func roundUp(k float64) float64 {
	if !(k > 1) {
		return 1
	}
	return math.Ceil(k - math.Min(0.5, k*capacityRounding))
}

// MM1 is a station with Poisson arrivals, exponential service and unlimited space. The zero value is an empty station.
type MM1 struct {
	Utilization float64 // ρ = λ/μ, in [0, 1)
}

// Probability returns P[N = n] = (1-ρ)ρⁿ, for an integer n ≥ 0.
func (q MM1) Probability(n float64) float64 {
	if n < 0 || q.Utilization >= 1 {
		return 0
	}
	return idle(q.Utilization) * math.Pow(q.Utilization, n)
}

// MeanNumber returns L = ρ/(1-ρ), the mean number of elements in the station.
func (q MM1) MeanNumber() float64 { return q.Utilization / idle(q.Utilization) }

// MeanQueue returns Lq = ρ²/(1-ρ), the mean number of waiting elements (Lancaster 2011 §7.3, N_Q).
func (q MM1) MeanQueue() float64 { return q.Utilization * q.MeanNumber() }

// MeanWait returns the mean time before service, Wq = Lq/λ by Little's law, in
// seconds, for a service rate in elements/s.
func (q MM1) MeanWait(serviceRate float64) float64 { return q.MeanNumber() / serviceRate }

// BlockingCapacity returns the smallest K, at least 1, for which an M/M/1/K station blocks an arrival with a
// probability of at most p:
//
//	K = log(p/(1-ρ+pρ)) / log ρ
//
// The result is rounded up. For ρ = 1, K is 1/p - 1. ρ may exceed 1 if p > 1-1/ρ, because a station with any K blocks
// at least the fraction 1-1/ρ of the arrivals. For a smaller p, the error is [ErrUnstable].
//
// With p = P_K, the result is one more than Beard 2013, Eq. 8, except for the term pρ in the denominator. Eq. 8 is
// therefore the space for waiting elements, without the element in service. Such a buffer blocks the fraction P_K of
// the arrivals.
func BlockingCapacity(rho, p float64) (float64, error) {
	if !(rho >= 0) || math.IsInf(rho, 1) {
		return 0, fmt.Errorf("utilization %g: %w", rho, ErrRange)
	}
	if err := checkProbability(p); err != nil {
		return 0, err
	}
	switch rest := 1 - rho + p*rho; {
	case rho == 0:
		return 1, nil
	case rho == 1:
		return roundUp(1/p - 1), nil
	case !(rest > 0):
		return 0, fmt.Errorf("at utilization %g, no buffer size reduces the blocking probability to %g: %w",
			rho, p, ErrUnstable)
	default:
		// log(p/rest) = log(1 - (1-ρ)(1-p)/rest)
		if x := (1 - rho) * (1 - p) / rest; math.Abs(x) < 0.5 {
			return roundUp(math.Log1p(-x) / logUtilization(rho)), nil
		}
		return roundUp((math.Log(p) - math.Log(rest)) / logUtilization(rho)), nil
	}
}

// Estimator is a named method for sizing a buffer.
type Estimator struct {
	ID    string // short and stable name, for options and files
	Name  string // name for headings
	Holds string // assumptions of the method, in words
	// Elements returns the capacity in elements, including the element in service, for a probability p.
	Elements func(l Load, p float64) (float64, error)
}

// Load is the input of an estimator: the arrivals and the service of a station.
type Load struct {
	Utilization float64 // ρ, in [0, 1)
	ArrivalSCV  float64 // ca²; negative if unknown (then 1 is assumed)
	ServiceSCV  float64 // cs²; negative if unknown (then 1 is assumed)
}

// Estimators returns all estimators in the order of reports; the papers' estimator is first.
func Estimators() []Estimator {
	return []Estimator{
		{"mm1-eq8", "M/M/1 Eq. 8", "Beard 2013, Eq. 8, as printed: P_K is P[N = K+1], not P[N > K]; Poisson " +
			"arrivals, exponential service",
			func(l Load, p float64) (float64, error) { return Capacity(l.Utilization, p) }},
		{"mm1-tail", "M/M/1 tail", "P[N > K] ≤ P_K; Poisson arrivals, exponential service",
			func(l Load, p float64) (float64, error) { return TailCapacity(l.Utilization, p) }},
		{"md1-tail", "M/D/1 tail", "P[N > K] ≤ P_K; Poisson arrivals, constant service time",
			func(l Load, p float64) (float64, error) { return MG1{Utilization: l.Utilization}.Capacity(p) }},
		{"mg1-tail", "M/G/1 tail", "P[N > K] ≤ P_K; Poisson arrivals, independent service times with the given scv: " +
			"gamma up to 1, hyperexponential above",
			func(l Load, p float64) (float64, error) {
				return MG1{l.Utilization, orOne(l.ServiceSCV)}.Capacity(p)
			}},
		{"mm1k-blocking", "M/M/1/K", "at most a fraction P_K of the arrivals finds the buffer full; Poisson arrivals " +
			"without " +
			"retries, exponential service",
			func(l Load, p float64) (float64, error) {
				if err := check(l.Utilization); err != nil {
					return 0, err
				}
				return BlockingCapacity(l.Utilization, p)
			}},
		{"gg1-heavy", "G/G/1", "P[N > K] ≤ P_K in heavy traffic, from the coefficients of variation; no correlation",
			func(l Load, p float64) (float64, error) {
				return GG1{l.Utilization, orOne(l.ArrivalSCV), orOne(l.ServiceSCV)}.Capacity(p)
			}},
	}
}

// orOne returns the variation, or 1 (exponential distribution) if it is unknown (negative).
func orOne(scv float64) float64 {
	if scv < 0 {
		return 1
	}
	return scv
}
