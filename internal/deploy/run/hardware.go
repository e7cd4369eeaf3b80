package run

import (
	"fmt"

	"xopt/internal/deploy/abi"
	"xopt/internal/deploy/build"
)

// HardwareTap is what a tap in hardware has counted, as the FPGA's agent has sent it.
// Counts are of cycles; occupancies of words.
type HardwareTap struct {
	FPGA                string
	Tap                 build.FederateTap
	Cycles              uint64 // that were counted
	Moved, Waited, Idle uint64
	Least, Most         uint64
	Mean                float64
}

// hardwareTaps reads what the taps of all FPGAs have counted.
func (r *run) hardwareTaps() (list []HardwareTap) {
	if !r.virtual() {
		return nil
	}
	for i := range r.prog.FPGAs {
		f := &r.prog.FPGAs[i]
		at := f.Control
		if len(f.Taps) == 0 {
			continue
		}
		records, lost, wrong, cycles := r.load64(at+abi.FederateRecords), r.load64(at+abi.FederateLost),
			r.load64(at+abi.FederateWrong), r.load64(at+abi.FederateTapped)
		if lost+wrong > 0 {
			r.notes = append(r.notes, fmt.Sprintf("of the agent of %s %d records were lost, and %d were damaged",
				f.Name, lost, wrong))
		}
		if records == 0 {
			r.notes = append(r.notes, fmt.Sprintf("the run ended before the agent of %s had sent a record", f.Name))
			continue
		}
		for _, t := range f.Taps {
			if t.Kind != build.FederateActivity && t.Kind != build.FederateQueue {
				continue // the samples of a tap
			}
			figure := func(n int) uint64 { return r.load64(at + abi.FederateTaps + 8*uint64(t.At+n)) }
			h := HardwareTap{FPGA: f.Name, Tap: t, Cycles: cycles}
			if t.Kind == build.FederateQueue {
				h.Least, h.Most, h.Mean = figure(0), figure(1), float64(figure(2))/float64(max(cycles, 1))
			} else {
				h.Moved, h.Waited, h.Idle = figure(0), figure(1), figure(2)
				h.Cycles = h.Moved + h.Waited + h.Idle // enabled some cycles after the start
			}
			list = append(list, h)
		}
	}
	return list
}
