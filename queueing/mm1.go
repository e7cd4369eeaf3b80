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

// check refuses utilizations outside [0, 1).
func check(rho float64) error {
	switch {
	case math.IsNaN(rho) || rho < 0:
		return fmt.Errorf("utilization %g: %w", rho, ErrRange)
	case rho >= 1:
		return fmt.Errorf("utilization %g: %w", rho, ErrUnstable)
	}
	return nil
}

// Probability returns P[N = n] = (1-ρ)ρⁿ.
func (q MM1) Probability(n float64) float64 {
	return (1 - q.Utilization) * math.Pow(q.Utilization, n)
}

// Tail returns P[N > n] = ρⁿ⁺¹.
func (q MM1) Tail(n float64) float64 { return math.Pow(q.Utilization, n+1) }

// MeanNumber returns L = ρ/(1-ρ), elements in the station on average.
func (q MM1) MeanNumber() float64 { return q.Utilization / (1 - q.Utilization) }

// MeanQueue returns Lq = ρ²/(1-ρ), elements waiting on average (Lancaster 2011
// §7.3, N_Q).
func (q MM1) MeanQueue() float64 { return q.Utilization * q.MeanNumber() }

// MeanResponse returns the mean time in the station, W = L/λ by Little's law, in
// seconds, for a service rate in elements/s.
func (q MM1) MeanResponse(serviceRate float64) float64 {
	return 1 / (serviceRate * (1 - q.Utilization))
}

// SharedUtilization returns the ρ of the geometric occupancy that one class has
// on a server that several classes share by processor sharing: own/(1-total+own),
// where own is the class's λ/μ and total the sum of those of all classes. It is
// the M/M/1 utilization under the service rate that the others leave, and exact
// for Poisson arrivals and any service time (the product form of Baskett,
// Chandy, Muntz and Palacios).
func SharedUtilization(own, total float64) (float64, error) {
	if err := check(total); err != nil {
		return 0, err
	}
	if !(own >= 0 && own <= total) {
		return 0, fmt.Errorf("own utilization %g of %g: %w", own, total, ErrRange)
	}
	if own == 0 {
		return 0, nil
	}
	return own / (1 - total + own), nil
}
