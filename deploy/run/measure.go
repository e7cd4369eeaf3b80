package run

import (
	"slices"

	"xopt/deploy/abi"
	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/deploy/trace"
	"xopt/hdl/rtl"
	"xopt/internal/fault"
	"xopt/mapper/result"
)

// Measurement contains the data measured in one run: the figures of its result, and their raw data. Counts come from
// the indices of the rings and have no overhead. Taps contains the taps of Options.Taps. Edges and Kernels are in the
// order of the program. [Measurement.Result] completes the figures.
type Measurement struct {
	result.Measured
	Taps     []TapMeasurement // in the order of Options.Taps
	Frames   []FrameData      // time frames; by default one for the entire run
	Compiler string
	Virtual  bool    // all times except Wall are virtual
	Wall     float64 // duration of a virtual run on this machine in seconds
	Hardware []HardwareTap
	Spent    []KernelSpent // cycles of kernels on FPGAs
	Counted  []KernelCounted
	// Reference contains, for each process, the turns of the reference load in the program.
	Reference [][]ReferenceTurn
	// Events is the header of the run's trace; nil if the run recorded no trace. EventsError is not nil if the trace is
	// incomplete.
	Events      *trace.Header
	EventsError error
	// Unreturned names the kernels that had not returned when the run was stopped, with the progress of each. It is set
	// if no element had moved for half of the run.
	Unreturned []string
	Failure    *Failure // nil if the run ended normally; otherwise all results are partial
	Notes      []fault.Note
	Warnings   []fault.Note // inconsistent figures, and omissions
}

// TapMeasurement contains the samples of one tap.
type TapMeasurement struct {
	program.Tap
	Bins   program.Scale
	Total  Summary
	Lost   uint64 // values dropped because the log was full
	Missed uint64 // data frames overwritten before they were read
	// Recorded contains the elements that Record has stored, in order.
	Recorded []byte
}

// TapFrame is one frame of a tap.
type TapFrame struct {
	Frame uint64
	Summary
}

// Summary describes the samples of a frame, or of a run. A sample represents the elements since the previous sample, so
// Weight, Mean and Histogram count elements.
type Summary struct {
	Samples      uint64
	Weight       float64 // elements
	Sum, Squares float64 // weighted
	Min, Max     float64 // extremes of the samples, without weights
	Below, Above float64 // weight outside the bins
	// Products is the sum of the products of the bins of consecutive samples. Bins are numbered from 1, and 0 means
	// below all bins. Products is set only for gaps and busy times.
	Products  float64
	Histogram []float64
}

// Mean returns the mean over elements; NaN if there are no samples.
func (s *Summary) Mean() float64 { return s.Sum / s.Weight }

// SCV returns the squared coefficient of variation over elements; NaN if there are no samples.
func (s *Summary) SCV() float64 {
	mean := s.Mean()
	return max(s.Squares/s.Weight/(mean*mean)-1, 0)
}

// Add merges a summary with the same bins.
func (s *Summary) Add(x *Summary) {
	if x.Samples == 0 {
		return
	}
	if s.Samples == 0 {
		s.Min, s.Max = x.Min, x.Max
	}
	s.Samples += x.Samples
	s.Weight += x.Weight
	s.Sum += x.Sum
	s.Squares += x.Squares
	s.Products += x.Products
	s.Min, s.Max = min(s.Min, x.Min), max(s.Max, x.Max)
	s.Below += x.Below
	s.Above += x.Above
	if s.Histogram == nil {
		s.Histogram = make([]float64, len(x.Histogram))
	}
	for i, w := range x.Histogram {
		s.Histogram[i] += w
	}
}

// FrameData is one time frame.
type FrameData struct {
	Frame      uint64
	Start, End float64 // seconds since the start of the run
	Edges      []EdgeFrame
	Kernels    []KernelFrame
	Points     []uint64          // number of passes of each testpoint
	Taps       []TapFrame        // by tap with time frames
	Data       [][]TapFrame      // by tap with data frames: the data frames that ended in this frame
	Logs       [][]result.Logged // by tap with a log
	Conditions []Looked          // polls of Options.Conditions
	Spent      []FrameSpent      // Measurement.Spent in this frame
}

