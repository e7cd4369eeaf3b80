package run

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"xopt/deploy/faults"
	"xopt/deploy/program"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/hdl/rtl"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// Result completes the figures of a run of a design's mapping: the names of the design, distributions, waits, and the
// utilization of resources and links.
func (m *Measurement) Result(d *design.Design) *result.Measured {
	out := m.Measured
	r := recorder{design: d, from: m, out: &out}
	out.Machine = profile.ThisMachine()
	out.Machine.Compiler = m.Compiler
	if m.Virtual {
		out.Simulated, out.WallSeconds = "federated simulation in virtual time", m.Wall
	}
	if m.Failure != nil {
		out.Partial, out.FaultOf = m.Failure.Text, m.Failure.Kernel
		if m.Failure.Kind != "stopped" { // the rates of a faulty run are invalid
			out.Fault, out.Steady = m.Failure.Kind, &result.SteadyPart{Short: "a fault ended the run"}
		}
	}
	for k, res := range d.Mapping.Place {
		out.Place = append(out.Place, result.Placement{Kernel: d.Program.Kernels[k].Name,
			Resource: d.Program.Resources[res].Name, Copies: d.Program.Kernels[k].Instances})
	}
	r.kernels()
	r.edges()
	r.waits()
	r.used()
	for i := range m.Hardware {
		h := m.Hardware[i].HardwareTap
		h.Edge = d.Program.Edges[m.Hardware[i].Tap.Edge].Name
		out.Hardware = append(out.Hardware, h)
	}
	r.packets()
	r.monitors()
	r.paths()
	if len(m.Frames) > 1 {
		for i := range m.Frames {
			r.frame(&m.Frames[i])
		}
	}
	return &out
}

// recorder completes the figures of a measurement.
type recorder struct {
	design *design.Design
	from   *Measurement
	out    *result.Measured
}

// tap returns the index of the tap that measures a quantity of an edge or kernel; -1 for none. It prefers a tap with a
// histogram.
func (r *recorder) tap(kind program.TapKind, of int) int {
	if i := r.tapWith(kind, of, true); i >= 0 {
		return i
	}
	return r.tapWith(kind, of, false)
}

func (r *recorder) tapWith(kind program.TapKind, of int, histogram bool) int {
	return slices.IndexFunc(r.from.Taps, func(t TapMeasurement) bool {
		return t.Measures(kind, of) && (t.Bins.N > 0 || !histogram)
	})
}

func (r *recorder) distribution(kind program.TapKind, of int) *result.Distribution {
	if i := r.tap(kind, of); i >= 0 {
		t := &r.from.Taps[i]
		return t.Total.Distribution(t.Every, t.Bins)
	}
	return nil
}

// hasMean reports whether a summary has a mean. A frame that is read while a tap writes it may contain a sample without
// its weight. The weight is in the next frame.
func (s *Summary) hasMean() bool { return s.Samples > 0 && s.Weight > 0 }

// Distribution returns the distribution of the samples, given the sampling interval in elements; nil if there are no
// samples.
func (s *Summary) Distribution(every uint64, bins program.Scale) *result.Distribution {
	if !s.hasMean() {
		return nil
	}
	d := &result.Distribution{Every: every, Samples: s.Samples, Elements: s.Weight,
		Mean: s.Mean(), Min: s.Min, Max: s.Max}
	if scv := s.SCV(); s.Mean() != 0 && !math.IsNaN(scv) {
		d.SCV = &scv
	}
	if s.Below > 0 {
		d.Bins = append(d.Bins, result.Bin{From: s.Min, To: bins.From(0), Elements: s.Below})
	}
	for i, w := range s.Histogram {
		if w > 0 {
			d.Bins = append(d.Bins, result.Bin{From: bins.From(i), To: bins.From(i + 1), Elements: w})
		}
	}
	if s.Above > 0 {
		d.Bins = append(d.Bins, result.Bin{From: bins.From(bins.N), To: s.Max, Elements: s.Above})
	}
	return d
}

// kernels adds distributions, logs and cycles to the kernels.
func (r *recorder) kernels() {
	r.out.Kernels = slices.Clone(r.from.Kernels)
	for k := range r.out.Kernels {
		x := &r.out.Kernels[k]
		x.Kernel = r.design.Program.Kernels[k].Name
		x.Service, x.Log = r.distribution(program.Service, k), r.log(program.Service, k)
		if i := r.spentOf(k); i >= 0 {
			x.Cycles = r.from.Spent[i].Cycles(&r.from.Spent[i].Spent)
		}
	}
}

// log returns the log of a kernel or edge, up to the requested length.
func (r *recorder) log(kind program.TapKind, of int) []result.Logged {
	for i := range r.from.Taps {
		t := &r.from.Taps[i]
		if t.Logged == 0 || !t.Measures(kind, of) {
			continue
		}
		var out []result.Logged
		for _, f := range r.from.Frames {
			out = append(out, f.Logs[i]...)
		}
		return out[:min(len(out), t.Logged)]
	}
	return nil
}

