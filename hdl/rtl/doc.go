// Package rtl runs the open tools for hardware on kernels in Verilog or VHDL: verilator
// to simulate them cycle by cycle, yosys to synthesize them, nextpnr to place them, ghdl
// to turn VHDL into Verilog. What they make is kept by the content of all that it was
// made from.
//
// A kernel is a module with clk, rst (synchronous, high), and an AXI4-Stream for each
// port of its block: s_axis_<port>_tdata, _tvalid and _tready for an input,
// m_axis_<port>_… for an output; port[2] of an array is <port>_2. An element is sent
// as words of the width of tdata, its first bytes first, the lowest in the lowest
// bits (Gayen 2008 §2.2.2, with the handshake of AXI4-Stream). Configs of the block are
// given to parameters of their names in upper case.
//
// It stands beside package deploy, which does the same for processor cores. No FPGA is
// needed; everything that comes from here was simulated or synthesized, and says so.
package rtl
