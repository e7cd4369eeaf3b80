// Package program builds a program that runs a mapping. It plans processes and shared memory, generates C from the
// application, and compiles it with the kernels' sources and the C runtime.
//
// Package run needs only the Description of a program. Names from an X file never reach a shell and never make the C
// invalid.
//
// The assignment of kernels to processes follows Gayen 2008 §2.2.1 (one process per core) or Beard 2013 §5.1 (one per
// kernel). Taps follow Lancaster 2011 §3.
package program