// links returns the names of the links that an edge crosses.
func (r *recorder) links(e int) (names []string) {
	if e < len(r.design.Mapping.Route) {
		for _, l := range r.design.Mapping.Route[e] {
			names = append(names, r.design.Problem.Architecture.Links[l].Name)
		}
	}
	return names
}

// edges adds distributions, logs and links to the edges. For a failed run, it also adds the rate at which sources
// filled buffers.
func (r *recorder) edges() {
	p, a := r.design.Program, &r.design.Problem.Application
	r.out.Edges = slices.Clone(r.from.Edges)
	for e := range r.out.Edges {
		x, edge := &r.out.Edges[e], &p.Edges[e]
		source := len(p.Kernels[edge.From].Inputs) == 0 && !a.Kernels[edge.From].Preload
		if r.from.Failure != nil && source && !a.Edges[e].Copy && x.Elements > 0 {
			r.out.Filling += x.Rate * float64(x.Left) / float64(x.Elements)
		}
		x.Edge, x.Utilization, x.Links = edge.Name, r.from.Kernels[edge.To].Utilization, r.links(e)
		x.Occupancy, x.Latency = r.distribution(program.Occupancy, e), r.distribution(program.Latency, e)
		x.Log, x.Released = r.log(program.Occupancy, e), r.log(program.Latency, e)
		x.MaxOccupancy = x.MaxElements()
	}
}

// packets adds the traffic of each link.
func (r *recorder) packets() {
	p := r.design.Program
	r.out.Packets = slices.Clone(r.from.Packets)
	for i := range r.out.Packets {
		x := &r.out.Packets[i]
		edge := &p.Edges[x.Index]
		x.Edge, x.To = edge.Name, p.Resources[r.design.Mapping.Place[edge.To]].Name
		x.Rate = float64(x.Packets) / max(r.from.Seconds, 1e-12)
	}
	slices.SortStableFunc(r.out.Packets, func(a, b result.LinkPackets) int { return cmp.Compare(a.Link, b.Link) })
}

// paths records the latencies from sources to sinks.
func (r *recorder) paths() {
	p := r.design.Program
	for i := range r.from.Taps {
		t := &r.from.Taps[i]
		if t.Kind != program.Latency || len(t.Path) == 0 || t.Bins.N == 0 || t.When != nil || t.Frame > 0 {
			continue
		}
		first, last := p.Edges[t.Path[0]], p.Edges[t.Path[len(t.Path)-1]]
		if len(p.Kernels[first.From].Inputs) > 0 || len(p.Kernels[last.To].Outputs) > 0 {
			continue
		}
		x := result.PathLatency{From: p.Kernels[first.From].Name, To: p.Kernels[last.To].Name,
			Latency: t.Total.Distribution(t.Every, t.Bins)}
		for _, e := range t.Path {
			x.Edges = append(x.Edges, p.Edges[e].Name)
		}
		x.P50, x.P99 = x.Latency.TailQuantile(0.5), x.Latency.TailQuantile(0.99)
		x.P999 = x.Latency.TailQuantile(0.999)
		r.out.Paths = append(r.out.Paths, x)
	}
}

func (r *recorder) frame(f *FrameData) {
	length := f.End - f.Start
	if !(length > 0) {
		return
	}
	mean := func(kind program.TapKind, of int) *float64 {
		if i := r.tap(kind, of); i >= 0 && f.Taps[i].hasMean() {
			m := f.Taps[i].Mean()
			return &m
		}
		return nil
	}
	out := result.MeasuredFrame{Frame: f.Frame, Start: f.Start, End: f.End}
	for e, x := range f.Edges {
		edge := &r.design.Program.Edges[e]
		port := &r.design.Program.Kernels[edge.From].Outputs[edge.FromPort]
		bytes := float64(x.Sent) * port.ElementBytes
		out.Edges = append(out.Edges, result.FrameEdge{Sent: x.Sent, Consumed: x.Consumed, Rate: bytes / length,
			Backpressure: min(x.Blocked/length, 1), Occupancy: mean(program.Occupancy, e),
			Latency: mean(program.Latency, e)})
	}
	for k, x := range f.Kernels {
		kernel := result.FrameKernel{Utilization: x.Worked / length, ServiceTime: mean(program.Service, k)}
		if i := r.spentOf(k); i >= 0 && i < len(f.Spent) {
			kernel.Cycles = r.from.Spent[i].Cycles(&f.Spent[i].Spent)
		}
		out.Kernels = append(out.Kernels, kernel)
	}
	r.out.Frames = append(r.out.Frames, out)
}

