package program

import (
	"fmt"
	"slices"

	"xopt/deploy/abi"
	"xopt/deploy/faults"
	"xopt/flow/design"
	"xopt/internal/units"
)

// Growth contains the policy and the limits for the growth of buffers during a run.
type Growth struct {
	Policy GrowthPolicy
	// MaxBytes is the memory limit for all buffers together. 0 means their initial size, so no buffer grows.
	MaxBytes uint64
	// AtLeastStart permits the initial size even if it exceeds MaxBytes.
	AtLeastStart bool
	// Fixed contains the edges whose size GrowWhenBlocked never changes.
	Fixed []int
}

// GrowthPolicy is the condition for the growth of a buffer.
type GrowthPolicy uint8

// The policies.
const (
	// GrowWhenStuck enlarges the smallest full buffer when every kernel waits, at least one of them for space (Parks,
	// Bounded Scheduling of Process Networks, 1995, §4.2). The decision does not depend on time.
	GrowWhenStuck GrowthPolicy = iota
	// GrowWhenBlocked doubles a buffer after four samples at which its writer was blocked for at least 80 % of the time
	// since the previous sample. Samples are 3 ms apart. RaftLib uses this rule (src/dynalloc.cpp of its sources),
	// except for buffers that the application sizes. If every kernel waits and no buffer is doubled, buffers grow as
	// with GrowWhenStuck.
	GrowWhenBlocked
)

// RaftLibElements is the initial buffer size of RaftLib in elements (INITIAL_ALLOC_SIZE in raftinc/allocate.hpp of its
// sources).
const RaftLibElements = 64

// AreaBytes returns the size of a ring's data area in bytes: complete pages, followed by a fence.
func AreaBytes(elements, size uint64) uint64 {
	return (elements*size + abi.FenceBytes + abi.PageBytes - 1) / abi.PageBytes * abi.PageBytes
}

// bufferMemory returns the initial size of all buffers in bytes.
func (p *plan) bufferMemory() uint64 {
	total := uint64(0)
	for e := range p.program.Edges {
		if p.layout.ring[e] == e && !p.inside(e) {
			total += p.ring[e]
		}
	}
	return total
}

// largest describes the largest initial buffer, with the statement that reduces it.
func (p *plan) largest() string {
	maximum := -1
	for e := range p.program.Edges {
		if p.layout.ring[e] == e && !p.inside(e) && (maximum < 0 || p.ring[e] > p.ring[maximum]) {
			maximum = e
		}
	}
	if maximum < 0 {
		return "no buffer is in memory"
	}
	edge := &p.program.Edges[maximum]
	text := fmt.Sprintf("the buffer of edge %s is the largest, with %s", edge.Name,
		units.Size(float64(p.ring[maximum])))
	if edge.Initial > 0 && 3*edge.Initial > p.capacity[maximum] {
		return text + " for its " + units.Counted(edge.Initial, "initial element", "initial elements")
	}
	return fmt.Sprintf("%s: buffer { %s } = …;", text, edge.Name)
}

// mayGrow reports whether buffers may grow if they need more memory than at the start. The simulation of an FPGA cannot
// follow rings that move.
func (p *plan) mayGrow() bool {
	if p.options.Growth.MaxBytes == 0 {
		return false
	}
	for k := range p.program.Kernels {
		if p.onFPGA(k) {
			return false
		}
	}
	return true
}

// planGrowth reserves address space in shared memory for the growth of buffers. Unused memory costs nothing. Each area
// of a growing buffer is twice as large as its predecessor, except for the last area. All areas together need at most
// three times the size of the last area, and old areas are released.
func (p *plan) planGrowth(allocate func(bytes uint64) uint64) error {
	g := &p.options.Growth
	start := p.bufferMemory()
	if g.MaxBytes > 0 && g.MaxBytes < start && !g.AtLeastStart {
		return &InputError{faults.BufferMemory.Errorf("the buffers need %s at the start, but may use only %s "+
			"(--max-buffer-memory): allow at least %s, or make buffers smaller (%s)",
			units.SizeUp(float64(start)), units.Size(float64(g.MaxBytes)), units.SizeUp(float64(start)), p.largest())}
	}
	if g.MaxBytes <= start {
		return nil
	}
	if !p.mayGrow() {
		return nil
	}
	p.grows = true
	p.layout.reserved = 3 * g.MaxBytes
	p.layout.reserve = allocate(p.layout.reserved)
	return nil
}

// fixed reports whether an edge keeps its size under GrowWhenBlocked.
func (g *Growth) fixed(e int) bool { return slices.Contains(g.Fixed, e) }

// RaftLibSizes returns the initial sizes of a design's buffers in RaftLib, in elements by edge. RaftLib allocates a
// larger buffer if a kernel requests it.
func RaftLibSizes(d *design.Design) map[int]int {
	sizes := make(map[int]int, len(d.Program.Edges))
	for e, minimum := range d.MinSizes() {
		sizes[e] = max(RaftLibElements, int(minimum.Elements))
	}
	return sizes
}
