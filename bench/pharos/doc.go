// Package pharos repeats the experiments of Rafii 2021, ch. 4, with the Verilog of hdl/net: FPGAs, each at its own
// clock, are simulated cycle by cycle, and the network between them in virtual time, so that other work on the
// machine has no influence. It says what the thesis could not measure, too: by how much the clocks that
// pPTP keeps together are wrong, since the simulation knows the true time.
//
// What is published: how far clocks drift apart between two synchronizations (Fig. 4.3), latencies there and
// back at full load (Table 4.1), and what monitors of traffic count (4.4.2). The network is one link from each
// FPGA to a switch and one back; the switch has a queue before each output. The thesis gives the latency of all
// of it together, which is set here (see Latencies), and nothing of the parts.
//
// It stands beside bench/paper; package rtl builds the simulations, which need Verilator.
package pharos
