// Package flowgraphs tests the answers of package deploy/gnuradio on flow graphs that were not used to build it:
// examples of GNU Radio, and graphs of random blocks. It checks the named limit by experiment, and compares predicted
// gains with measured ones.
package flowgraphs
