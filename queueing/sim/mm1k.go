package sim

import (
	"fmt"
	"math"

	"xopt/queueing"
)

// MM1K is the station with Poisson arrivals, exponential service and room for K
// elements, the one in service included; arrivals that find it full are turned
// away. Utilization is offered load, λ/μ, and may be any ρ ≥ 0.
type MM1K struct {
	Utilization float64
	Capacity    int // K ≥ 1
}

// Validate refuses a negative or undefined utilization and a room below 1.
func (q MM1K) Validate() error {
	if !(q.Utilization >= 0) || math.IsInf(q.Utilization, 1) {
		return fmt.Errorf("utilization %g: %w", q.Utilization, queueing.ErrRange)
	}
	if q.Capacity < 1 {
		return fmt.Errorf("capacity %d: %w", q.Capacity, queueing.ErrRange)
	}
	return nil
}

// Probability returns P[N = n] = (1-ρ)ρⁿ/(1-ρᴷ⁺¹), 1/(K+1) for ρ = 1.
func (q MM1K) Probability(n int) float64 {
	if n < 0 || n > q.Capacity {
		return 0
	}
	rho, room := q.Utilization, float64(q.Capacity)+1
	switch {
	case rho == 1:
		return 1 / room
	case rho > 1:
		// The mirrored station, so that no power overflows.
		return MM1K{Utilization: 1 / rho, Capacity: q.Capacity}.Probability(q.Capacity - n)
	}
	return (1 - rho) * math.Pow(rho, float64(n)) / -math.Expm1(room*logUtilization(rho))
}

// Blocking returns the probability that an arrival finds the station full, P[N =
// K] by PASTA.
func (q MM1K) Blocking() float64 { return q.Probability(q.Capacity) }

// Throughput returns what gets through as a fraction of the service rate, ρ(1 -
// P[N = K]) = 1 - P[N = 0].
func (q MM1K) Throughput() float64 {
	if q.Utilization > 1 {
		return 1 - q.Probability(0)
	}
	return q.Utilization * (1 - q.Blocking())
}

// MeanNumber returns L = ρ/(1-ρ) - (K+1)ρᴷ⁺¹/(1-ρᴷ⁺¹), K/2 for ρ = 1.
func (q MM1K) MeanNumber() float64 {
	rho, room := q.Utilization, float64(q.Capacity)+1
	switch {
	case rho == 0:
		return 0
	case rho > 1:
		return float64(q.Capacity) - MM1K{Utilization: 1 / rho, Capacity: q.Capacity}.MeanNumber()
	}
	// With a = -log ρ both terms are 1/(exp(y)-1), at y = a and y = (K+1)a. Where
	// they are large and nearly equal, their poles 1/y cancel and are left out.
	a := -logUtilization(rho)
	if room*a < 1 {
		return planck(a) - room*planck(room*a)
	}
	return 1/math.Expm1(a) - room/math.Expm1(room*a)
}

// planck returns 1/(exp(y)-1) - 1/y for 0 ≤ y ≤ 1, by its series in the Bernoulli
// numbers: -1/2 + y/12 - y³/720 + …, whose first term left out is below 1e-16.
func planck(y float64) float64 {
	coefficients := [...]float64{1. / 12, -1. / 720, 1. / 30240, -1. / 1209600, 1. / 47900160, -691. / 1307674368000,
		1. / 74724249600, -3617. / 10670622842880000, 43867. / 5109094217170944000}
	sum := 0.0
	for i := len(coefficients) - 1; i >= 0; i-- {
		sum = sum*y*y + coefficients[i]
	}
	return sum*y - 0.5
}

// MeanResponse returns the mean time in the station of the elements that are let
// in, by Little's law, in seconds, for a service rate in elements/s.
func (q MM1K) MeanResponse(serviceRate float64) float64 {
	if q.Utilization == 0 {
		return 1 / serviceRate
	}
	return q.MeanNumber() / (q.Throughput() * serviceRate)
}

// logUtilization is log ρ, exact when ρ is near 1.
func logUtilization(rho float64) float64 {
	if rho > 0.5 && rho < 2 {
		return math.Log1p(rho - 1)
	}
	return math.Log(rho)
}
