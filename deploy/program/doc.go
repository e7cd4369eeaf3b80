// Package program makes a program that runs a mapping: it plans processes and shared memory,
// generates C from the application, and compiles it with the kernels' sources and the C runtime.
//
// It stands after the mapper in the data's way and before run, which needs no more of a program
// than its Description. No name from an X file reaches a shell, and none breaks the C.
//
// How kernels become processes is that of Gayen 2008 §2.2.1 (one for each core) or of Beard 2013
// §5.1 (one for each kernel); taps are those of Lancaster 2011 §3.
package program
