package buffers

import (
	"math"

	"xopt/flow"
)

// What the runtime of a deployment needs of a buffer, whatever the kernels are. Its own constants
// are in deploy/runtime: ring.c, turn.c and sched.c; those of the machine were measured on
// two cores of a virtual machine (docs/buffers.md, Figures).
const (
	// batchTime is how long a batch is at the most that a process fills before it shows it to
	// another (SLOW of ring.c): much of what is shown at once costs little for each element.
	batchTime = 20e-6
	// batchParts is what part of a ring a batch is at the most (ring_batch of ring.c), and batchBytes
	// how large it has to be: the runtime lets it grow to 4096, which gains nothing.
	batchParts, batchBytes, batchGrows = 8, 3072, 4096
	// turnTime is how much work of a kernel makes its turn worth what it costs to change to another
	// of the same process, 0.1 us, at a hundredth: each kernel of a core adds as much to a round.
	turnTime = 10e-6
	// turnElements is how many elements are bridged where turnBytes (network.go) hold fewer: more
	// make turns longer and hardly cheaper.
	turnElements = 4
	// exchangeTime is twice the time after which a simulated FPGA exchanges data with the others: 64
	// cycles of 100 MHz (defaultQuantum of deploy/xsim).
	exchangeTime = 2 * 0.64e-6
)

// bridge is how many elements of an edge flow while its reader waits for what its writer has not
// shown, or does other things, or the writer for the room that the reader has not given back.
// members is the number of kernels on each resource, ends are the resources of the writer and the reader.
func bridge(p *flow.Problem, members []int, ends [2]int, elementRate, elementBytes float64) float64 {
	from, to := ends[0], ends[1]
	if !(elementRate > 0) || math.IsInf(elementRate, 1) {
		return 0
	}
	turns := func(kernels int) float64 { // what flows while so many have a turn
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
	return 0 // inside an FPGA, where elements go on word by word
}
