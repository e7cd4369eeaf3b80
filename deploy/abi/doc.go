// Package abi defines the interface between the supervisor, the runtime of kernels and the simulations of FPGAs,
// across processes and languages. It contains the structures in shared memory, their sizes, and the offsets of their
// members.
//
// The file table.go defines each of them once. These files are generated from it: layout.h and ends.h, which the C
// runtime (runtime/*.c) and the C++ of simulations (federate/cpp/*.cpp) include, and offsets.go for packages program
// and run. The compilers of C and C++ check every offset against the table. After a change of the table, go test -run
// TestGenerated -update writes the three files.
//
// Package program lays the structures out in a run's memory, and package run reads them.
package abi