// FrameSpent contains the cycle counts of a kernel on an FPGA in a frame.
type FrameSpent struct {
	Kernel int
	rtl.Spent
}

// EdgeFrame contains the traffic of one edge in a time frame.
type EdgeFrame struct {
	Sent, Consumed uint64  // elements
	Blocked        float64 // seconds for which the writer waited for space
}

// KernelFrame contains the work of one kernel in a time frame. A call counts in the frame in which it returns.
type KernelFrame struct {
	Calls uint64
	Busy  float64 // duration of these calls in seconds, including the part of a long call before the frame
	// Worked is the time in seconds for which the kernel worked in the frame, at most the length of the frame.
	// Estimated reports that Worked is not exact, because a call started before the frame or continues after it.
	Worked    float64
	Estimated bool
}

// maxResolution is the largest plausible resolution of a process's clock, in ticks.
const maxResolution = 4096

// measure reads the counters after the run.
func (r *run) measure(failure *Failure) *Measurement {
	m := &Measurement{Failure: failure, Notes: r.notes, Taps: r.collector.taps, Frames: r.collector.frames,
		Unreturned: r.unreturned}
	m.Seconds, m.Buffers = max(r.elapsed(r.ended), 1e-9), r.grower.measure()
	m.Clock = result.Clock{Name: "CLOCK_MONOTONIC", Hertz: 1e9}
	if r.virtual() {
		m.Hardware, m.Spent, m.Packets = r.hardwareTaps(), r.spent(), r.packets()
		m.Counted = r.monitored()
		m.Notes = append(r.notes, r.prog.Untapped...)
		m.Virtual, m.Wall = true, r.ended.Sub(r.started).Seconds()
		m.Clock = result.Clock{Name: "virtual time", Hertz: 1e12}
	} else if r.prog.TSC {
		m.Clock = result.Clock{Name: "TSC"}
		if seconds, measured := r.tick(0); measured {
			m.Clock.Hertz = 1 / seconds
		}
	}
	if !r.virtual() && len(r.prog.Processes) > 0 {
		ticks := min(r.load32(r.processAt(0)+abi.ProcessResolution), maxResolution)
		m.Clock.Resolution = float64(ticks) * r.tickSeconds(0)
	}
	for i := range r.prog.Reference {
		m.Reference = append(m.Reference, r.reference(i))
	}
	for i, x := range r.prog.Processes {
		p := result.Process{Name: x.Name, Processor: x.Processor, Wait: string(x.Wait), Scheduler: string(x.Scheduler),
			Schedule: string(x.Schedule), Batch: x.Batch, BatchFrom: x.BatchFrom, CPU: r.cpu[i].Seconds()}
		if r.parts != nil {
			p.Name += " of host " + r.prog.Hosts[x.Host].Name
			p.Processor = r.parts.on[i]
		}
		m.Processes = append(m.Processes, p)
	}
	bytesIn, bytesOut := make([]float64, len(r.prog.Kernels)), make([]float64, len(r.prog.Kernels))
	for e, edge := range r.prog.Edges {
		sent, consumed, passed := r.sent(e), r.tail(e), r.passed(e)
		size := float64(r.prog.Edges[e].ElementBytes)
		if !r.prog.Edges[e].IsCopy {
			bytesOut[edge.From] += float64(sent) * size
		}
		if !r.prog.Kernels[edge.To].Inputs[edge.ToPort].Once {
			bytesIn[edge.To] += float64(consumed-passed) * size
		}
		initial := uint64(edge.Initial)
		own := sent - passed // part of a shared stream for this copy
		x := result.MeasuredEdge{Edge: edge.Name, Elements: own, Initial: initial, Left: since(initial+sent, consumed),
			ElementRate: float64(own) / m.Seconds,
			Rate:        float64(own) * size / m.Seconds,
			Capacity:    int(r.capacity(e)), MaxOccupancy: r.collector.largest[e], Looks: r.collector.looks,
			Waits: r.load64(r.prog.Edges[e].Control + abi.RingWaits), Blocked: r.blocked(e)}
		x.Backpressure = min(x.Blocked/m.Seconds, 1)
		if r.virtual() { // followed through time
			x.Looks = 0
			x.MeanOccupancy = 1e-9 * float64(r.watch.figure(edge.Control+abi.RingHeld,
				"the sum of the elements of edge "+edge.Name, edge.From)) / m.Seconds
			x.MaxOccupancy = r.watch.figure(edge.Control+abi.RingMaximum, "the maximum of the elements of edge "+
				edge.Name,
				edge.From)
		} else if r.collector.looks > 0 {
			x.MeanOccupancy = float64(r.collector.sum[e]) / float64(r.collector.looks)
		}
		m.Edges = append(m.Edges, x)
	}
	for k := range r.prog.Kernels {
		m.Kernels = append(m.Kernels, r.measureKernel(k, m.Seconds, bytesIn[k], bytesOut[k]))
		if r.prog.Kernels[k].IsSource() && !r.prog.Kernels[k].Once {
			m.Throughput += bytesOut[k] / m.Seconds
		}
		if len(r.prog.Kernels[k].Outputs) == 0 {
			m.SinkRate += bytesIn[k] / m.Seconds
		}
	}
	m.Steady = r.steady(m)
	if m.Warnings = r.emits(m); !m.Virtual {
		m.Warnings = append(m.Warnings, differs(&m.Measured)...)
	}
	return m
}

