package program

import (
	"fmt"
	"strings"

	"xopt/deploy/abi"
	"xopt/deploy/faults"
	"xopt/flow/machine"
	"xopt/internal/fault"
	"xopt/internal/units"
)

// Schedule is the order in which the kernels of a process take turns.
type Schedule string

// The schedules.
const (
	ScheduleAuto Schedule = "auto" // fused where an edge stays in the process, else sinks
	// ScheduleFused has a batch pass through the kernels, from the sources to the sinks, before the next: what one has
	// sent the next one finds in the cache. Edges that stay in the process share a few blocks of memory.
	ScheduleFused Schedule = "fused"
	ScheduleSinks Schedule = "sinks" // those nearest the sinks first, each edge with memory of its own
)

// The bounds of a batch, in bytes: a page, and more than any cache.
const (
	leastBatch   = abi.PageBytes
	mostBatch    = 1 << 30
	assumedBatch = 16 << 10 // where Linux does not tell the caches
)

// batchOf is the batch for a first cache of so many bytes: what a kernel reads and what it writes have half of it each.
// A larger batch costs more than fewer turns save: see docs/deploy.md.
func batchOf(cache int64) uint64 {
	if cache <= 0 {
		return assumedBatch
	}
	return max(leastBatch, uint64(cache)/2/abi.PageBytes*abi.PageBytes)
}

// schedule chooses the order and the batch of each process, after kernels and processors have been assigned.
func (p *plan) schedule(schedules, batches []string, problem func(id fault.ID, format string, args ...any)) {
	inner := make([]bool, len(p.processes))
	for e := range p.program.Edges {
		edge := &p.program.Edges[e]
		if from := p.process[edge.From]; from == p.process[edge.To] {
			inner[from] = true
		}
	}
	mach, err := machine.Here()
	if err != nil || p.hosts != nil {
		mach = &machine.Machine{} // Linux does not tell the caches, or they are those of others
	}
	for i := range p.processes {
		x := &p.processes[i]
		x.Schedule = Schedule(schedules[i])
		if x.Schedule == ScheduleAuto {
			x.Schedule = ScheduleSinks
			if inner[i] {
				x.Schedule = ScheduleFused
			}
		}
		if x.Schedule != ScheduleFused {
			continue
		}
		if given := batches[i]; given != "" {
			bytes, err := units.ParseSize(given)
			if err != nil || !(bytes >= leastBatch && bytes <= mostBatch) {
				problem(faults.WrongChoice, "batch of %s is %q; want a size with its unit, from %d bytes to 1 GiB, "+
					"such as 16KiB", x.Name, given, leastBatch)
				continue
			}
			x.Batch = uint64(bytes)
			x.BatchFrom = "given"
			continue
		}
		x.Batch, x.BatchFrom = batchOf(0), "assumed"
		if c := mach.Cache(1, x.Processor); c != nil && c.Bytes > 0 {
			x.Batch = batchOf(c.Bytes)
			x.BatchFrom = fmt.Sprintf("half of the L1 cache of %s", machine.Size(c.Bytes))
		}
	}
}

// Schedules are the words for schedules, the default first.
func Schedules() []string {
	return []string{string(ScheduleAuto), string(ScheduleFused), string(ScheduleSinks)}
}

// batchConfig is what a core's config batch says; the option goes before it.
func (p *plan) batchConfig(r int) string {
	if p.options.Batch != "" {
		return p.options.Batch
	}
	return strings.TrimSpace(p.program.Resources[r].Config["batch"].Text)
}
