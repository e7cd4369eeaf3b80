// Package flow defines the model of a mapped streaming application: kernels, edges, resources, links and the mapping
// between them. It computes the gain/loss flow network, the sharing of resources, the throughput, the bottlenecks and
// the shadow prices.
//
// Its input is an application, an architecture and the figures of each kernel on each resource ([Problem]), and one
// [Mapping]. Its output is the throughput ([Solution]). It neither searches (package mapper) nor sizes queues (package
// queueing), and it does no I/O.
//
// # The model
//
// The network follows Beard 2013 §3.1. Every kernel is a station. An edge that crosses resources is a station for each
// link on its route. A pseudo-source s feeds all sources, and a pseudo-sink t drains all sinks. Both have unlimited
// capacity. The output of a kernel is its input times its gain (Eq. 2, 3), and routing is fixed (Eq. 5). The arrival
// rate of a kernel is the sum over its in-edges (Eq. 7), and no utilization exceeds φ (Eq. 6). Throughput Γ is the flow
// out of s.
//
// Because routing is fixed, every flow is a fixed linear function of the flows from the sources. [Flows] contains this
// function, which does not depend on the mapping. With one source, the throughput is a minimum over resources. With k
// sources, it is the value of a linear program in k variables. The edge-by-edge linear program, [FullLP], is equivalent
// and serves as a reference.
//
// # Cycles
//
// An edge may have initial elements, and every cycle must have at least one initial element. [Order] ignores the edges
// that close cycles ([Feedback]). Flows around a loop are the solution of linear equations (loops.go). The firing rate
// of kernels that wait for each other is at most the initial elements divided by the time of a round (maximum cycle
// mean, [Cycle]). This bound is another limit of the [Network] and another row of the same linear program. Its prices
// and bottlenecks are therefore computed like those of any other limit. The bound depends on the mapping: with cycles,
// a [Scorer] computes it for each mapping.
//
// # Memory contention
//
// Kernels on different cores that share a memory slow each other down ([Contention]). A profile contains the measured
// slowdowns. With one free source, every load is then a z + b z², where z is the flow from that source. The maximum
// flow is the smallest z at which a load reaches φ. A [Network] adds the contention at the maximum flow as costs of its
// limits. Its linear program, prices and bottlenecks are then valid at this flow. A [Scorer] maintains the sums that
// determine b.
//
// All quantities are SI: bytes, seconds, bytes/s.
package flow
