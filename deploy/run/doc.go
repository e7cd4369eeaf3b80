// Package run starts the processes of a built program, watches them, and reads what went over
// every edge.
//
// It stands after build in the data's way, and before all that measures or compares: calibrate,
// measure and validate. Kernels are users' code: they crash, hang and emit nothing. A run
// always ends, says which kernel, and leaves nothing behind: the processes die with the
// supervisor, and the shared memory has no name, so that it goes with the last process.
package run
