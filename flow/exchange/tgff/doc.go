// Package tgff holds task graphs as the tool Task Graphs for Free makes them (Dick,
// Rhodes and Wolf 1998; Beard 2013 §4.5): it draws such graphs from a seed, and reads
// and writes its .tgff files, so that others' graphs can be used.
//
// It knows nothing of X: packages bench/draw/taskgraph and flow/exchange make applications of its
// graphs.
package tgff
