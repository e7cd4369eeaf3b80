package program

import "xopt/hdl/rtl"

// Virtual makes a run one in virtual time: processor cores and links are simulated,
// kernels on cores run natively, one at a time, and kernels on FPGAs in the simulations
// of Federates (runtime/virtual.c; Gayen 2008 §3.2, §5.2).
type Virtual struct {
	// Core is the core of each kernel, numbered from 0; -1 on an FPGA.
	Core  []int
	Cores []string // their names
	// Rate and SCV are the service rate (bytes/s) of each kernel on a core, and the scv of
	// its service times: they are drawn. Where Rate is 0 the kernel takes the time that it
	// takes here.
	Rate, SCV []float64
	// Times are how long the firings of each kernel took in another run, in ps: its firings take them
	// in order, and from the first again behind the last. nil for all, or of one kernel, where there
	// are none.
	Times [][]uint64
	Links []VirtualLink
	// Routes are the links that each edge crosses, in order.
	Routes    [][]int
	Federates []Federate
	Quantum   uint64 // cycles of an FPGA between exchanges with the cores
	Seed      uint64
	// Record is a folder in which what crosses the border of the FPGA is recorded (federate/cpp/recorder.h); ""
	// for none. There is one FPGA then.
	Record string
}

// VirtualLink is a link: a server that its edges share.
type VirtualLink struct {
	Name          string
	Bandwidth     float64 // bytes/s
	TransferCost  float64 // seconds
	TransferBytes float64 // of a full one, which it waits for; 0 for one element
	Latency       float64 // seconds from its end until what it has moved arrives
	Jitter        float64 // seconds that it may come later, drawn evenly for each transfer; none overtakes another
	Flush         float64 // seconds after which one goes that is not full; 0 for never
}

// Packets reports whether what the link carries goes in transfers that cost something, or wait until they are full.
func (l *VirtualLink) Packets() bool { return l.TransferCost > 0 || l.TransferBytes > 0 }

// Federate is a program that simulates the kernels of one FPGA.
type Federate struct {
	Name   string // of the FPGA
	Path   string
	Period float64 // of a cycle, seconds
	Phase  float64 // from the start of the run to its first cycle, seconds
	Parts  []int   // kernels, in the order in which the program has them
	// Periods are those of the clocks that kernels have of their own, seconds, by part; 0 for that of the FPGA.
	Periods []float64
	Outer   []FederateOuter
	Inner   []FederateInner
	Taps    []FederateTap
	// Probes are the taps of the run whose signals it looks at, in the order in which the program has them.
	Probes []int
	// Traces are what rings in the hardware record, as tables say it (signals.Probe.Text).
	Traces []string
	// Monitors count where the cycles of parts go, in the hardware; MonitorsAt is where their counts begin among the
	// figures of the FPGA, MonitorBins how many each has.
	Monitors                []FederateMonitor
	MonitorsAt, MonitorBins int
	// Seen is what is seen of each of Parts while it is simulated.
	Seen []FederateSeen
}

// FederateSeen is a kernel on an FPGA, of whose cycles it is told where they go.
type FederateSeen struct {
	Streams  []rtl.Stream  // by the names of their ports
	Machines []rtl.Machine // that are watched
}

// FederateMonitor is a monitor in the hardware, and what it takes there, synthesized alone.
type FederateMonitor struct {
	rtl.StateMonitor
	LUT, FF, BRAM float64
}

// slowest is how many cycles of the FPGA one of the slowest clock in it takes; at least 1.
func (f *Federate) slowest() float64 {
	most := f.Period
	for _, p := range f.Periods {
		most = max(most, p)
	}
	return most / f.Period
}

// counts is how many counts of cycles there are of it.
func (s *FederateSeen) counts() int { return rtl.SpentCounts(len(s.Streams), s.Machines) }

// FederateOuter is an edge that leaves an FPGA.
type FederateOuter struct {
	Edge   int
	Stream string
	Part   int // index in Parts
}

// FederateInner is an edge inside an FPGA, and the bytes of its words at both ends.
type FederateInner struct {
	Edge               int
	PutBytes, GotBytes int
	FromPart, ToPart   int
}

// DrainCycles is how long a kernel on an FPGA must have done nothing, with nothing more
// to come, for it to have ended: in cycles of the slowest clock in the FPGA.
const DrainCycles = 2000

// RestCycles is how long no word must have moved at the kernels of a loop on an FPGA, and none waited to
// leave, for them to rest. A kernel that works longer on what it has taken, and moves nothing meanwhile,
// is taken to have nothing to do: therefore it is much longer than DrainCycles.
const RestCycles = 10 * DrainCycles

// assignVirtual makes one process of all cores, and one of each FPGA.
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

// onFPGA reports whether a kernel is simulated in hardware.
func (p *plan) onFPGA(k int) bool { return p.options.Virtual != nil && p.options.Virtual.Core[k] < 0 }

// where names what a kernel runs on: a process, or a simulated resource.
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

// bulk is how many elements of an edge a link on its route waits for, where nothing but the end of
// the stream ends the wait; 0 for none.
func (p *plan) bulk(e int) int {
	most := 0
	if v := p.options.Virtual; v != nil {
		for _, l := range v.Routes[e] {
			if link := &v.Links[l]; link.Flush == 0 {
				most = max(most, int(link.TransferBytes/float64(p.element[e])))
			}
		}
	}
	return most
}
