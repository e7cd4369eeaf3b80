// Package micro measures xopt itself on this machine:
//
//   - the rate of an edge between two cores, compared with a pipe, a Unix socket and a Go channel;
//   - the cost of taps for the observed application, in software (Lancaster 2011 §4.7.2) and in hardware (Tables 4.2
//     and 4.3);
//   - the correctness of taps on queues with known properties (§5.2).
//
// It uses packages deploy and calibrate, and the applications of bench/apps. Only cmd imports it.
package micro
