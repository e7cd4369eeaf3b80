// Package xsim runs a mapping on simulated processor cores and FPGAs, by a federated simulation in virtual time (Gayen
// 2008, ch. 3, §5.2). The data are real.
//
//   - Kernels in C run natively. The time of a firing is its measured time, a random time from a profile, or its time
//     in another run.
//   - Kernels in Verilog or VHDL run under Verilator at the clock of their FPGA.
//   - Links are servers with a bandwidth, a cost per transfer and a size of transfers, shared by all edges mapped to
//     them.
//   - Queues are bounded, and a writer without space waits.
//
// X-Sim simulates the resources in sequence. This package advances all of them together: cores and links from event
// to event, and FPGAs in other processes, 64 cycles at a time by default. Therefore resources may depend on each other
// in a circle, edges compete for links, and memory use is independent of the length of the run.
//
// The runtime of package deploy contains the scheduler of virtual time, and package rtl builds the simulations of
// FPGAs.
package xsim

import (
	"context"
	"fmt"
	"math"
	"slices"

	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/hdl/rtl"
	"xopt/internal/fault"
)

// Options configure a simulation.
type Options struct {
	// FromProfile draws the service times of kernels on cores from the figures of the design (Gayen 2008 §5.2).
	// Otherwise these kernels use their actual times on this machine.
	FromProfile bool
	Seed        uint64
	// Times are the times in ps of each kernel's firings in another run; nil for none. Kernels on cores use them in
	// order (Gayen 2008 §5.2.1) and start again at the end. A kernel without times uses its actual time on this
	// machine. If Times is set, FromProfile is ignored.
	Times [][]uint64
	// Alone makes each edge cross links independently, as in xmodel (§3.4, §6.2.2).
	Alone bool
	// Record is a folder for recording the data that cross the border of the only FPGA; "" for none.
	Record string
	// Quantum is the number of cycles that an FPGA simulates between exchanges of data with the other resources; 0 for
	// 64. An exchange delays data across the border of the FPGA by up to Quantum cycles.
	Quantum uint64
	// MonitorArea is the maximum fraction of an FPGA for monitors of its kernels' states; 0 for none.
	MonitorArea float64
	// MonitorChoice names kernels, or a register of a kernel as KERNEL:REGISTER, whose monitors take precedence over
	// other monitors. A kernel or register whose name follows - has no monitor.
	MonitorChoice []string
}

const defaultQuantum = 64

// Needed reports whether a mapping uses a resource that this machine lacks, or that the X files require to be
// simulated.
func Needed(d *design.Design) bool {
	if d.Mapping == nil {
		return false
	}
	for _, r := range d.Mapping.Place {
		if design.IsFPGA(d.Program, r) || design.Simulated(d.Program, r) {
			return true
		}
	}
	return false
}

// Build builds the program of a run in virtual time in folder dir. If dir is empty, it uses a temporary folder that
// Remove deletes. The notes describe clocks.
func Build(ctx context.Context, d *design.Design, o program.Options, x Options, dir string) (_ *program.Program,
	notes []fault.Note, err error) {
	d = o.Sized(d)
	if err := checkCopies(d); err != nil {
		return nil, nil, err
	}
	probes, err := findProbes(ctx, d, o.Taps)
	if err != nil {
		return nil, nil, err
	}
	o.Taps = slices.Clone(o.Taps)
	binProbes(o.Taps, probes)
	v, notes, err := lower(ctx, d, x, seen{monitors(d, o.Taps), o.Events, probes, x.MonitorArea,
		x.MonitorChoice, nil})
	if err != nil {
		return nil, nil, err
	}
	o.Virtual = v
	if x.FromProfile || x.Times != nil || o.Events {
		o.Exact = true // firings run one at a time, because each has its own time
	}
	if x.FromProfile || x.Times != nil {
		o.Reference = false // no time depends on the speed of this machine
	}
	prog, err := program.New(ctx, d, o, dir)
	return prog, notes, err
}

// monitors returns the monitors that the taps need on each edge in hardware. An occupancy needs monitors of the queue,
// per cycle and per element. A latency needs time stamps. All other taps need monitors of the streams. A service time
// needs monitors on all edges of its kernel.
func monitors(d *design.Design, taps []program.Tap) []rtl.Monitors {
	p := d.Program
	m := make([]rtl.Monitors, len(p.Edges))
	for i := range taps {
		switch t := &taps[i]; {
		case t.Kind == program.Occupancy:
			x := &m[t.Edge]
			x.Queue, x.Occupancy = true, true
			if t.Histogram != nil && !x.OccupancyBins {
				x.OccupancyBins, x.OccupancyShift = true, shift(t.Histogram, d.Buffers[t.Edge])
			}
		case t.Kind == program.Latency && len(t.Edges()) == 1:
			x := &m[t.Edges()[0]]
			x.Latency = true
			x.LatencyBins = x.LatencyBins || t.Histogram != nil
		case t.Kind == program.Gap:
			m[t.Edge].Gaps = true
		case t.Kind == program.Busy:
			m[t.Edge].Services = true
		case t.Kind == program.Probed || t.Kind == program.Ahead || t.Kind == program.Behind ||
			len(t.Packets) > 0: // the simulation observes them
		case t.Kind == program.Service:
			for e, edge := range p.Edges {
				if edge.From == t.Kernel || edge.To == t.Kernel {
					m[e].Streams = true
				}
			}
		case t.Kind == program.Latency: // latency through kernels: no monitor measures it
		default:
			m[t.Edge].Streams = true
		}
	}
	return m
}

