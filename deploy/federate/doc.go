// Package federate owns the program that simulates the kernels of one FPGA in a run in virtual
// time: C++ that is compiled with the model that Verilator makes of them, and the script that
// tells it where its edges, kernels and taps lie in the memory of a run. The program depends on the
// hardware only, and is kept with the model; the script is of one mapping.
//
// Script states every line of the script once: Text writes it, and script.h, from which the
// program reads it, is made from the same types.
//
// It stands below build, which fills the script in, and beside the runtime, with which it shares
// layout.h (package abi), pause.h and meet.h.
package federate
