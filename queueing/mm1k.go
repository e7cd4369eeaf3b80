package queueing

import "math"

// MM1K is the station with Poisson arrivals, exponential service and room for K
// elements, the one in service included; arrivals that find it full are turned
// away. Utilization may be any ρ = λ/μ ≥ 0.
type MM1K struct {
	Utilization float64
	Capacity    int // K ≥ 1
}

// Probability returns P[N = n] = (1-ρ)ρⁿ/(1-ρᴷ⁺¹), 1/(K+1) for ρ = 1.
func (q MM1K) Probability(n int) float64 {
	if n < 0 || n > q.Capacity {
		return 0
	}
	rho, k := q.Utilization, float64(q.Capacity)
	switch {
	case rho == 0:
		if n == 0 {
			return 1
		}
		return 0
	case math.Abs(rho-1)*(k+1) < 1e-9:
		return 1 / (k + 1)
	case rho > 1:
		// The mirrored station, so that no power overflows.
		return MM1K{Utilization: 1 / rho, Capacity: q.Capacity}.Probability(q.Capacity - n)
	}
	return (1 - rho) * math.Pow(rho, float64(n)) / -math.Expm1((k+1)*logUtilization(rho))
}

// Blocking returns the probability that an arrival finds the station full.
func (q MM1K) Blocking() float64 { return q.Probability(q.Capacity) }

// Throughput returns what gets through as a fraction of the service rate, ρ(1 -
// P[N = K]).
func (q MM1K) Throughput() float64 { return q.Utilization * (1 - q.Blocking()) }

// MeanNumber returns L.
func (q MM1K) MeanNumber() float64 {
	sum := 0.0
	for n := 1; n <= q.Capacity; n++ {
		sum += float64(n) * q.Probability(n)
	}
	return sum
}
