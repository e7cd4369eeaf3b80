package program

import (
	"slices"

	"xopt/deploy/abi"
	"xopt/flow/xlang"
	"xopt/internal/fault"
)

// Description describes a program for the code that runs it: processes, kernels, edges and taps, with the addresses of
// their state in shared memory.
type Description struct {
	Bytes      uint64      // size of the shared memory
	Controls   uint64      // end of the control structures in shared memory
	Slack      [][2]uint64 // ranges without objects
	Processes  []Process
	Kernels    []Kernel // in the order of the design
	Order      []int    // kernels in the order of the runtime's numbers
	Edges      []Edge
	Loops      []Loop
	Taps       []PlacedTap // in the order of Options.Taps
	Conditions []Condition
	TSC        bool // times come from the time stamp counter
	Virtual    bool // times come from a simulated machine
	// Exchange is the maximum time in seconds for which an FPGA in RTL simulation runs between exchanges of data; 0
	// without an FPGA.
	Exchange float64
	FPGAs    []FPGA // the simulated FPGAs
	// Packets lists the links that carry packets in a run in virtual time, by edge and in the order of the edge's
	// route.
	Packets []PacketCount
	// Grows reports that buffers may grow as Growth specifies. They grow into the memory that starts at Reserve and has
	// Reserved bytes. BufferBytes is their size at the start.
	Grows             bool
	Growth            Growth
	Reserve, Reserved uint64
	BufferBytes       uint64
	// Reference contains the offset of the turns of the reference load, by process; nil without a reference load.
	Reference      []uint64
	ReferenceTurns uint64 // number of turns stored for each process
	// Points lists the testpoints of all kernels with the offsets of their counts; nil for a program that records no
	// events.
	Events     bool
	EventsMost uint64
	Points     []Point
	// Hosts are the hosts of the processes; nil if all processes run directly on this machine. xopt copies Files to the
	// hosts before a run, and back after the run.
	Hosts []Host
	Files []HostFile
	// Notes describe restrictions of the mapping on this machine. Untapped lists the taps without samples.
	Notes, Untapped []fault.Note
}

// PacketCount locates the packet count of an edge on a link. At is the offset of its x_packets.
type PacketCount struct {
	Edge int
	Link string
	At   uint64
}

// Point is a testpoint. At is the offset of its count in shared memory.
type Point struct {
	Kernel int
	Name   string
	At     uint64
}

// KernelsOf lists the kernels that run in a process.
func (d *Description) KernelsOf(process int) []int {
	var in []int
	for k := range d.Kernels {
		if d.Kernels[k].Process == process {
			in = append(in, k)
		}
	}
	return in
}

// Process is one process of the deployment. Control is the offset of its state.
type Process struct {
	Name      string
	Processor int // -1 for any; in a run over hosts, if not Named, the index among the processors of its host
	Wait      Wait
	Scheduler Scheduler
	// Schedule is the order in which the process runs its kernels: fused or sinks. Batch is the maximum number of bytes
	// that pass through the kernels in one pass; 0 if Schedule is not fused. BatchFrom is the origin of Batch.
	Schedule  Schedule
	Batch     uint64
	BatchFrom string
	Control   uint64
	Named     bool // the architecture names the processor
	Host      int  // index in Description.Hosts
	Carries   bool // it carries edges to other hosts and has no kernels (runtime/carry.c)
	Bell      int  // file descriptor of the eventfd that wakes it; 0 for none
}

// Kernel is a kernel of the application. Control is the offset of its counters.
type Kernel struct {
	Name, Block string
	Source      string // path of its source file; "" on an FPGA
	Where       string // its process or simulated resource
	Process     int
	OnFPGA      bool
	Once        bool   // it sends data only once, at the start
	Joined      bool   // it consumes elements of several inputs together
	Elements    uint64 // config elements of a source: the number of elements to send, such as pictures; 0 for none
	Loop        int    // index of its loop, -1 for none
	Inputs      []Input
	Outputs     []Output
	Control     uint64
	Times       []uint64 // firing times from another run in ps, for a run in virtual time (TimesAt is their offset)
	TimesAt     uint64
}

// IsSource reports whether a kernel has no inputs.
func (k *Kernel) IsSource() bool { return len(k.Inputs) == 0 }

// ByCall reports whether a kernel is a source with several outputs. The outputs of one call belong together.
func (k *Kernel) ByCall() bool { return k.IsSource() && len(k.Outputs) > 1 }

