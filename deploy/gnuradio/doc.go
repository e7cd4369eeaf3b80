// Package gnuradio finds the block that limits a GNU Radio flow graph, and the settings that make the graph faster.
//
// It reads .grc files (YAML, GNU Radio 3.8 and later), and runs them with the user's own grcc and Python under the
// embedded runner.py. It reads GNU Radio's performance counters, and the processor time of each thread from /proc. GNU
// Radio runs one thread per block, and Linux distributes the threads over the cores. The model (model.go) therefore
// limits the rate by the busiest thread and by the sum of all threads over the cores. Pinnings and buffer sizes are
// tried in turns with the unchanged graph, because the model excludes the cost of wake-ups.
//
// Only [Measure], [Compare] and [Verify] run programs. Sources: the GNU Radio wiki, Performance Counters; Rondeau,
// O'Shea, Goergen, Inspecting GNU Radio applications with ControlPort and Performance Counters (SRIF 2013).
package gnuradio
