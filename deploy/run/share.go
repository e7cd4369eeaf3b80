package run

// working contains the state of long calls. A call counts when it has returned, which may be frames after its start.
type working struct {
	kernel  []int     // that each process ran when the frame before ended, or -1
	counted []float64 // seconds of a kernel's call in progress that earlier frames have counted
}

func newWorking(processes, kernels int) working {
	w := working{make([]int, processes), make([]float64, kernels)}
	for i := range w.kernel {
		w.kernel[i] = -1
	}
	return w
}

// share assigns the work of kernels, counted at the end of their calls, to the frame in which it was done, as far as
// possible. A kernel in one call during all of the frame worked for all of it, minus its waiting. Work before the
// frame, in a call that started then, is not part of it. No process works for longer than the frame. process is the
// process of each kernel, running the kernel that each process runs now. alone marks the processes that run one
// kernel at a time.
func (w *working) share(f *FrameData, process, running []int, alone []bool, waited func(k int) float64) {
	length := f.End - f.Start
	sum := make([]float64, len(running))
	for k := range f.Kernels {
		x, p := &f.Kernels[k], process[k]
		x.Worked = x.Busy
		switch {
		case alone[p] && x.Calls == 0 && running[p] == k && w.kernel[p] == k:
			x.Worked, x.Estimated = max(length-waited(k), 0), true
			w.counted[k] += x.Worked
		case x.Calls > 0 && w.counted[k] > 0:
			x.Worked, x.Estimated = max(x.Busy-w.counted[k], 0), true
			w.counted[k] = 0
		}
		if x.Worked > length {
			x.Worked, x.Estimated = length, true
		}
		sum[p] += x.Worked
	}
	for k := range f.Kernels {
		x, p := &f.Kernels[k], process[k]
		if excess := sum[p] - length; alone[p] && excess > 0 && w.kernel[p] == k { // its call began before
			cut := min(excess, x.Worked)
			x.Worked, x.Estimated = x.Worked-cut, true
			sum[p] -= cut
		}
	}
	for k := range f.Kernels {
		if x, p := &f.Kernels[k], process[k]; alone[p] && sum[p] > length && x.Worked > 0 {
			x.Worked, x.Estimated = x.Worked*length/sum[p], true
		}
	}
	copy(w.kernel, running)
}

// share limits the counts of kernels in a frame to the possible values.
func (c *collector) share(f *FrameData) {
	running, alone := make([]int, len(c.prog.Processes)), make([]bool, len(c.prog.Processes))
	for p := range running {
		running[p], alone[p] = c.kernelIn(p), !c.virtual() // simulated cores and FPGAs work side by side
	}
	process := make([]int, len(c.prog.Kernels))
	for k := range process {
		process[k] = c.prog.Kernels[k].Process
	}
	c.working.share(f, process, running, alone, func(k int) float64 {
		waited := 0.0
		for _, port := range c.prog.Kernels[k].Outputs {
			for _, e := range port.Edges {
				waited += f.Edges[e].Blocked
			}
		}
		return waited
	})
}
