package queueing

import (
	"fmt"
	"math"
)

// BlockingCapacity returns the smallest K, at least 1, for which an arrival at an
// M/M/1/K station finds it full with a probability of at most p:
//
//	K = log(p/(1-ρ+pρ)) / log ρ
//
// rounded up; 1/p - 1 for ρ = 1. ρ may exceed 1 as long as less than p is refused
// by an endless room, p > 1-1/ρ; otherwise the error is [ErrUnstable].
//
// With p = P_K it is Beard 2013, Eq. 8, plus one but for the p in the denominator:
// Eq. 8 read as the room for waiting elements, without the one in service, is the
// finite buffer at which the fraction P_K of the arrivals is held up.
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
		return wholeElements(1/p - 1), nil
	case !(rest > 0):
		return 0, fmt.Errorf("utilization %g with room for any number refuses more than %g: %w", rho, p, ErrUnstable)
	default:
		// log(p/rest) = log(1 - (1-ρ)(1-p)/rest)
		if x := (1 - rho) * (1 - p) / rest; math.Abs(x) < 0.5 {
			return wholeElements(math.Log1p(-x) / logUtilization(rho)), nil
		}
		return wholeElements((math.Log(p) - math.Log(rest)) / logUtilization(rho)), nil
	}
}
