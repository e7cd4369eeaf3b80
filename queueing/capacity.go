package queueing

import (
	"math"
)

// DefaultProbability is the P_K of Beard 2013, Eq. 8.
const DefaultProbability = 1e-7

// Capacity is a buffer size in elements, the one in service included, as Beard
// 2013, Eq. 8, computes it:
//
//	K = log(P_K/(1-ρ)) / log ρ - 1
//
// rounded up, and at least 1. It solves (1-ρ)ρᴷ⁺¹ = P_K, so that P_K is the
// probability of one occupancy, not that of exceeding it: at ρ = 0.9 and P_K =
// 1e-7 it gives 131, while P[N > K] is 1e-7 at 152 ([TailCapacity]).
//
// The formula gives less than one element, and the result is 1, where P_K/(1-ρ) is
// ρ² or more: at a ρ so small that no element waits, and where 1-ρ comes near P_K.
// As ρ approaches 1 its figure grows until 1-ρ is a few P_K, then falls to nothing
// although the queue goes on growing; of a station that is all but saturated only
// the tail figure means anything. It is the papers' figure and printed as such.
func Capacity(rho, pk float64) (float64, error) {
	if err := checkCapacity(rho, pk); err != nil {
		return 0, err
	}
	if rho == 0 {
		return 1, nil
	}
	k := (math.Log(pk)-math.Log1p(-rho))/logUtilization(rho) - 1
	return wholeElements(k), nil
}

// TailCapacity returns the smallest K, at least 1, for which P[N > K] = ρᴷ⁺¹ is
// at most p at an M/M/1 station; the element in service is included.
func TailCapacity(rho, p float64) (float64, error) {
	if err := checkCapacity(rho, p); err != nil {
		return 0, err
	}
	if rho == 0 {
		return 1, nil
	}
	return wholeElements(math.Log(p)/logUtilization(rho) - 1), nil
}

// checkCapacity refuses what no capacity can be computed from.
func checkCapacity(rho, p float64) error {
	if err := check(rho); err != nil {
		return err
	}
	return checkProbability(p)
}

// capacityRounding is the rounding error, relative, that is not worth one more
// element.
const capacityRounding = 1e-12

// wholeElements rounds up, and to at least one.
func wholeElements(k float64) float64 {
	if !(k > 1) {
		return 1
	}
	return math.Ceil(k - math.Min(0.5, k*capacityRounding))
}
