package run

// working contains the state of long calls. The counters include a call only after its return, which may be several
// frames after its start.
type working struct {
	kernel  []int     // kernel that each process ran at the end of the previous frame, or -1
	counted []float64 // seconds of a kernel's current call that earlier frames have counted
}

func newWorking(processes, kernels int) working {
	w := working{make([]int, processes), make([]float64, kernels)}
	for i := range w.kernel {
		w.kernel[i] = -1
	}
	return w
}

// share assigns the work of kernels to the frame in which they did this work, as far as possible. The counters include
// a call only when it has returned. A kernel in one call during the entire frame worked for the length of the frame,
// minus its waiting time. If a call started before the frame, share excludes its work before the frame. No process
// works longer than the frame. process contains the process of each kernel, and running the current kernel of each
// process. alone marks the processes that run one kernel at a time.
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
		if excess := sum[p] - length; alone[p] && excess > 0 && w.kernel[p] == k { // its call began before the frame
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

// share computes the work of each kernel in a frame.
func (c *collector) share(f *FrameData) {
	running, alone := make([]int, len(c.prog.Processes)), make([]bool, len(c.prog.Processes))
	for p := range running {
		running[p], alone[p] = c.kernelIn(p), !c.virtual() // simulated cores and FPGAs work in parallel
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
