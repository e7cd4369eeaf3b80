// Package xsim runs a mapping onto processor cores and FPGAs that do not exist, by a federated simulation in virtual
// time (Gayen 2008, ch. 3, §5.2). Data are real.
//
//   - Kernels in C run natively. The time of a firing is the measured one, a draw from a profile, or the time in
//     another run.
//   - Kernels in Verilog or VHDL run under Verilator at the clock of their FPGA.
//   - Links are servers with a bandwidth, a cost per transfer and a size of transfers, shared by all edges mapped to
//     them.
//   - Queues are bounded, and a writer without space waits.
//
// Unlike X-Sim, which simulates the resources in sequence, all progress together: cores and links from event to
// event, FPGAs beside them in other processes, a few hundred cycles at a time. Therefore resources may depend on each
// other in a circle, edges contend for links, and memory does not grow with the length of the run.
//
// The runtime of package deploy has the scheduler of virtual time, and package rtl builds the simulations of FPGAs.
package xsim
