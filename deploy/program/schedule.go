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

// Schedule is the order in which the kernels of a process run.
type Schedule string

// The schedules.
const (
	ScheduleAuto Schedule = "auto" // fused if an edge stays in the process, otherwise sinks
	// ScheduleFused moves a batch through all kernels, from the sources to the sinks, before the next batch. Each
	// kernel then finds its input in the cache. Edges that stay in the process share a few blocks of memory.
	ScheduleFused Schedule = "fused"
	ScheduleSinks Schedule = "sinks" // kernels nearest the sinks run first, and each edge has its own memory
)

// Limits of a batch in bytes. minBatch is a page, and maxBatch is larger than any cache.
const (
	minBatch     = abi.PageBytes
	maxBatch     = 1 << 30
	assumedBatch = 16 << 10 // if Linux does not report the caches
)

// batchOf returns the batch for a first-level cache of the given size in bytes. The input and the output of a kernel
// can each use half of the cache. A larger batch costs more in cache misses than it saves in scheduling
// (docs/deploy.md).
func batchOf(cache int64) uint64 {
	if cache <= 0 {
		return assumedBatch
	}
	return max(minBatch, uint64(cache)/2/abi.PageBytes*abi.PageBytes)
}

// schedule selects the order of the kernels and the batch of each process, after kernels and processors have been
// assigned.
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
		mach = &machine.Machine{} // Linux does not report the caches, or they belong to another machine
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
			if err != nil || !(bytes >= minBatch && bytes <= maxBatch) {
				problem(faults.WrongChoice, "batch of %s is %q, expected a size with its unit, from %d bytes to 1 "+
					"GiB, such as 16KiB", x.Name, given, minBatch)
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

// Schedules returns the names of the schedules, the default first.
func Schedules() []string {
	return []string{string(ScheduleAuto), string(ScheduleFused), string(ScheduleSinks)}
}

// batchConfig returns the option Batch or, if it is empty, the config batch of a core.
func (p *plan) batchConfig(r int) string {
	if p.options.Batch != "" {
		return p.options.Batch
	}
	return strings.TrimSpace(p.program.Resources[r].Config["batch"].Text)
}
