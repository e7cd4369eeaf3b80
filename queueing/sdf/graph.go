// Package sdf implements static dataflow graphs: actors that consume and produce the same number of tokens in every
// firing, over channels with initial tokens and limited space. It computes
//
//   - the number of firings of each actor in one iteration ([Graph.Repetition]);
//   - whether an iteration completes with given capacities, and otherwise the cycle of full and empty channels
//     that blocks it ([Graph.Play]);
//   - the exact throughput of self-timed execution and its critical cycle ([Graph.Throughput]);
//   - the smallest capacities without a deadlock ([Graph.MinSizes]);
//   - the exact trade-off between memory and throughput ([Graph.Front]).
//
// Package flow/buffers creates such graphs from mapped applications with static element counts. This package does not
// depend on kernels or resources.
//
// # Semantics
//
// A firing of an actor consumes its tokens when it starts. It produces its tokens when it ends, Time later. At most
// Concurrent firings of an actor overlap. In a channel with a capacity, a firing of the writer reserves space for its
// tokens when it starts. A firing of the reader returns the space of its tokens when it ends (Stuijk, Geilen and Basten
// 2006). A capacity is therefore equivalent to a channel in the other direction, whose initial tokens are the initially
// free space. In self-timed execution, every firing starts as soon as possible. No schedule is faster.
//
// # Method
//
// The firings of one iteration, each with the last firing for which it waits, form a homogeneous graph. A wait for a
// firing of an earlier iteration has a delay. The time of an iteration is the maximum, over the graph's cycles, of the
// time of the firings divided by the delays (Reiter 1968). Howard's policy iteration finds this maximum in integers,
// together with a critical cycle (Cochet-Terrasson et al. 1998; Dasdan 2004). Larger capacities outside that cycle do
// not make the graph faster. Therefore the front search enlarges only the few channels with storage dependencies
// (Stuijk 2006) in one cycle. It resolves deadlocks in the same way.
//
// Times are integers in a unit of the caller's choice ([Ticks] converts from seconds), so comparisons are exact.
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

// Actor is a node of a [Graph]. Each firing consumes Consumed tokens from every incoming channel and produces Produced
// tokens on every outgoing channel.
type Actor struct {
	Name string
	Time int64 // time of one firing, in units of the caller's choice, ≥ 0
	// Concurrent is the maximum number of overlapping firings, 0 for any number. It is 1 for a kernel of a deployed
	// application, which has one instance.
	Concurrent int64
}

// Channel is an edge of a [Graph].
type Channel struct {
	Name               string
	From, To           int   // indices into Graph.Actors
	Produced, Consumed int64 // tokens per firing of From and per firing of To, ≥ 1
	Initial            int64 // initial tokens, ≥ 0
	Capacity           int64 // maximum number of tokens in the channel; 0 for unlimited
	Bytes              int64 // size of a token, for the memory of a capacity; 0 counts as 1
	// Endless is true if the channel needs no Capacity, because another channel limits its tokens. An example is a
	// channel for one section of a path that another channel spans.
	Endless bool
}

// MaxFirings limits the firings in one iteration of an analyzed graph. The analysis of larger graphs would take minutes
// and gigabytes.
const MaxFirings = 1 << 20

// ErrTooLarge is the error for a graph that has more than [MaxFirings] firings in an iteration, or times that overflow.
var ErrTooLarge = fault.TooManyFirings.Errorf("too many firings in one iteration to analyze exactly")

// Validate returns an error that lists all invalid numbers of the graph, or nil.
func (g *Graph) Validate() error {
	var all []error
	bad := func(format string, args ...any) { all = append(all, fmt.Errorf(format, args...)) }
	for i := range g.Actors {
		a := &g.Actors[i]
		if a.Time < 0 {
			bad("actor %s has an execution time of %d, expected 0 or more", a.Name, a.Time)
		}
		if a.Concurrent < 0 {
			bad("actor %s has %d simultaneous firings, expected 0 (no limit) or more", a.Name, a.Concurrent)
		}
	}
	for i := range g.Channels {
		c := &g.Channels[i]
		switch {
		case c.From < 0 || c.From >= len(g.Actors) || c.To < 0 || c.To >= len(g.Actors):
			bad("channel %s does not connect two actors", c.Name)
		case c.Produced < 1 || c.Consumed < 1 || c.Produced > maxCount || c.Consumed > maxCount:
			bad("channel %s has rates of %d and %d, expected 1 to %d", c.Name, c.Produced, c.Consumed, int64(maxCount))
		case c.Initial < 0 || c.Initial > maxCount:
			bad("channel %s has %d initial tokens, expected 0 to %d", c.Name, c.Initial, int64(maxCount))
		case c.Capacity < 0 || c.Capacity > maxCount:
			bad("channel %s has a capacity of %d, expected 0 to %d", c.Name, c.Capacity, int64(maxCount))
		case c.Bytes < 0:
			bad("channel %s has tokens of %d bytes, expected 0 or more", c.Name, c.Bytes)
		case c.Capacity > 0 && c.Initial > c.Capacity:
			bad("channel %s has %d initial tokens, but space for only %d", c.Name, c.Initial, c.Capacity)
		}
	}
	return errors.Join(all...)
}

// maxCount limits rates, initial tokens and capacities, so that their products with the firings of an iteration fit
// into 64 bits.
const maxCount = 1 << 40

// Capacities returns the capacities of all channels.
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

// Memory returns the total size of capacities in bytes, without unlimited channels.
func (g *Graph) Memory(capacities []int64) int64 {
	sum := int64(0)
	for i, n := range capacities {
		sum += n * max(1, g.Channels[i].Bytes)
	}
	return sum
}
