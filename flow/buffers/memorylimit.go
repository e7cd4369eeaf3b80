package buffers

import (
	"fmt"
	"math"

	"xopt/flow"
)

// MemoryError is the error for a memory limit that is too small for the buffers.
type MemoryError struct {
	Allowed float64 // memory limit, bytes
	Moves   float64 // memory in bytes of the minimum sizes with which data flows
	Floors  float64 // memory in bytes of the floors, which a run needs
	Needs   float64 // bytes that preserve Keep of the maximum throughput; 0 if not determined
	Keep    float64
	Minimal bool // less memory than Needs is proven to be insufficient
}

// Error states the limit and the sufficient memory.
func (e *MemoryError) Error() string { return e.Text(bytesOf, bytesOf) }

// Text returns the error text. size formats a size, and up rounds a size up and formats it.
func (e *MemoryError) Text(size, up func(float64) string) string {
	keep := fmt.Sprintf("%.4g %% of the throughput", 100*e.Keep)
	switch {
	case e.Needs == 0 && e.Allowed < e.Moves:
		return fmt.Sprintf("no data flow with buffers of %s in total: use at least %s, the sum of their minimum sizes",
			size(e.Allowed), up(e.Moves))
	case e.Needs == 0:
		return fmt.Sprintf("buffers of %s in total are smaller than the sum of the floors, %s (floors are the sizes "+
			"for batches and scheduling rounds): use more memory, or --ideal to ignore the floors", size(e.Allowed),
			up(e.Floors))
	case e.Allowed < e.Moves:
		return fmt.Sprintf("no data flow with buffers of %s in total: use at least %s to move data, or %s to keep %s",
			size(e.Allowed), up(e.Moves), up(e.Needs), keep)
	case e.Allowed < e.Floors:
		return fmt.Sprintf("buffers of %s in total are smaller than the sum of the floors, %s (floors are the sizes "+
			"for batches and scheduling rounds): use %s to keep %s, or --ideal to ignore the floors", size(e.Allowed),
			up(e.Floors), up(e.Needs), keep)
	case e.Minimal:
		return fmt.Sprintf("buffers of %s in total do not keep %s: use at least %s", size(e.Allowed), keep,
			up(e.Needs))
	}
	return fmt.Sprintf("buffers of %s in total do not keep %s: use %s, the smallest sufficient memory found",
		size(e.Allowed), keep, up(e.Needs))
}

func bytesOf(n float64) string { return fmt.Sprintf("%.6g bytes", n) }

// below returns a *[MemoryError] if the memory limit is below the memory of the floors. This check needs no simulation.
func below(n *flow.Network, floors []Minimum, o *FrontOptions) error {
	if !(o.MaxMemory > 0) {
		return nil
	}
	rings, minimum := flow.NewRings(n.Problem), MinSizes(n.Problem, n.Flows, n.Mapping)
	moves := rings.Memory(n.Mapping, func(e int) float64 {
		return math.Max(minimum[e].Alone, float64(n.Problem.Application.Edges[e].Initial))
	})
	all := rings.Memory(n.Mapping, func(e int) float64 { return floors[e].Elements })
	if o.MaxMemory >= all {
		return nil
	}
	return &MemoryError{Allowed: o.MaxMemory, Moves: moves, Floors: all, Keep: o.Keep}
}

// checkLimit returns a *[MemoryError] if the chosen sizes exceed the memory limit.
func (x *explorer) checkLimit(n *flow.Network, front *Front) error {
	needs := front.Points[front.Chosen].Memory
	if !(x.o.MaxMemory > 0) || needs <= x.o.MaxMemory {
		return nil
	}
	minimum := MinSizes(n.Problem, n.Flows, n.Mapping)
	moves := x.rings.Memory(n.Mapping, func(e int) float64 { return minimum[e].Elements })
	floors := x.rings.Memory(n.Mapping, func(e int) float64 { return x.floor[e].Elements })
	return &MemoryError{Allowed: x.o.MaxMemory, Moves: min(moves, floors), Floors: floors, Needs: needs, Keep: x.o.Keep,
		Minimal: front.Minimal}
}
