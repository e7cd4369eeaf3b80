// Package queueing owns stations, what their queues hold, and how large buffers
// must be. It does not know what a kernel is: a station is an arrival rate, a
// service rate and how both vary.
//
// It stands after package flow in the data's way: flow says how utilized every
// station is, queueing what that means for buffers and latency.
//
// # What is counted
//
// N is the number of elements in a station, the one in service included. A
// capacity K is a bound on N: it counts the element in service too. The buffer
// in front of the server holds K - 1 elements; a ring from which the kernel
// works in place, releasing an element when it is done, needs room for K.
//
// # Sources
//
// Beard 2013 §3.1, Eq. 7 and 8, for the estimate that the papers print;
// Lancaster 2011 §7.3 for the mean queue; the rest is textbook (Kleinrock,
// Queueing Systems, vol. 1). Every model says what it assumes.
package queueing

import "errors"

// ErrUnstable is the error for a utilization of 1 or more: the queue of an open
// station grows without bound.
var ErrUnstable = errors.New("utilization is not below 1: the queue grows without bound")

// ErrRange is the error for a number outside its range, NaN included.
var ErrRange = errors.New("value out of range")
