// Package predict predicts the throughput of a mapping and the quantities that depend on it:
//   - the sequence of bottlenecks, and the gain if one part is 10 % faster
//   - buffers and latency
//   - the effect of other sharing rules and bandwidths
//   - the comparison with a run
//
// It combines results of packages design, flow, queueing and mapper in a [result.Result] for reports.
package predict
