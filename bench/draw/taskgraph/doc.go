// Package taskgraph owns synthetic applications that are task graphs (Beard 2013 §4.5): drawn from a seed or made
// of a .tgff file, and written as X code with kernels in C that work for the time of their task.
//
// It stands on package tgff, which draws and reads the graphs, and on the kernels of bench/apps/synthetic.
package taskgraph
