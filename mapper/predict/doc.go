// Package predict computes the throughput of a mapping and figures that depend on it:
//   - the sequence of bottlenecks, and the gain if a part is ten percent faster
//   - buffers and latency
//   - the effect of other sharing rules and bandwidths
//   - the comparison with a run
//
// It uses packages design, flow, queueing and mapper, and combines what they compute in a [result.Result] for reports.
package predict