// busy returns the kernel's accumulated service time in seconds.
func (r *run) busy(k int) float64 {
	return float64(r.load64(r.kernelAt(k)+abi.KernelBusy)) * r.tickSeconds(r.prog.Kernels[k].Process)
}

func (r *run) measureKernel(k int, seconds, in, out float64) result.MeasuredKernel {
	x := result.MeasuredKernel{Kernel: r.prog.Kernels[k].Name, Process: r.prog.Kernels[k].Where, Calls: r.calls(k),
		Busy: r.busy(k), In: in, Out: out}
	x.Utilization = min(x.Busy/seconds, 1)
	work := in
	if r.prog.Kernels[k].IsSource() {
		work = out
	} else if in > 0 && len(r.prog.Kernels[k].Outputs) > 0 {
		x.Gain = out / in
	}
	x.Firings = r.firings(k, r.consumed, r.sent)
	if outputs := r.prog.Kernels[k].Outputs; len(outputs) > 1 && out > 0 {
		for _, port := range outputs {
			first := port.Edges[0] // the other edges carry the same data
			x.Routing = append(x.Routing, result.PortFraction{Port: port.Name,
				Fraction: float64(r.sent(first)) * float64(r.prog.Edges[first].ElementBytes) / max(out, 1)})
		}
	}
	if x.Busy > 0 && x.Firings > 0 {
		x.ServiceRate = work / x.Busy
		x.ServiceTime = x.Busy / float64(x.Firings)
	}
	return x
}

// firings returns the number of firings of a kernel, computed from the elements consumed and sent on its edges. If a
// source on an FPGA has several outputs and no emit, the elements of its firings are unknown. Each element then counts
// as a firing.
func (r *run) firings(k int, consumed, sent func(e int) uint64) (n uint64) {
	kernel := &r.prog.Kernels[k]
	if kernel.CountsCalls() {
		return r.watch.figure(r.kernelAt(k)+abi.KernelFired, "the firings of "+kernel.Name, k)
	}
	for _, port := range kernel.Inputs {
		if port.Firing > 0 {
			all := uint64(0)
			for _, e := range port.Edges {
				all += consumed(e)
			}
			n += all / uint64(port.Firing)
		}
	}
	each := kernel.IsSource() && !slices.ContainsFunc(kernel.Outputs,
		func(o program.Output) bool { return o.Firing > 0 })
	for _, port := range kernel.Outputs {
		switch {
		case len(port.Edges) == 0:
		case port.Firing > 0:
			n += sent(port.Edges[0]) / uint64(port.Firing)
		case each:
			n += sent(port.Edges[0])
		}
	}
	return n
}

