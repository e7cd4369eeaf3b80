// Package federate contains the program that simulates the kernels of one FPGA in a run in virtual time. The program is
// C++ and is compiled with Verilator's model of the kernels. Its script contains the addresses of its edges, kernels
// and taps in the memory of a run. The program depends on the hardware only, and is cached with the model; the script
// depends on the mapping.
//
// Script defines every line of the script once. Text writes the script, and script.h, with which the program reads it,
// is generated from the same types.
//
// Package program creates the script. The C++ shares layout.h (package abi), pause.h and meet.h with the runtime.
package federate
