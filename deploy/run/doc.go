// Package run starts the processes of a program, watches them, and reads the traffic of every edge.
//
// Commands that measure or compare use it: calibrate, measure and validate. Kernels are users' code: they may crash,
// hang or emit nothing. A run always ends, names the faulty kernel, and leaves no process or memory behind. The
// processes end with the supervisor. The shared memory has no name, so it disappears with the last process.
package run
