package record

import (
	"slices"
	"strings"

	"xopt/deploy/run"
	"xopt/flow/profile"
	"xopt/hdl"
	"xopt/hdl/rtl"
	"xopt/mapper/result"
)

// spentOf is which of the counts of cycles are of a kernel; -1 of one that is on no FPGA.
func (r *recorder) spentOf(kernel int) int {
	return slices.IndexFunc(r.from.Spent, func(s run.KernelSpent) bool { return s.Kernel == kernel })
}

// cycles tells where the cycles of a kernel went, in the run or in a frame of it.
func (r *recorder) cycles(i int, s *rtl.Spent) *profile.Cycles {
	return toldOf(&r.from.Spent[i], s)
}

func toldOf(k *run.KernelSpent, s *rtl.Spent) *profile.Cycles {
	return s.Told(k.Streams, k.Machines, func(s rtl.Stream) string { return s.Name })
}

// packets takes in what links have carried.
func (r *recorder) packets() {
	p := r.design.Program
	for _, x := range r.from.Packets {
		r.out.Packets = append(r.out.Packets, result.LinkPackets{Link: x.Link, Edge: p.Edges[x.Edge].Name,
			To:      p.Resources[r.design.Mapping.Place[p.Edges[x.Edge].To]].Name,
			Packets: x.Packets, Rate: result.Number(float64(x.Packets) / max(r.from.Seconds, 1e-12)), Bytes: x.Bytes,
			Smallest: x.Smallest, Largest: x.Largest, Latency: result.Number(x.Latency),
			Quickest: result.Number(x.Quickest), Slowest: result.Number(x.Slowest)})
	}
	slices.SortStableFunc(r.out.Packets, func(a, b result.LinkPackets) int { return strings.Compare(a.Link, b.Link) })
}

// hardware takes in what the taps in FPGAs have counted.
func (r *recorder) hardware() {
	for i := range r.from.Hardware {
		h := &r.from.Hardware[i]
		place := "out of"
		switch {
		case h.Tap.Kind == hdl.QueueTap:
			place = "queue"
		case h.Tap.Put:
			place = "into"
		}
		r.out.Hardware = append(r.out.Hardware, result.HardwareTap{FPGA: h.FPGA,
			Edge:  r.design.Program.Edges[h.Tap.Edge].Name,
			Place: place, WordBytes: h.Tap.Bytes, Cycles: h.Cycles,
			Moved: h.Moved, Waited: h.Waited, Idle: h.Idle, Least: h.Least, Mean: result.Number(h.Mean), Most: h.Most})
	}
}
