// Package run starts the processes of a program, watches them, and reads the traffic of every edge.
//
// Commands that measure or compare use it: calibrate, measure and validate. Kernels are users' code: they crash, hang
// and emit nothing. A run always ends, names the kernel at fault, and leaves nothing behind. The processes die with
// the supervisor, and the shared memory has no name, so that it disappears with the last process.
package run
