// Package times owns measured distributions of times: how long the firings of a kernel took, or how
// long it was from one arrival at a queue to the next. A [Distribution] keeps what a bound on a queue
// needs of a run: bins on a log scale with the mean of each, apart for both halves of the run, and how
// far the samples depend on each other. It knows neither kernels nor queues.
//
// Calibration fills it, the profile keeps it, package flow carries it, and package queueing certifies
// buffers with it. Times are in seconds.
package times
