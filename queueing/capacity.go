package queueing

import (
	"fmt"
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
// 1e-7 it gives 131, while P[N > K] is 1e-7 at 152 ([TailCapacity]). Where P_K is
// not below 1-ρ the formula gives nothing positive, although such a station is
// all but saturated; the result is then 1, and only the tail figure means
// anything. It is the papers' figure and printed as such.
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

func checkCapacity(rho, p float64) error {
	if err := check(rho); err != nil {
		return err
	}
	if !(p > 0 && p < 1) {
		return fmt.Errorf("probability %g: %w", p, ErrRange)
	}
	return nil
}

// logUtilization is log ρ, exact when ρ is near 1.
func logUtilization(rho float64) float64 {
	if rho > 0.5 {
		return math.Log1p(rho - 1)
	}
	return math.Log(rho)
}

// capacityRounding is the rounding error, relative, that is not worth one more
// element.
const capacityRounding = 1e-12

// wholeElements rounds up, and to at least one.
func wholeElements(k float64) float64 {
	if !(k > 1) {
		return 1
	}
	return math.Ceil(k * (1 - capacityRounding))
}

// Bytes returns the size of a buffer of k elements, in bytes. It is an error when
// the size is no exact whole number of bytes any more, at 2^53.
func Bytes(k, elementBytes float64) (float64, error) {
	b := k * elementBytes
	if !(k >= 0 && elementBytes > 0) || b > 1<<53 {
		return 0, fmt.Errorf("buffer of %g elements of %g bytes: %w", k, elementBytes, ErrRange)
	}
	return math.Ceil(b), nil
}
