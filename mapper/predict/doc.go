// Package predict computes the throughput of a mapping, and what follows from that: the bottlenecks one
// after the other, what ten percent of any speed are worth, buffers, latency, what other sharing rules and
// other bandwidths would give, and how a prediction compares with a run.
//
// It stands after design, flow, queueing and mapper, which it asks, and before package view: it puts what
// they answer into a result.
package predict