// used computes the utilization of each resource and link. Kernels on an FPGA work in parallel. Kernels on a core work
// in turn.
func (r *recorder) used() {
	d := r.design
	resources := make([]result.MeasuredUse, len(d.Program.Resources))
	maximum := make([]float64, len(resources))
	for i := range r.out.Kernels {
		at := d.Mapping.Place[i]
		x, busy := &resources[at], r.from.Kernels[i].Utilization
		x.Name = d.Program.Resources[at].Name
		x.Sharers++
		if busy > maximum[at] {
			maximum[at], x.Busiest = busy, r.out.Kernels[i].Kernel
		}
		if design.IsFPGA(d.Program, at) {
			x.Utilization = maximum[at]
		} else {
			x.Utilization += busy
		}
	}
	links := make([]result.MeasuredUse, len(d.Problem.Architecture.Links))
	for e := range r.from.Edges {
		if e >= len(d.Mapping.Route) {
			continue
		}
		for _, l := range d.Mapping.Route[e] {
			links[l].Sharers++
			links[l].Rate += r.from.Edges[e].Rate
		}
	}
	for l := range links {
		x, link := &links[l], &d.Problem.Architecture.Links[l]
		x.Name, x.IsLink = link.Name, true
		if link.Bandwidth > 0 && !math.IsInf(link.Bandwidth, 1) {
			x.Bandwidth, x.Origin = link.Bandwidth, link.Origin.String()
			x.Utilization = x.Rate / x.Bandwidth
		}
	}
	for _, x := range append(resources, links...) {
		if x.Sharers == 0 {
			continue
		}
		switch {
		case x.IsLink && x.Utilization > Disproved:
			x.Utilization, x.Exceeded = 0, x.Utilization
		case x.Utilization > 1: // calls of several processes overlap
			x.Utilization, x.Estimated = 1, true
		}
		r.out.Used = append(r.out.Used, x)
	}
}

// Disproved is the utilization of a link above which its bandwidth must be wrong. A smaller excess may be a measurement
// error of the time.
const Disproved = 1.05

// monitors records the cycle counts of the monitors in FPGAs.
func (r *recorder) monitors() {
	for i := range r.from.Counted {
		c := &r.from.Counted[i]
		x := result.Monitor{FPGA: c.FPGA, Kernel: r.design.Program.Kernels[c.Kernel].Name, Cycles: c.Cycles,
			LUT: c.Monitor.LUT, FF: c.Monitor.FF, BRAM: c.Monitor.BRAM}
		if c.States != nil {
			x.Of = c.Machines[c.Monitor.Machine].Path
			if n := r.spentOf(c.Kernel); n >= 0 { // on a board, no simulation observed the states
				x.MaxDifference = maxDifference(c, &r.from.Spent[n])
			}
		}
		count := func(what string, cycles uint64) {
			x.Counts = append(x.Counts, result.MonitorCount{What: what, Cycles: cycles})
		}
		for j, cycles := range c.States {
			m := &c.Machines[c.Monitor.Machine]
			if j < len(m.States) {
				count(m.Label(&m.States[j]), cycles)
			} else if cycles > 0 {
				count("other values", cycles)
			}
		}
		if c.Does != nil {
			if x.Of != "" {
				x.Of += ", and "
			}
			x.Of += "activity"
			count("works", c.Does[0])
			count("moves words", c.Does[1])
			for j, s := range c.Streams {
				count("waits at "+s.Name, c.Does[2+j])
			}
		}
		r.out.Monitors = append(r.out.Monitors, x)
	}
}

// maxDifference compares the fractions of cycles that the monitor and the simulation counted in each state. It returns
// the largest difference; nil if the monitor or the simulation counted no cycles.
func maxDifference(c *KernelCounted, seen *KernelSpent) *float64 {
	all := float64(seen.Total())
	if c.Cycles == 0 || all == 0 {
		return nil
	}
	maximum := 0.0
	for j, n := range c.States {
		maximum = max(maximum,
			math.Abs(float64(n)/float64(c.Cycles)-float64(seen.States[c.Monitor.Machine].Cycles[j])/all))
	}
	return &maximum
}

// spentOf returns the index of a kernel's cycle counts; -1 for a kernel that is not on an FPGA.
func (r *recorder) spentOf(kernel int) int {
	return slices.IndexFunc(r.from.Spent, func(s KernelSpent) bool { return s.Kernel == kernel })
}

// Cycles returns the cycles of a kernel by state and activity, in the run or in one of its frames.
func (k *KernelSpent) Cycles(s *rtl.Spent) *profile.Cycles {
	return s.Named(k.Streams, k.Machines, func(s rtl.Stream) string { return s.Name })
}

// noteLeft adds a note about every kernel outside loops that ended and left elements unread. Such a run ends without an
// error, but may not have completed its work.
func (r *run) noteLeft() {
	for k := range r.prog.Kernels {
		if left := r.unread(k); len(left) > 0 {
			r.notes = append(r.notes, faults.ElementsUnread.Notef("%s ended with %s unread, after %s",
				r.kernelText(k), strings.Join(left, " and "), r.lastProgress(k)))
		}
	}
}

// unread returns the elements that a kernel outside loops could have consumed when it ended, with their ports. If a
// kernel has a join, only complete sets of its inputs count.
func (r *run) unread(k int) []string {
	kernel := &r.prog.Kernels[k]
	var left []string
	for _, port := range kernel.Inputs {
		stored := uint64(0)
		for _, e := range port.Edges {
			if r.prog.Edges[e].Loop >= 0 {
				return nil
			}
			stored += r.queued(e)
		}
		if kernel.Joined && stored < port.Needs {
			return nil
		}
		if stored > 0 && !port.Once {
			left = append(left, units.Elements(stored)+" of "+port.Name)
		}
	}
	return left
}