// SinkRate returns the rate into all sinks in bytes/s over the frames of a measurement. It excludes the first skip
// frames, and further frames that began during start-up. It returns an error if no frames remain.
func SinkRate(prog *program.Description, m *Measurement, skip int) (float64, error) {
	// At least half of the frames count. If fewer frames counted, a process might not have had its processor in any of
	// these frames.
	for s := m.Steady; s != nil && s.Short == "" && 2*(skip+1) <= len(m.Frames) && m.Frames[skip].Start < s.StartUp; {
		skip++
	}
	if len(m.Frames) <= skip {
		return 0, faults.TooFewFrames.Errorf("the run had %d frames, but xopt discards the first %d frames (use a "+
			"longer run)", len(m.Frames), skip)
	}
	bytes := 0.0
	for e := range prog.Edges {
		edge := &prog.Edges[e]
		if to := &prog.Kernels[edge.To]; len(to.Outputs) > 0 || to.Inputs[edge.ToPort].Once {
			continue
		}
		for _, f := range m.Frames[skip:] {
			bytes += float64(f.Edges[e].Consumed) * float64(edge.ElementBytes)
		}
	}
	return bytes / (m.Frames[len(m.Frames)-1].End - m.Frames[skip].Start), nil
}

// KernelCounted contains the cycle counts of a kernel's monitor in the hardware, as received from the FPGA's agent.
// They extend from the start of counting to the last record.
type KernelCounted struct {
	Kernel  int
	FPGA    string
	Monitor program.FederateMonitor
	// Streams and Machines belong to the kernel. Streams have the names of their ports.
	Streams  []rtl.Stream
	Machines []rtl.Machine
	rtl.Counted
}

// monitored reads the monitor counts of all FPGAs.
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

// KernelSpent contains the cycles of a kernel on an FPGA since the start of the run, by state. All kernels of an FPGA
// have the same number of cycles, except kernels with their own clocks.
type KernelSpent struct {
	Kernel   int
	FPGA     string
	Streams  []rtl.Stream  // streams in Waiting, with the names of their ports
	Machines []rtl.Machine // state machines of States
	rtl.Spent
}

// spent reads the current cycle counts of all kernels on FPGAs.
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

// ReferenceTurn contains the times of fixed pieces of work on the processor of a process, between calls of its
// kernels.
type ReferenceTurn struct {
	Frame   uint64  // number of the current time frame
	Time    float64 // seconds since the start of the run
	Seconds float64 // duration of the turn in seconds
	CPU     float64 // processor time of the process until Time, in seconds
	// Preempted is the number of preemptions of the process until Time.
	Preempted uint64
	Probes    [abi.Probes]float64 // time of each probe, in seconds
	// Distance is the time in seconds for reading a cache line written by the next process. It is 0 if there is no next
	// process, or if that process had not yet written a line.
	Distance float64
}

// reference reads the turns of the reference load on the processor of a process.
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
			Seconds:   float64(figure(abi.ReferenceTurnTook)) * r.tickSeconds(process),
			Preempted: figure(abi.ReferenceTurnPreempted)}
		if r.hasSeparateProcessors(process) {
			t.Distance = float64(figure(abi.ReferenceTurnDistance)) * r.tickSeconds(process) / abi.Lines
			if t.Distance < minDistance {
				t.Distance = 0
			}
		}
		for f := range t.Probes {
			t.Probes[f] = float64(figure(abi.ReferenceTurnProbes+8*uint64(f))) * r.tickSeconds(process)
		}
		turns = append(turns, t)
	}
	return turns
}

// minDistance is the minimum time in s for reading a line from another core. A shorter time means that the line was
// still in the cache, because the other process has not written it since the last turn.
const minDistance = 6e-9

// hasSeparateProcessors reports whether a process and the next process have different processors.
func (r *run) hasSeparateProcessors(process int) bool {
	list := r.prog.Processes
	a, b := list[process].Processor, list[(process+1)%len(list)].Processor
	return a >= 0 && b >= 0 && a != b
}
