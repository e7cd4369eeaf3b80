// Package signals owns expressions of the signals of kernels in hardware: what statements of measurement say of them
// (package timetrial), and how they read in Verilog, where a monitor looks at them (package rtl).
//
// An expression is of one kernel. Its values are unsigned numbers of 64 bits; what is compared or negated is 1 or 0.
// A single signal that its source declares as signed keeps its sign. Combinations of signals in the monitor are step
// 5 of Koehler 2007, §4.1.
package signals
