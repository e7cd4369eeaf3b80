package run

import (
	"xopt/deploy/program"
	"xopt/hdl/rtl"
)

// KernelCounted contains the cycle counts of a kernel's monitor in the hardware, as sent by the FPGA's agent. They
// extend from the start of counting to the last record.
type KernelCounted struct {
	Kernel  int
	FPGA    string
	Monitor program.FederateMonitor
	// Streams and Machines belong to the kernel; streams have the names of their ports.
	Streams  []rtl.Stream
	Machines []rtl.Machine
	rtl.Counted
}

// monitored reads the counts of the monitors of all FPGAs.
func (r *run) monitored() (list []KernelCounted) {
	for i := range r.prog.FPGAs {
		f := &r.prog.FPGAs[i]
		for j := range f.Monitors {
			m := &f.Monitors[j]
			k := &f.Kernels[m.Part]
			counts := make([]uint64, 1<<m.Bits(len(k.Streams), k.Machines))
			for n := range counts {
				counts[n] = r.hardwareFigure(f, f.MonitorsAt+f.MonitorBins*j+n)
			}
			list = append(list, KernelCounted{k.Kernel, f.Name, *m, k.Streams, k.Machines,
				m.Count(counts, len(k.Streams), k.Machines)})
		}
	}
	return list
}
