package queueing

import (
	"fmt"
	"math"
)

// Hop is one station on a path.
type Hop struct {
	Utilization float64 // ρ, in [0, 1)
	ServiceRate float64 // μ_s, elements/s, > 0; +Inf costs no time
}

// PathLatency returns the mean time in seconds that an element takes through
// stations in series, queueing included: the sum of their mean response times
// (Little's law at each). It is exact for an open Jackson network, where each
// station is M/M/1.
func PathLatency(path []Hop) (float64, error) {
	sum := 0.0
	for i, h := range path {
		if err := check(h.Utilization); err != nil {
			return 0, fmt.Errorf("station %d of the path: %w", i+1, err)
		}
		if !(h.ServiceRate > 0) {
			return 0, fmt.Errorf("station %d of the path has service rate %g: %w", i+1, h.ServiceRate, ErrRange)
		}
		if !math.IsInf(h.ServiceRate, 1) {
			sum += MM1{h.Utilization}.MeanResponse(h.ServiceRate)
		}
	}
	return sum, nil
}
