package run

import (
	"xopt/deploy/program"
	"xopt/hdl/rtl"
)

// KernelCounted is what a monitor in the hardware has counted of where the cycles of a kernel go, as the FPGA's agent
// has sent it: from when it was told to count until the last record.
type KernelCounted struct {
	Kernel  int
	FPGA    string
	Monitor program.FederateMonitor
	// Streams and Machines are those of the kernel, by the names of their ports.
	Streams  []rtl.Stream
	Machines []rtl.Machine
	rtl.Counted
}

// monitored reads what the monitors of all FPGAs have counted.
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
