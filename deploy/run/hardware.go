package run

import (
	"xopt/deploy/abi"
	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/hdl"
	"xopt/mapper/result"
)

// HardwareTap contains the counts of a tap in hardware, as received from the FPGA's agent. Times are in cycles, and
// occupancies are in words.
type HardwareTap struct {
	result.HardwareTap
	Tap program.FederateTap
}

// NewHardwareTap returns a tap in an FPGA with all counts 0.
func NewHardwareTap(fpga string, tap program.FederateTap) HardwareTap {
	place := "out of"
	switch {
	case tap.Kind == hdl.QueueTap:
		place = "queue"
	case tap.Put:
		place = "into"
	}
	return HardwareTap{result.HardwareTap{FPGA: fpga, Place: place, WordBytes: tap.Bytes}, tap}
}

// hardwareTaps reads the counts of the taps of all FPGAs.
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
		count := func(offset uint64) uint64 { return r.watch.figure(at+offset, "a count of records of "+f.Name, -1) }
		records, lost, wrong, cycles := count(abi.FederateRecords), count(abi.FederateLost),
			count(abi.FederateWrong), count(abi.FederateTapped)
		if lost+wrong > 0 {
			r.notes = append(r.notes, faults.AgentRecordsLost.Notef("the agent of %s dropped %d records, and %d "+
				"records had a wrong checksum", f.Name, lost, wrong))
		}
		if records == 0 {
			r.notes = append(r.notes, faults.AgentSilent.Notef("the run ended before the agent of %s had sent a "+
				"record (send more elements: --elements)", f.Name))
			continue
		}
		for _, t := range f.Taps {
			if t.Kind != hdl.ActivityTap && t.Kind != hdl.QueueTap {
				continue // it only provides samples for a tap
			}
			figure := func(name string) uint64 {
				return r.hardwareFigure(f, t.At+t.Kind.At(name))
			}
			h := NewHardwareTap(f.Name, t)
			h.Cycles = cycles
			if t.Kind == hdl.QueueTap {
				h.Min, h.Max = figure("MIN"), figure("MAX")
				h.Mean = float64(figure("SUM_LOW")) / float64(max(cycles, 1)) // all 64 bits: SUM_LOW is the merged sum
			} else {
				h.Moved, h.Waited, h.Idle = figure("MOVED"), figure("WAITED"), figure("IDLE")
				h.Cycles = h.Moved + h.Waited + h.Idle // counting started some cycles after the start of the run
			}
			list = append(list, h)
		}
	}
	return list
}

// hardwareFigure reads a figure of the hardware of an FPGA.
func (r *run) hardwareFigure(f *program.FPGA, n int) uint64 {
	return r.watch.figure(abi.FederateFigureAt(f.Control, uint64(n)), "a figure of the agent of "+f.Name, -1)
}
