package sim

import (
	"fmt"

	"xopt/queueing"
)

// Hop is one station on a path.
type Hop struct {
	Utilization float64 // ρ, in [0, 1)
	// ServiceRate is μ of the station in the elements that it serves, per second,
	// after sharing; above 0. +Inf costs no time.
	ServiceRate float64
}

// rate returns the rate in 1/s of the exponential time that an element spends in
// the station, queueing included: μ-λ.
func (h Hop) rate() (float64, error) {
	if err := (queueing.MG1{Utilization: h.Utilization}).Validate(); err != nil {
		return 0, err
	}
	if !(h.ServiceRate > 0) {
		return 0, fmt.Errorf("service rate %g: %w", h.ServiceRate, queueing.ErrRange)
	}
	return h.ServiceRate * (1 - h.Utilization), nil
}

// PathLatency returns the mean time in seconds that an element takes through
// stations in series, queueing included: the sum of their mean response times
// (Little's law at each). It is exact for an open Jackson network, where each
// station is M/M/1.
func PathLatency(path []Hop) (float64, error) {
	sum := 0.0
	for i, h := range path {
		rate, err := h.rate()
		if err != nil {
			return 0, fmt.Errorf("station %d of the path: %w", i+1, err)
		}
		sum += 1 / rate
	}
	return sum, nil
}
