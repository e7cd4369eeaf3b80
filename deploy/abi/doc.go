// Package abi is what the supervisor, the runtime of kernels and the simulations of FPGAs agree
// on, across processes and languages: the structures in shared memory, their sizes, and where
// their members lie.
//
// table.go states each of them once. From it come layout.h and ends.h, which the C runtime
// (runtime/*.c) and the C++ of simulations (federate/cpp/*.cpp) include, and offsets.go, which build
// and run use. The compilers of C and C++ hold every offset against the table as they compile.
// After a change of the table, go test -run TestGenerated -update writes the three anew.
//
// It stands below build, which lays the structures out in a run's memory, and run, which reads
// them.
package abi
