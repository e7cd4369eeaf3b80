// Package measure carries out statements of the TimeTrial language (Lancaster 2011
// §3.4) on a deployment: it asks package deploy for the taps that they need, and
// puts together, frame by frame while the run goes on, what they measure and
// whether they hold.
//
// It stands between deploy and report in the data's way. Conditions are evaluated
// online, which the thesis left to future work (its chapter 8):
//
//   - What has a value for each element is compared where the element is sampled,
//     by the process that sends or takes it.
//   - What has one for a frame is compared at the end of the frame, and the
//     statistics of the frame count or do not.
//   - An expression with both is built once for each outcome of the comparisons of
//     frames, and the end of the frame chooses.
//   - Rates under a condition are the elements that met it over the part of the
//     time in which it held, which the supervisor finds by looking: an estimate,
//     as good as there are looks.
package measure
