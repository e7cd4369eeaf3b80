// Package queueing implements models of stations: the occupancy of their queues, and the buffer sizes that they need.
// It does not depend on kernels. A station has an arrival rate, a service rate, and the variations of both.
//
// Package flow computes the utilization of every station. This package derives buffer sizes and latencies from the
// utilizations.
//
// # Models
//
// [MM1], [MG1] and [GG1] are open stations with unlimited space. [MG1] with constant service is M/D/1.
// [BlockingCapacity] describes a station with space for K elements. [Estimators] lists the methods that size a buffer,
// each with its assumptions. Tests check the equations against simulated stations and Markov chains.
//
// # Counting
//
// N is the number of elements in a station, including the element in service. A capacity K limits N, so it includes the
// element in service. If the kernel processes an element in a ring and releases it afterwards, the ring needs space for
// K elements. If the server stores the element in service itself, the buffer before the server needs space for K - 1
// elements. Rates are in elements/s, and times in seconds.
//
// # Range
//
// Utilizations are λ/μ, in [0, 1) for stations with unlimited space. Functions that return an error reject values of 1
// or more with [ErrUnstable], and negative numbers and NaN with [ErrRange]. Methods without an error return NaN for a
// negative or undefined utilization. For a utilization of 1 or more, they return the limit as the utilization
// approaches 1: an infinite mean, or a probability of 0 for each occupancy.
//
// # Sources
//
// The papers' estimate is Beard 2013 §3.1, Eq. 7 and 8. Lancaster 2011 §7.3 derives the mean queue and the tail. The
// other models are from textbooks (Kleinrock, Queueing Systems, vol. 1 and 2; Asmussen, Applied Probability and
// Queues). Every model states its assumptions.
package queueing

import (
	"errors"
	"fmt"
	"math"
)

// ErrUnstable is the error for a utilization of 1 or more: the queue of an open station grows without bound.
var ErrUnstable = errors.New("utilization is not below 1: the queue grows without bound")

// ErrRange is the error for a number outside its range, or NaN.
var ErrRange = errors.New("value out of range")

// check returns an error for a utilization outside [0, 1).
func check(rho float64) error {
	switch {
	case math.IsNaN(rho) || rho < 0:
		return fmt.Errorf("utilization %g: %w", rho, ErrRange)
	case rho >= 1:
		return fmt.Errorf("utilization %g: %w", rho, ErrUnstable)
	}
	return nil
}

// checkProbability returns an error for a number outside (0, 1).
func checkProbability(p float64) error {
	if !(p > 0 && p < 1) {
		return fmt.Errorf("probability %g is not between 0 and 1: %w", p, ErrRange)
	}
	return nil
}

// maxSCV is the largest accepted squared coefficient of variation. It is far above any measured value, and small enough
// that every capacity is finite.
const maxSCV = 1e12

// checkSCV returns an error for an invalid squared coefficient of variation.
func checkSCV(what string, scv float64) error {
	if !(scv >= 0 && scv <= maxSCV) {
		return fmt.Errorf("squared coefficient of variation of %s %g: %w", what, scv, ErrRange)
	}
	return nil
}

// idle returns 1-ρ for the moments of an open station. It returns 0 for ρ ≥ 1, because the moments are then infinite,
// and NaN for a negative ρ.
func idle(rho float64) float64 {
	if rho < 0 {
		return math.NaN()
	}
	if rho >= 1 {
		return 0
	}
	return 1 - rho
}

// logUtilization returns log ρ, with full precision near ρ = 1.
func logUtilization(rho float64) float64 {
	if rho > 0.5 && rho < 2 {
		return math.Log1p(rho - 1)
	}
	return math.Log(rho)
}
