// Package deploy runs a mapping for real: it generates a C program from the
// application and its kernels' sources, starts one process for each core (or each
// kernel), watches them, and reads what went over every edge.
//
// It stands after mapper in the data's way. Kernels are users' code: they crash,
// hang and emit nothing. A run always ends, says which kernel, and leaves nothing
// behind: the processes die with the supervisor, and the shared memory has no
// name, so that it goes with the last process.
//
// The kernel API is that of Gayen 2008 §2.2.1 (init, go, push, destroy), for
// arrays and with typed functions for each port; runtime/X.h and the generated
// X_<BLOCK>.h are its reference. In a process, kernels are scheduled as there:
// go in turn, push when data has arrived.
package deploy
