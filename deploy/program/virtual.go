package program

import "xopt/hdl/rtl"

// Virtual configures a run in virtual time. The run simulates processor cores and links. Kernels on cores run natively,
// one at a time. Kernels on FPGAs run in the simulations of Federates (runtime/virtual.c; Gayen 2008 §3.2, §5.2).
type Virtual struct {
	// Core is the core of each kernel, from 0; -1 on an FPGA.
	Core  []int
	Cores []string // names of the cores
	// Rate is the service rate of each kernel on a core in bytes/s, and SCV is the scv of its random service times. If
	// Rate is 0, the kernel uses its actual time on this machine.
	Rate, SCV []float64
	// Times are the durations in ps of each kernel's firings in another run. The firings of this run use them in order
	// and start again at the end. Times, or the list of a kernel, is nil if there are no such times.
	Times [][]uint64
	Links []VirtualLink
	// Routes are the links that each edge crosses, in order.
	Routes    [][]int
	Federates []Federate
	Quantum   uint64 // FPGA cycles between exchanges with the cores
	Seed      uint64
	// Record is a folder for recording the data that cross the border of the FPGA (federate/cpp/recorder.h); "" for
	// none. Recording supports only one FPGA.
	Record string
}

// VirtualLink is a link of the simulated machine. The edges on the link share it.
type VirtualLink struct {
	Name          string
	Bandwidth     float64 // bytes/s
	TransferCost  float64 // seconds
	TransferBytes float64 // size of a full transfer, for which the link waits; 0 for one element
	Latency       float64 // seconds from the end of a transfer to the arrival of its data
	Jitter        float64 // maximum additional delay in seconds, uniform for each transfer, without reordering
	Flush         float64 // timeout in seconds for an incomplete transfer; 0 for none
}

// Packets reports whether the link's transfers have a cost or wait until they are full.
func (l *VirtualLink) Packets() bool { return l.TransferCost > 0 || l.TransferBytes > 0 }

// Federate is a program that simulates the kernels of one FPGA.
type Federate struct {
	Name   string // name of the FPGA
	Path   string
	Period float64 // clock period in seconds
	Phase  float64 // seconds from the start of the run to the first cycle
	Parts  []int   // kernels, in the order of the program
	// Periods are the periods in seconds of the kernels' own clocks, by part; 0 for the clock of the FPGA.
	Periods []float64
	Outer   []FederateOuter
	Inner   []FederateInner
	Taps    []FederateTap
	// Probes are the taps of the run whose signals the program samples, in the order of the program.
	Probes []int
	// Traces contains the signal of each trace ring in the hardware, as text (signals.Probe.Text).
	Traces []string
	// Monitors count the cycles of parts by state in the hardware. MonitorsAt is the index of their first count in the
	// figures of the FPGA. Each monitor has MonitorBins counts.
	Monitors                []FederateMonitor
	MonitorsAt, MonitorBins int
	// Seen contains, for each of Parts, the streams and states that the simulation observes.
	Seen []FederateSeen
}

// FederateSeen is a kernel on an FPGA whose cycles are counted by state.
type FederateSeen struct {
	Streams  []rtl.Stream  // with the names of their ports
	Machines []rtl.Machine // the watched state machines
}

// FederateMonitor is a monitor in the hardware, with its area when synthesized alone.
type FederateMonitor struct {
	rtl.StateMonitor
	LUT, FF, BRAM float64
}

// slowest returns the period of the slowest clock in the FPGA, in cycles of the FPGA's clock; at least 1.
func (f *Federate) slowest() float64 {
	maximum := f.Period
	for _, p := range f.Periods {
		maximum = max(maximum, p)
	}
	return maximum / f.Period
}

// counts returns the number of the kernel's cycle counts.
func (s *FederateSeen) counts() int { return rtl.SpentCounts(len(s.Streams), s.Machines) }

// FederateOuter is an edge that leaves an FPGA.
type FederateOuter struct {
	Edge   int
	Stream string
	Part   int // index in Parts
}

// FederateInner is an edge inside an FPGA, with the bytes of its words at both ends.
type FederateInner struct {
	Edge               int
	PutBytes, GotBytes int
	FromPart, ToPart   int
}

// DrainCycles is the idle time after which a kernel on an FPGA counts as ended if no more input can arrive. It is in
// cycles of the FPGA's slowest clock.
const DrainCycles = 2000

// RestCycles is the idle time after which a loop on an FPGA counts as at rest. No word moves at the kernels of an idle
// loop, and no word waits to leave it. RestCycles is much longer than DrainCycles, so that a kernel with a long
// computation does not count as idle.
const RestCycles = 10 * DrainCycles

// assignVirtual creates one process for all cores, and one process for each FPGA.
func (p *plan) assignVirtual() {
	v := p.options.Virtual
	cpus := processors(p.options.CPUs)
	p.process = make([]int, len(p.program.Kernels))
	p.processes = []Process{{Name: "the simulated cores", Processor: cpus[0], Wait: WaitSpin,
		Scheduler: SchedulerOther}}
	for i, f := range v.Federates {
		cpu := -1
		if len(cpus) > 1 {
			cpu = cpus[1+i%(len(cpus)-1)]
		}
		p.processes = append(p.processes, Process{Name: f.Name, Processor: cpu, Wait: WaitSpin,
			Scheduler: SchedulerOther})
		for _, k := range f.Parts {
			p.process[k] = i + 1
		}
	}
}

// onFPGA reports whether a kernel is on a simulated FPGA.
func (p *plan) onFPGA(k int) bool { return p.options.Virtual != nil && p.options.Virtual.Core[k] < 0 }

// where returns the name of a kernel's process or simulated resource.
func (p *plan) where(k int) string {
	if v := p.options.Virtual; v != nil && v.Core[k] >= 0 {
		return v.Cores[v.Core[k]]
	}
	return p.processes[p.process[k]].Name
}

// inside reports whether an edge stays inside an FPGA.
func (p *plan) inside(e int) bool {
	edge := p.program.Edges[e]
	return p.onFPGA(edge.From) && p.onFPGA(edge.To) && p.process[edge.From] == p.process[edge.To]
}

// bulk returns the number of elements of an edge for which a link on its route waits; 0 for none. It counts only links
// that wait until the stream ends.
func (p *plan) bulk(e int) int {
	maximum := 0
	if v := p.options.Virtual; v != nil {
		for _, l := range v.Routes[e] {
			if link := &v.Links[l]; link.Flush == 0 {
				maximum = max(maximum, int(link.TransferBytes/float64(p.element[e])))
			}
		}
	}
	return maximum
}