// CountsCalls reports whether a kernel is a source whose firings only its calls can count.
func (k *Kernel) CountsCalls() bool {
	return k.ByCall() && !k.OnFPGA && !slices.ContainsFunc(k.Outputs, func(o Output) bool { return o.Firing > 0 })
}

// IsSink reports whether a kernel has no outputs.
func (k *Kernel) IsSink() bool { return len(k.Outputs) == 0 }

// Input is an input port of a kernel.
type Input struct {
	Name   string
	Edges  []int
	Needs  uint64 // elements that the kernel consumes together
	Firing int    // elements per firing; 0 if they do not count firings
	Join   int    // number of its join, from 1; 0 for none
	Once   bool   // its data are sent once
}

// Output is an output port of a kernel. All of its edges carry the same data.
type Output struct {
	Name  string
	Edges []int
	Emit  int // elements that every firing sends, from emit; 0 without emit
	// Firing is the number of elements that a firing of a source sends on the output that counts firings; 0 for other
	// outputs. The first output with emit counts firings, or else the only output. If a source has several outputs and
	// no emit, its calls are firings.
	Firing int
}

// Edge is an edge of the application: its kernels and ports, its elements, and the addresses of its control
// structure, elements and ends.
type Edge struct {
	Name                          string
	From, To, FromPort, ToPort    int
	ElementBytes                  uint64
	Capacity                      int    // elements
	RingBytes                     uint64 // size of the data area
	IsCopy                        bool   // another edge of its port counts its elements
	Batches                       uint64 // offset of the queue of a copy's batches; 0 for none
	Inside                        bool   // both of its ends are on the same FPGA
	Initial                       int    // number of initial elements
	Values                        []byte // values of the initial elements; nil for zeros
	First                         int    // offset of the first initial element in the area, in elements
	Loop                          int    // index of the loop that contains both kernels, -1 for none
	Back                          bool   // it leads back in a loop and ends when the loop is at rest
	Bulk                          int    // number of elements that a link waits for without a timeout; 0 for none
	Ring                          int    // edge that owns the data area: the first edge of its port
	Fixed                         bool   // it does not grow when its writer is blocked
	Control, Data, Reader, Writer uint64
	Way                           Way
}

// PlacedTap is a tap with its bins, its maximum number of unread frames, and its offset.
type PlacedTap struct {
	Tap
	Bins  Scale
	Slots int
	At    uint64
}

// SlotAt returns the offset in shared memory of the slot of a frame.
func (t *PlacedTap) SlotAt(frame uint64) uint64 {
	return abi.TapSlotAt(t.At, frame%uint64(t.Slots), uint64(t.Bins.N))
}

// LogAt returns the offset of the tap's log or recorded data.
func (t *PlacedTap) LogAt() uint64 { return abi.TapSlotAt(t.At, uint64(t.Slots), uint64(t.Bins.N)) }

// Owner returns the kernel whose process samples a tap.
func (t *PlacedTap) Owner(d *Description) int {
	if t.Kind == Service || t.Kind == Probed {
		return t.Kernel
	}
	edges := t.Edges()
	switch t.Kind {
	case Latency, Consumed:
		return d.Edges[edges[len(edges)-1]].To
	}
	return d.Edges[edges[0]].From
}

// FPGA is a simulated FPGA. Control is the offset of its tap counts.
type FPGA struct {
	Name    string
	Period  float64 // clock period in seconds
	Taps    []FederateTap
	Control uint64
	Kernels []SeenKernel
	// Monitors count the cycles of Kernels by state. Their counts start at index MonitorsAt of the figures.
	Monitors                []FederateMonitor
	MonitorsAt, MonitorBins int
}

// SeenKernel is a kernel on an FPGA. At is the index of its first cycle count in the figures at Control.
type SeenKernel struct {
	FederateSeen
	Kernel, At int
}