// seen contains the optional observations of FPGAs: monitors of edges, testpoints and signals.
type seen struct {
	taps   []rtl.Monitors
	points bool
	probes []placedProbe
	area   float64  // maximum fraction of an FPGA for state monitors; 0 for none
	choice []string // Options.MonitorChoice
	// traced contains the taps whose signals the hardware records; nil if the simulation samples them.
	traced []program.Tap
}

// shift returns the binary logarithm of the bin width for occupancies of a queue. It is the requested width if hardware
// supports it. Otherwise it is the smallest width at which the capacity of the queue is below the last bin.
func shift(b *program.Bins, capacity int) int {
	if n, ok := b.Shift(); ok {
		return n
	}
	n := 0
	for n < program.MaxShift && (rtl.Bins-1)<<n <= capacity {
		n++
	}
	return n
}

// lower translates a mapping to cores, links and federates.
func lower(ctx context.Context, d *design.Design, x Options, looks seen) (*program.Virtual, []fault.Note, error) {
	network, err := flow.NewNetwork(d.Problem, d.Mapping)
	if err != nil {
		return nil, nil, faults.ImpossibleMapping.Errorf("the mapping is not possible: %w", err)
	}
	kernels := len(d.Program.Kernels)
	v := &program.Virtual{Core: make([]int, kernels), Rate: make([]float64, kernels), SCV: make([]float64, kernels),
		Routes: network.Mapping.Route, Quantum: x.Quantum, Seed: x.Seed,
		Record: x.Record}
	if v.Quantum == 0 {
		v.Quantum = defaultQuantum
	}
	for i := range d.Problem.Architecture.Links {
		l := &d.Problem.Architecture.Links[i]
		link := program.VirtualLink{Name: l.Name, Bandwidth: l.Bandwidth, TransferCost: l.Sharing.TransferCost,
			TransferBytes: l.Sharing.TransferBytes, Latency: l.Latency, Jitter: l.Jitter, Flush: l.Flush}
		if !(link.Bandwidth > 0) {
			link.Bandwidth = math.Inf(1) // unknown, if no data cross it
		}
		v.Links = append(v.Links, link)
	}
	if x.FromProfile {
		if err := draw(ctx, d, network, v); err != nil {
			return nil, nil, err
		}
	}
	v.Times = x.Times
	if x.Alone {
		if err := alone(ctx, network, v); err != nil {
			return nil, nil, err
		}
	}
	core := make(map[int]int) // core of each resource in use
	var fpgas []int
	for k, r := range d.Mapping.Place {
		if design.IsFPGA(d.Program, r) {
			v.Core[k] = -1
			if !slices.Contains(fpgas, r) {
				fpgas = append(fpgas, r)
			}
			continue
		}
		if _, ok := core[r]; !ok {
			core[r] = len(core)
			v.Cores = append(v.Cores, d.Program.Resources[r].Name)
		}
		v.Core[k] = core[r]
	}
	if len(fpgas) == 0 {
		return v, nil, nil
	}
	cache := rtl.UserCache(ctx)
	var notes []fault.Note
	for _, r := range fpgas {
		f, note, err := newFederate(ctx, cache, d, r, looks)
		if err != nil {
			return nil, nil, err
		}
		v.Federates, notes = append(v.Federates, *f), append(notes, faults.SimulatedInRTL.Notef("%s", note))
	}
	return v, notes, nil
}

// draw sets the service times of kernels on cores from the figures of the design. They are the model's core times per
// byte, including the costs of co-location, switching and crossing.
func draw(ctx context.Context, d *design.Design, n *flow.Network, v *program.Virtual) error {
	for k, r := range d.Mapping.Place {
		fig := &d.Problem.Figures[k][r]
		if design.IsFPGA(d.Program, r) {
			continue
		}
		if !(fig.ServiceRate > 0) || math.IsInf(fig.ServiceRate, 1) {
			return faults.NoServiceRate.Errorf("the service rate of kernel %s on %s is unknown, so xopt cannot "+
				"draw times for this kernel: use a profile of xopt calibrate (--profile)",
				d.Program.Kernels[k].Name, d.Program.Resources[r].Name)
		}
		v.Rate[k], v.SCV[k] = fig.ServiceRate, max(fig.ServiceSCV, 0)
	}
	s, err := flow.Fast{}.Solve(ctx, n)
	if err != nil {
		return fmt.Errorf("drawing service times: %w", err)
	}
	for i := range n.Stations {
		st, state := &n.Stations[i], &s.Stations[i]
		if st.Kind == flow.KernelStation && !design.IsFPGA(d.Program, st.Resource) && state.ArrivalRate > 0 &&
			state.Share > 0 {
			v.Rate[st.Kernel] = state.ArrivalRate / state.Share
		}
	}
	return nil
}
