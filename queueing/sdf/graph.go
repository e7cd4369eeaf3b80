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

import (
	"errors"
	"fmt"

	"xopt/internal/fault"
)

// Graph is a static dataflow graph.
type Graph struct {
	Actors   []Actor
	Channels []Channel
}

// Actor is a node. Each firing takes Consumed tokens from every channel that leads to it and
// puts Produced on every channel that leads from it.
type Actor struct {
	Name string
	Time int64 // of one firing, in units of the caller's choice, ≥ 0
	// Concurrent is how many firings may overlap, 0 for any number. A kernel of a deployed
	// application is one instance: 1.
	Concurrent int64
}

// Channel is an edge.
type Channel struct {
	Name               string
	From, To           int   // indices into Graph.Actors
	Produced, Consumed int64 // tokens of a firing of From, and of To, ≥ 1
	Initial            int64 // tokens at the start, ≥ 0
	Capacity           int64 // tokens that it holds at most; 0 without bound
	Bytes              int64 // size of a token, for what memory a capacity needs; 0 counts as 1
	// Endless says of a channel without Capacity that it needs none: what it holds is bounded by
	// another, such as one over all of a way that this is a part of.
	Endless bool
}

// MaxFirings bounds the firings of one iteration of a graph that is analysed: what is larger
// would take minutes and gigabytes.
const MaxFirings = 1 << 20

// ErrTooLarge is the error for a graph with more firings in an iteration than [MaxFirings], or
// times too long to add up.
var ErrTooLarge = fault.TooManyFirings.Errorf("too many firings in one iteration to analyse exactly")

// Validate reports everything that is wrong with the graph's numbers.
func (g *Graph) Validate() error {
	var all []error
	bad := func(format string, args ...any) { all = append(all, fmt.Errorf(format, args...)) }
	for i := range g.Actors {
		a := &g.Actors[i]
		if a.Time < 0 {
			bad("actor %s takes a time of %d, want 0 or more", a.Name, a.Time)
		}
		if a.Concurrent < 0 {
			bad("actor %s has %d firings at a time, want 0 (no bound) or more", a.Name, a.Concurrent)
		}
	}
	for i := range g.Channels {
		c := &g.Channels[i]
		switch {
		case c.From < 0 || c.From >= len(g.Actors) || c.To < 0 || c.To >= len(g.Actors):
			bad("channel %s does not lead from an actor to an actor", c.Name)
		case c.Produced < 1 || c.Consumed < 1 || c.Produced > maxCount || c.Consumed > maxCount:
			bad("channel %s has rates of %d and %d, want 1 to %d", c.Name, c.Produced, c.Consumed, int64(maxCount))
		case c.Initial < 0 || c.Initial > maxCount || c.Capacity < 0 || c.Capacity > maxCount || c.Bytes < 0:
			bad("channel %s has %d initial tokens, a capacity of %d and tokens of %d bytes, want 0 to %d",
				c.Name, c.Initial, c.Capacity, c.Bytes, int64(maxCount))
		case c.Capacity > 0 && c.Initial > c.Capacity:
			bad("channel %s holds %d tokens at the start, but has space for %d", c.Name, c.Initial, c.Capacity)
		}
	}
	return errors.Join(all...)
}

// maxCount bounds rates, initial tokens and capacities, so that products with the firings of an
// iteration stay within 64 bits.
const maxCount = 1 << 40

// Capacities returns those of all channels.
func (g *Graph) Capacities() []int64 {
	sizes := make([]int64, len(g.Channels))
	for i := range g.Channels {
		sizes[i] = g.Channels[i].Capacity
	}
	return sizes
}

// With returns a copy of the graph with other capacities.
func (g *Graph) With(capacities []int64) *Graph {
	c := &Graph{Actors: g.Actors, Channels: append([]Channel(nil), g.Channels...)}
	for i := range c.Channels {
		c.Channels[i].Capacity = capacities[i]
	}
	return c
}

// Memory is what capacities take, in bytes; a channel without bound counts as nothing.
func (g *Graph) Memory(capacities []int64) int64 {
	sum := int64(0)
	for i, n := range capacities {
		sum += n * max(1, g.Channels[i].Bytes)
	}
	return sum
}
