package run

import "xopt/deploy/abi"

// ReferenceTurn contains the times of fixed pieces of work on the processor of a process, between calls of its
// kernels.
type ReferenceTurn struct {
	Frame uint64  // the time frame that had begun
	Time  float64 // when it was, in seconds since the start of the run
	Took  float64 // seconds of the turn
	CPU   float64 // processor time of the process until then, in seconds
	// Preempted is the number of preemptions of the process until then.
	Preempted uint64
	Faces     [abi.Faces]float64 // time of each face, in seconds
	// Distance is the time in seconds for reading a cache line written by the next process. It is 0 if there is no
	// other process, or it had written none.
	Distance float64
}

// reference reads the turns of a process.
func (r *run) reference(process int) []ReferenceTurn {
	at := r.prog.Reference[process]
	var turns []ReferenceTurn
	for i := range min(r.load64(at+abi.ReferenceTaken), r.prog.ReferenceTurns) {
		from := abi.ReferenceTurnAt(at, i)
		figure := func(offset uint64) uint64 {
			return r.watch.figure(from+offset, "a figure of the reference of "+r.prog.Processes[process].Name,
				r.watch.owner(process))
		}
		t := ReferenceTurn{Frame: figure(abi.ReferenceTurnFrame),
			Time:      r.collector.seconds(r.load64(from+abi.ReferenceTurnTick), process),
			CPU:       1e-9 * float64(figure(abi.ReferenceTurnCpu)),
			Took:      float64(figure(abi.ReferenceTurnTook)) * r.tickSeconds(process),
			Preempted: figure(abi.ReferenceTurnPreempted)}
		if r.apart(process) {
			t.Distance = float64(figure(abi.ReferenceTurnDistance)) * r.tickSeconds(process) / abi.Lines
			if t.Distance < leastDistance {
				t.Distance = 0
			}
		}
		for f := range t.Faces {
			t.Faces[f] = float64(figure(abi.ReferenceTurnFaces+8*uint64(f))) * r.tickSeconds(process)
		}
		turns = append(turns, t)
	}
	return turns
}

// leastDistance is the minimum time in s for reading a line from another core. A shorter time means that the other
// process has written nothing since the last turn, so that the line was still in the cache.
const leastDistance = 6e-9

// apart reports whether a process and the next one have separate processors.
func (r *run) apart(process int) bool {
	list := r.prog.Processes
	a, b := list[process].Processor, list[(process+1)%len(list)].Processor
	return a >= 0 && b >= 0 && a != b
}
