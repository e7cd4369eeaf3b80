// Package queueing owns stations, what their queues hold, and how large buffers
// must be. It does not know what a kernel is: a station is an arrival rate, a
// service rate and how both vary.
//
// It stands after package flow in the data's way: flow says how utilized every
// station is, queueing what that means for buffers and latency.
//
// # Models
//
// [MM1], [MG1] and [GG1] are open stations with room without end; [MG1] without
// variation is M/D/1. [BlockingCapacity] is of the station with room for K elements.
// [Estimators] are the ways to size a buffer, each with when it holds. Tests check the
// equations against simulated stations and Markov chains.
//
// # What is counted
//
// N is the number of elements in a station, the one in service included. A
// capacity K is a bound on N: it counts the element in service too. A ring from
// which the kernel works in place, releasing an element when it is done, needs
// room for K; where the server holds the element in service itself, the buffer in
// front of it needs K - 1. Rates are in elements/s, times in
// seconds.
//
// # Range
//
// Utilizations are λ/μ, in [0, 1) for stations with room without end. Functions
// that return an error refuse the rest by name: [ErrUnstable] from 1 on, [ErrRange]
// for negative numbers and NaN. Methods without an error return what a station
// tends to as the utilization reaches 1 (an infinite mean, probability 0 of any
// one occupancy), and NaN for a negative or undefined one.
//
// # Sources
//
// Beard 2013 §3.1, Eq. 7 and 8, for the estimate that the papers print;
// Lancaster 2011 §7.3 for the mean queue and the tail; the rest is textbook
// (Kleinrock, Queueing Systems, vol. 1 and 2; Asmussen, Applied Probability and
// Queues). Every model says what it assumes.
package queueing

import (
	"errors"
	"fmt"
	"math"
)

// ErrUnstable is the error for a utilization of 1 or more: the queue of an open
// station grows without bound.
var ErrUnstable = errors.New("utilization is not below 1: the queue grows without bound")

// ErrRange is the error for a number outside its range, NaN included.
var ErrRange = errors.New("value out of range")

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

// checkProbability refuses what is not a probability of a rare event.
func checkProbability(p float64) error {
	if !(p > 0 && p < 1) {
		return fmt.Errorf("probability %g is not between 0 and 1: %w", p, ErrRange)
	}
	return nil
}

// maxSCV is the largest squared coefficient of variation that is taken for one: far
// above anything measured, and small enough for every capacity to be finite.
const maxSCV = 1e12

// checkSCV refuses what is not a squared coefficient of variation.
func checkSCV(what string, scv float64) error {
	if !(scv >= 0 && scv <= maxSCV) {
		return fmt.Errorf("squared coefficient of variation of %s %g: %w", what, scv, ErrRange)
	}
	return nil
}

// idle returns 1-ρ for the moments of an open station: 0 from ρ = 1 on, where they
// are infinite, and NaN below 0.
func idle(rho float64) float64 {
	if rho < 0 {
		return math.NaN()
	}
	if rho >= 1 {
		return 0
	}
	return 1 - rho
}

// logUtilization is log ρ, exact when ρ is near 1.
func logUtilization(rho float64) float64 {
	if rho > 0.5 && rho < 2 {
		return math.Log1p(rho - 1)
	}
	return math.Log(rho)
}
