// Package xsim runs a mapping onto processor cores and FPGAs that are not there: a
// federated simulation in virtual time (Gayen 2008, ch. 3, §5.2). Kernels in C run
// natively, and their firings take the time that they took, one drawn from a profile, or
// those that they took in another run, in their order;
// kernels in Verilog or VHDL run under Verilator at the clock of their FPGA; links are
// servers with a bandwidth, a cost for each transfer and a size of it, shared by all edges
// mapped to them; queues are bounded, and who finds no room waits. Data are real.
//
// Unlike X-Sim, which simulates one resource after the other, all go on together: cores
// and links from event to event, FPGAs beside them in other processes, a few hundred
// cycles at a time. So resources may depend on each other in a circle, edges contend for
// links, and nothing is kept that grows with the length of the run.
//
// It stands between the design and package deploy, whose runtime has the scheduler of
// virtual time, and package rtl, which builds what simulates FPGAs.
package xsim
