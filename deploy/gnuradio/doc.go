// Package gnuradio finds the block that limits a GNU Radio flow graph, and the settings that make the graph faster.
//
// It reads .grc files (YAML, GNU Radio 3.8 and later), and runs them with the user's own grcc and Python under the
// embedded runner.py. It reads GNU Radio's performance counters, and the processor time of each thread from /proc. GNU
// Radio runs one thread per block, and Linux distributes the threads over the cores. The model (model.go) therefore
// limits the rate by the busiest thread, and by the total processor time divided by the number of cores. The model
// excludes the cost of wake-ups. Pinnings and buffer sizes are therefore measured alternately with the unchanged graph.
//
// Only [Measure], [Compare] and [Verify] run programs. Sources: the GNU Radio wiki, Performance Counters; Rondeau,
// O'Shea, Goergen, Inspecting GNU Radio applications with ControlPort and Performance Counters (SRIF 2013).
package gnuradio
