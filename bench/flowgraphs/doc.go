// Package flowgraphs tests the answers of package deploy/gnuradio on flow graphs that were not used to develop that
// package. These are examples of GNU Radio, and graphs of random blocks. Package flowgraphs checks the named limit by
// experiment, and compares predicted gains with measured gains.
package flowgraphs
