// Package flowgraphs evaluates package deploy/gnuradio on flow graphs that were not used to develop that package:
// examples of GNU Radio, and graphs of random blocks. It checks the reported limit of each flow graph by experiment,
// and compares predicted with measured gains.
package flowgraphs
