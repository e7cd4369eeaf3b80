// Package micro owns the measurements of xopt itself on this machine: what an edge between two cores moves,
// beside a pipe, a Unix socket and a Go channel; what taps cost the application that they look at, in software
// (Lancaster 2011 §4.7.2) and in hardware (Tables 4.2 and 4.3); and whether what taps count of queues with a
// known truth is that truth (§5.2).
//
// It stands above deploy and calibrate and uses applications of bench/apps; only cmd imports it.
package micro
