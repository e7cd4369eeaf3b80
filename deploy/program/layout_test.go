package program

import (
	"testing"

	"xopt/deploy/abi"
)

// fetched is the number of bytes that a processor fetches together: a pair of cache lines. Within a page it may fetch
// further ahead.
const fetched = 128

// TestWrittenByOne checks that each page of shared memory with frequently written data has one writer. Otherwise
// prefetching takes lines from another process; once that slowed applications with taps by up to 15 %.
func TestWrittenByOne(t *testing.T) {
	d := load(t, "../../bench/apps/chain/", "app.x arch.x",
		"map { top.source, top.pass[1..5] } to core[1]; map { top.pass[6..9], top.sink } to core[2];")
	for _, style := range []Style{PerCore, PerKernel} {
		p, err := newPlan(d, Options{CPUs: 2, Style: style, Taps: StandardTaps(d.Program, 0)})
		if err != nil {
			t.Fatal(err)
		}
		owner := make(map[uint64]int) // of a page
		own := func(what string, at, bytes uint64, process int) {
			if at%64 != 0 {
				t.Errorf("%s of process %d is at %d, across cache lines", what, process, at)
			}
			for page := at / abi.PageBytes; page <= (at+bytes-1)/abi.PageBytes; page++ {
				if other, used := owner[page]; used && other != process {
					t.Errorf("style %v: %s of process %d is in a page of process %d", style, what, process, other)
				}
				owner[page] = process
			}
		}
		for k := range p.program.Kernels {
			own("a kernel's counters", p.layout.kernel[k], abi.KernelBytes, p.process[k])
		}
		for e, edge := range p.program.Edges {
			own("a reader", p.layout.reader[e], abi.EndBytes, p.process[edge.To])
			own("a writer", p.layout.writer[e], abi.EndBytes, p.process[edge.From])
			if head, tail := p.layout.control[e]+abi.RingHead,
				p.layout.control[e]+abi.RingTail; head/fetched == tail/fetched {
				t.Errorf("edge %s: what its writer and its reader show are fetched together", edge.Name)
			}
		}
		if len(owner) < len(p.processes) {
			t.Errorf("style %v: %d processes have %d pages", style, len(p.processes), len(owner))
		}
	}
	if abi.ProcessKernel/fetched == abi.ProcessSleeping/fetched {
		t.Error("what a process writes at every call and what others read of it are fetched together")
	}
}
