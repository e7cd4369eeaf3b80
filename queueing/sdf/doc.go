// Package sdf owns static dataflow graphs: actors whose firings take and send the same number
// of tokens every time, over channels with initial tokens and bounded room. It says how often
// every actor fires in one iteration ([Graph.Repetition]), whether given capacities let an
// iteration finish, and if not, which cycle of full and empty channels holds it up
// ([Graph.Play]), the exact throughput of self-timed execution and its critical cycle
// ([Graph.Throughput]), the least capacities that keep the graph alive ([Graph.Least]), and the
// exact front of memory against throughput ([Graph.Front]).
//
// Its place in the data's way: package flow/buffers makes such graphs of mapped applications
// whose element counts are static. It knows nothing of kernels or resources.
//
// # Semantics
//
// An actor's firing takes its tokens when it starts, and sends what it sends when it ends, Time
// later; at most Concurrent firings of an actor overlap. In a channel with a capacity a firing of
// the writer claims the room for what it sends when it starts, and a firing of the reader gives
// its room back when it ends (Stuijk, Geilen and Basten 2006). So a capacity is a channel in the
// other direction, whose initial tokens are the room that is free at the start. Self-timed means
// that every firing starts as soon as it can: no schedule is faster.
//
// # Method
//
// The firings of one iteration and the last firing that each of them waits for make a
// homogeneous graph; a firing that waits for one of an earlier iteration does so with a delay.
// The time of an iteration is the largest, over its cycles, of the time of the firings over the
// delays (Reiter 1968), which Howard's policy iteration finds in whole numbers, together with a
// cycle that has it (Cochet-Terrasson et al. 1998; Dasdan 2004). No capacity outside that cycle
// makes the graph faster, so that the front branches on few channels only: the storage
// dependencies of Stuijk 2006, of one cycle. An iteration that is stuck is treated alike.
//
// Times are whole numbers of a unit of the caller's choice ([Ticks] makes them of seconds): what
// is compared is exact.
package sdf
