package sim

import (
	"fmt"

	"xopt/queueing"
)

// SharedServiceRate returns the service rate in elements/s that a class sees on a
// server shared with others by processor sharing, μ(1-(U-ρ)): what the others
// leave. serviceRate is μ of the class alone; own and total are as in
// [queueing.SharedUtilization], and the class's λ over the result is what that returns.
func SharedServiceRate(serviceRate, own, total float64) (float64, error) {
	if err := (queueing.MG1{Utilization: total}).Validate(); err != nil {
		return 0, err
	}
	if !(own >= 0 && own <= total) {
		return 0, fmt.Errorf("own utilization %g of a total of %g: %w", own, total, queueing.ErrRange)
	}
	if !(serviceRate > 0) {
		return 0, fmt.Errorf("service rate %g: %w", serviceRate, queueing.ErrRange)
	}
	return serviceRate * (1 - total + own), nil
}
