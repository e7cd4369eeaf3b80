// Package board takes what an FPGA has of a mapping to a real board: it writes a project with the kernels, their edges
// and taps in shells that a host can talk with, constraints and scripts for the tools, a program in C for the host, and
// what crossed the border of the FPGA in a run here, which everything in the project can be held against (Koehler 2007
// §4.1, steps 4 and 6). What a host has received of a board becomes a measurement again (Read), beside the prediction.
//
// It stands behind xsim, which puts the hardware together, and beside validate. It runs nothing: the project's Makefile
// does.
package board