// describe returns the description of a plan for the code that runs it.
func (p *plan) describe() *Description {
	d := &Description{Bytes: p.layout.size, Controls: p.layout.controls, Slack: p.layout.slack, Order: p.order,
		Loops:      p.loops,
		Conditions: p.options.Conditions, TSC: p.tsc, Virtual: p.options.Virtual != nil, Notes: p.notes,
		Untapped: p.untapped(), Grows: p.grows, Growth: p.options.Growth, Reserve: p.layout.reserve,
		Reserved: p.layout.reserved, BufferBytes: p.bufferMemory(), Reference: p.layout.reference,
		ReferenceTurns: referenceTurns, Hosts: p.hosts, Files: p.files}
	for i, x := range p.processes {
		x.Control = p.layout.processes + uint64(i)*abi.ProcessBytes
		d.Processes = append(d.Processes, x)
	}
	for k := range p.program.Kernels {
		d.Kernels = append(d.Kernels, p.describeKernel(k))
	}
	for e := range p.program.Edges {
		x := &p.program.Edges[e]
		d.Edges = append(d.Edges, Edge{Name: x.Name, From: x.From, To: x.To, FromPort: x.FromPort, ToPort: x.ToPort,
			ElementBytes: p.element[e], Capacity: p.capacity[e], RingBytes: p.ring[e], IsCopy: p.copies[e],
			Batches: p.layout.batches[e],
			Inside:  p.inside(e), Bulk: p.bulk(e), Initial: x.Initial, Values: p.values[e], First: p.first[e],
			Loop: p.loopOf(e), Back: p.isBack(e), Ring: p.layout.ring[e], Fixed: p.options.Growth.fixed(e),
			Control: p.layout.control[e], Data: p.layout.data[e], Reader: p.layout.reader[e],
			Writer: p.layout.writer[e], Way: p.way(e)})
	}
	if d.Events = p.options.Events; d.Events {
		d.EventsMost = p.options.EventsMost
		for k := range p.points {
			for i, n := range p.points[k] {
				d.Points = append(d.Points, Point{k, p.program.Kernels[k].Testpoints[i].Name,
					p.layout.points + 8*uint64(n)})
			}
		}
	}
	for i := range p.taps {
		t := &p.taps[i]
		d.Taps = append(d.Taps, PlacedTap{t.Tap, Scale{t.log, t.counts, t.low, t.width, t.bins, t.unit}, t.slots, t.at})
	}
	if d.Virtual {
		d.Packets = p.packetCounts()
		for i := range p.options.Virtual.Federates {
			f := &p.options.Virtual.Federates[i]
			d.Exchange = max(d.Exchange, f.Period*float64(max(p.options.Virtual.Quantum, 1)))
			x := FPGA{Name: f.Name, Period: f.Period, Taps: f.Taps, Control: p.federateAt(i),
				Monitors: f.Monitors, MonitorsAt: f.MonitorsAt, MonitorBins: f.MonitorBins}
			for n, k := range f.Parts {
				x.Kernels = append(x.Kernels, SeenKernel{f.Seen[n], k, f.spentAt(n)})
			}
			d.FPGAs = append(d.FPGAs, x)
		}
	}
	return d
}

// packetCounts returns the locations of the packet counters.
func (p *plan) packetCounts() (list []PacketCount) {
	v := p.options.Virtual
	for e, route := range v.Routes {
		for hop, l := range route {
			if v.Links[l].Packets() && !p.inside(e) {
				list = append(list, PacketCount{e, v.Links[l].Name, p.layout.packets[e] + uint64(hop)*abi.PacketsBytes})
			}
		}
	}
	return list
}

func (p *plan) describeKernel(k int) Kernel {
	from := &p.program.Kernels[k]
	x := Kernel{Name: from.Name, Block: from.Block, Where: p.where(k), Process: p.process[k], OnFPGA: p.onFPGA(k),
		Once: from.Once, Joined: len(from.Joins) > 0, Loop: p.inLoop[k], Control: p.layout.kernel[k]}
	if impl := p.impl[from.Block]; impl != nil && !x.OnFPGA {
		x.Source = impl.Source()
	}
	if p.isSource[k] {
		x.Elements = p.options.Elements
		if v, given := from.Config["elements"]; !given || !v.IsNumber {
			x.Elements = 0
		} else if x.Elements == 0 && v.Number >= 1 && v.Number < 1<<53 {
			x.Elements = uint64(v.Number)
		}
	}
	if v := p.options.Virtual; v != nil && v.Times != nil {
		x.Times, x.TimesAt = v.Times[k], p.layout.times[k]
	}
	needs := p.needs(k)
	for i := range from.Inputs {
		x.Inputs = append(x.Inputs, Input{from.Inputs[i].Name, p.in[k][i], needs[i], p.firing(k, i), joinOf(from, i),
			p.sentOnce[k][i]})
	}
	for i := range from.Outputs {
		emit := 0
		if from.Emits != nil {
			emit = from.Emits[i].Elements
		}
		x.Outputs = append(x.Outputs, Output{from.Outputs[i].Name, p.out[k][i], emit, from.SourceElements(i)})
	}
	return x
}

// joinOf returns the number of the join that contains an input, from 1; 0 for none.
func joinOf(k *xlang.Kernel, port int) int {
	return 1 + slices.IndexFunc(k.Joins, func(j xlang.Join) bool { return slices.Contains(j.Ports, port) })
}
