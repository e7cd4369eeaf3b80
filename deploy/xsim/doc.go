// Package xsim runs a mapping on simulated processor cores and FPGAs, by a federated simulation in virtual time (Gayen
// 2008, ch. 3, §5.2). The data are real.
//
//   - Kernels in C run natively. The time of a firing is the measured one, a random time from a profile, or the time in
//     another run.
//   - Kernels in Verilog or VHDL run under Verilator at the clock of their FPGA.
//   - Links are servers with a bandwidth, a cost per transfer and a size of transfers, shared by all edges mapped to
//     them.
//   - Queues are bounded, and a writer without space waits.
//
// X-Sim simulates the resources in sequence. Here all progress together: cores and links from event to event, and FPGAs
// in other processes, a few hundred cycles at a time. Therefore resources may depend on each other in a circle, edges
// compete for links, and memory use is independent of the length of the run.
//
// The runtime of package deploy contains the scheduler of virtual time, and package rtl builds the simulations of
// FPGAs.
package xsim
