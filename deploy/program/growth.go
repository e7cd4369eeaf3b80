package program

import (
	"fmt"
	"slices"

	"xopt/deploy/abi"
	"xopt/deploy/faults"
	"xopt/internal/units"
)

// Growth is how buffers grow while a program runs, and how far.
type Growth struct {
	Policy GrowthPolicy
	// MaxBytes is how much memory all buffers together may take; 0 for what they take at the
	// start, so that none grows.
	MaxBytes uint64
	// AtLeastStart is that what they take at the start is never too much.
	AtLeastStart bool
	// Fixed are the edges that GrowWhenBlocked leaves as they are.
	Fixed []int
}

// GrowthPolicy says when a buffer grows.
type GrowthPolicy uint8

// The policies.
const (
	// GrowWhenStuck enlarges the smallest full buffer when every kernel waits, and one of them
	// for room (Parks, Bounded Scheduling of Process Networks, 1995, §4.2). No time decides.
	GrowWhenStuck GrowthPolicy = iota
	// GrowWhenBlocked doubles a buffer at the fourth look at which its writer was blocked for 80 %
	// of the time or more since the look before; looks are 3 ms apart. That is what RaftLib does
	// (src/dynalloc.cpp of its sources); one that the application sizes stays there, too. Where
	// every kernel waits and that doubles nothing, buffers grow as by GrowWhenStuck.
	GrowWhenBlocked
)

// RaftLibElements is how many elements a buffer of RaftLib holds at the start (INITIAL_ALLOC_SIZE in
// raftinc/allocate.hpp of its sources).
const RaftLibElements = 64

// AreaBytes is how much memory the elements of a ring take: whole pages, with a fence behind them.
func AreaBytes(elements, size uint64) uint64 {
	return (elements*size + abi.FenceBytes + abi.PageBytes - 1) / abi.PageBytes * abi.PageBytes
}

// bufferMemory is what all buffers take at the start.
func (p *plan) bufferMemory() uint64 {
	total := uint64(0)
	for e := range p.program.Edges {
		if p.layout.ring[e] == e && !p.inside(e) {
			total += p.ring[e]
		}
	}
	return total
}

// largest says which buffer takes the most memory at the start, and how to make it smaller.
func (p *plan) largest() string {
	most := -1
	for e := range p.program.Edges {
		if p.layout.ring[e] == e && !p.inside(e) && (most < 0 || p.ring[e] > p.ring[most]) {
			most = e
		}
	}
	if most < 0 {
		return "no buffer is in memory"
	}
	edge := &p.program.Edges[most]
	text := fmt.Sprintf("the largest is that of edge %s, %s", edge.Name, units.Size(float64(p.ring[most])))
	if edge.Initial > 0 && 3*edge.Initial > p.capacity[most] {
		return text + " for its " + units.Counted(edge.Initial, "initial element", "initial elements")
	}
	return fmt.Sprintf("%s: buffer { %s } = …;", text, edge.Name)
}

// planGrowth leaves room in shared memory for what buffers may come to take. Memory that nobody
// touches takes none. The areas that a growing buffer has had, each twice as large as the one before but
// for the last, take no more than three times the last together; what it has left is given back.
func (p *plan) planGrowth(take func(bytes uint64) uint64) error {
	g := &p.options.Growth
	start := p.bufferMemory()
	if g.MaxBytes > 0 && g.MaxBytes < start && !g.AtLeastStart {
		return &InputError{faults.BufferMemory.Errorf("the buffers take %s at the start, but may take %s "+
			"(--max-buffer-memory): allow %s at least, or make buffers smaller; %s",
			units.SizeUp(float64(start)), units.Size(float64(g.MaxBytes)), units.SizeUp(float64(start)), p.largest())}
	}
	if g.MaxBytes <= start {
		return nil
	}
	for k := range p.program.Kernels {
		if p.onFPGA(k) {
			return nil // its simulation holds the rings at its border as they are
		}
	}
	p.grows = true
	p.layout.reserved = 3 * g.MaxBytes
	p.layout.reserve = take(p.layout.reserved)
	return nil
}

// fixed reports whether an edge keeps its size under GrowWhenBlocked.
func (g *Growth) fixed(e int) bool { return slices.Contains(g.Fixed, e) }
