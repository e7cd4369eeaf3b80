package run

import (
	"xopt/hdl/rtl"
)

// KernelSpent divides the cycles of a kernel on an FPGA since the start of the run. All kernels of an FPGA have the
// same number of cycles, except kernels with their own clocks.
type KernelSpent struct {
	Kernel   int
	FPGA     string
	Streams  []rtl.Stream  // that Waiting is of, by the names of their ports
	Machines []rtl.Machine // that States are of
	rtl.Spent
}

// spent reads the counts of cycles of all kernels on FPGAs as they are now.
func (r *run) spent() (list []KernelSpent) {
	for i := range r.prog.FPGAs {
		f := &r.prog.FPGAs[i]
		for j := range f.Kernels {
			k := &f.Kernels[j]
			counts := make([]uint64, rtl.SpentCounts(len(k.Streams), k.Machines))
			for n := range counts {
				counts[n] = r.hardwareFigure(f, k.At+n)
			}
			s, _ := rtl.NewSpent(counts, len(k.Streams), k.Machines)
			list = append(list, KernelSpent{k.Kernel, f.Name, k.Streams, k.Machines, s})
		}
	}
	return list
}
