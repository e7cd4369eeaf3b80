// Package flow owns the model of a mapped streaming application: kernels,
// edges, resources, links, the mapping between them, the gain/loss flow network
// that results, how resources are shared, and the throughput, bottlenecks and
// shadow prices that follow.
//
// Its place in the data's way: it is given an application, an architecture and
// the figures of each kernel on each resource ([Problem]), together with one
// [Mapping], and says how much data gets through ([Solution]). It neither
// searches (package mapper) nor sizes queues (package queueing), and it does no
// I/O.
//
// # The model
//
// The network is that of Beard 2013 §3.1. Every kernel is a station; every edge
// that crosses resources is a station too, one for each link on its route; a
// pseudo-source s feeds all sources and a pseudo-sink t drains all sinks, both
// unlimited. Flow is conserved with gain (Eq. 2, 3), routing is fixed (Eq. 5),
// the arrival rate of a kernel is the sum over its in-edges (Eq. 7), and no
// utilization exceeds φ (Eq. 6). Throughput Γ is the flow out of s.
//
// Because routing is fixed, every flow is a fixed linear function of what the
// sources inject; it does not depend on the mapping. [Flows] holds that
// function. One source makes throughput a minimum over resources; k sources
// make it a linear program in k variables. The edge-by-edge linear program,
// [FullLP], says the same at length and is the reference and the source of
// shadow prices.
//
// # Cycles
//
// An edge may hold initial elements, and every cycle must hold some. Then [Order] leaves out
// the edges that close cycles ([Feedback]); flows around a loop are the solution of linear
// equations (loops.go); and kernels that wait for each other bound how often they fire by what
// goes round over the time that it takes, the maximum cycle mean ([Cycle]). That bound is one
// more limit of the [Network], a row of the same linear program, so that throughput is the
// lesser of the two, and prices and bottlenecks follow as for any other limit. It depends on
// the mapping: a [Scorer] works it out anew for each, where there are cycles.
//
// # Memory contention
//
// Kernels on different cores of a memory slow each other down ([Contention]), as a profile has
// measured it. With one free source every load is then a z + b z² of what that source emits, and
// the greatest flow is the least root. A [Network] adds what contention takes at that flow as costs
// of its limits, so that its linear program, prices and bottlenecks are those of the flow that is
// reached; a [Scorer] keeps the sums of which b is made.
//
// All quantities are SI: bytes, seconds, bytes/s.
package flow
