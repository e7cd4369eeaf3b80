package buffers

import (
	"math"

	"xopt/flow"
)

// These constants determine the buffer space that the runtime needs, independently of the kernels. Most constants come
// from ring.c, turn.c and sched.c in deploy/runtime. Figures of the machine were measured on two cores of a virtual
// machine (docs/results/buffers.md).
const (
	// batchTime is the maximum time in seconds for which a process fills a batch before it publishes the batch (SLOW of
	// ring.c). Large batches reduce the cost per element.
	batchTime = 20e-6
	// batchParts is the minimum number of batches in a ring (ring_batch of ring.c). batchBytes is a sufficient size of
	// a batch. The runtime permits batches of up to batchGrows bytes, but batches larger than batchBytes are not
	// faster.
	batchParts, batchBytes, batchGrows = 8, 3072, 4096
	// turnTime is the minimum work in seconds that justifies a turn. A switch to another kernel of the process costs
	// 0.1 us, one hundredth of this work. Each kernel of a core adds one turn to a round.
	turnTime = 10e-6
	// turnElements is the minimum number of elements of a turn, if fewer elements fit into turnBytes (network.go). A
	// larger number would make turns longer, with little gain.
	turnElements = 4
	// exchangeTime is twice the interval in seconds at which a simulated FPGA exchanges data with other simulators: 64
	// cycles at 100 MHz (defaultQuantum of deploy/xsim).
	exchangeTime = 2 * 0.64e-6
)

// bridge returns the number of elements that flow on an edge during the delays of the runtime. The delays have three
// causes: the writer has not published elements, the reader's process executes other kernels, or the reader has not
// released space. members is the number of kernels on each resource. ends are the resources of the writer and the
// reader.
func bridge(p *flow.Problem, members []int, ends [2]int, elementRate, elementBytes float64) float64 {
	from, to := ends[0], ends[1]
	if !(elementRate > 0) || math.IsInf(elementRate, 1) {
		return 0
	}
	turns := func(kernels int) float64 { // elements that flow during the turns of this many kernels
		return math.Min(elementRate*turnTime*float64(kernels), math.Max(turnBytes/elementBytes, turnElements))
	}
	core := func(r int) bool { return p.Architecture.Resources[r].Sharing.Rule != flow.AreaOnly }
	switch {
	case from == to && core(from):
		return turns(members[from])
	case core(from) && core(to):
		batch := math.Min(elementRate*batchTime, batchBytes/elementBytes)
		return batchParts*batch + turns(members[from]+members[to]-2)
	case from != to:
		kernels := 0
		for _, r := range []int{from, to} {
			if core(r) {
				kernels += members[r]
			}
		}
		return elementRate*exchangeTime + turns(kernels)
	}
	return 0 // inside an FPGA, elements move word by word
}
