package xsim

import (
	"context"
	"fmt"
	"slices"

	"xopt/deploy/federate"
	"xopt/deploy/program"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/hdl/rtl"
)

// partition is the part of a mapping on one FPGA: its kernels, and the edges of these kernels. There is a partition for
// simulation and another for hardware.
type partition struct {
	d    *design.Design
	fpga FPGA
	seen
	// unwatched disables the observation of state machines. A simulation may observe signals inside kernels, but a
	// synthesized design may not.
	unwatched bool
	exposed   bool        // state machines are outputs of kernels, as synthesis requires
	names     []string    // prefixes of the edges' signals; nil for numbers
	reported  string      // report about the inserted monitors
	part      map[int]int // index of each kernel in the partition
	parts     []rtl.Part
	wires     []rtl.Wire
	outer     []rtl.Outer
	*program.Federate
}

// newFederate builds the simulation of one FPGA, with all kernels mapped to it and their observations. The note
// describes its clock.
func newFederate(ctx context.Context, cache *rtl.Cache, d *design.Design, r int, looks seen) (_ *program.Federate,
	note string, err error) {
	fpga, err := NewFPGA(d.Program, r)
	if err != nil {
		return nil, "", err
	}
	clock, from, err := fpga.Clock(ctx, cache, d, d.Mapping.Place)
	if err != nil {
		return nil, "", err
	}
	p := &partition{d: d, fpga: fpga, seen: looks, part: make(map[int]int),
		Federate: &program.Federate{Name: fpga.Name, Period: 1 / (clock * design.Drift(fpga.PPM)), Phase: fpga.Phase}}
	hardware, err := p.join(ctx, cache)
	if err != nil {
		return nil, "", err
	}
	p.ports()
	sources, err := federate.Sources()
	if err != nil {
		return nil, "", err
	}
	if p.Path, err = cache.Program(ctx, hardware.Module, rtl.Harness{Main: federate.Main, Files: sources}); err != nil {
		return nil, "", fmt.Errorf("building the simulation of %s: %w", fpga.Name, err)
	}
	note = fmt.Sprintf("%s: RTL simulation at %.6g MHz, %s", fpga.Name, clock/1e6, from)
	if fpga.PPM != 0 {
		note += fmt.Sprintf(", clock drift %+g ppm", fpga.PPM)
	}
	return p.Federate, note + p.clocksText() + p.reported, nil
}

// join combines the kernels of the FPGA and their edges.
func (p *partition) join(ctx context.Context, cache *rtl.Cache) (*rtl.Partition, error) {
	if err := p.addKernels(ctx, cache); err != nil {
		return nil, err
	}
	for e := range p.d.Program.Edges {
		if err := p.addEdge(e); err != nil {
			return nil, err
		}
	}
	var probes []rtl.Probe
	for _, x := range p.probes {
		if x.resource == p.fpga.Resource {
			probes, p.Probes = append(probes, x.Probe), append(p.Probes, x.tap)
		}
	}
	var monitors []rtl.StateMonitor
	if p.area > 0 {
		var err error
		if monitors, p.reported, err = p.monitors(ctx, cache, p.area); err != nil {
			return nil, err
		}
		p.reported = "; " + p.reported
	}
	traces, err := p.traces(ctx, cache)
	if err != nil {
		return nil, err
	}
	for i := range p.parts {
		if x := &p.parts[i]; p.exposed {
			var err error
			if x.Module, err = cache.Expose(ctx, x.Module, x.Machines, x.Shown); err != nil {
				return nil, err
			}
		}
	}
	hardware, err := rtl.Join(p.parts, p.wires, p.outer, rtl.Looks{Probes: probes, Monitors: monitors,
		Traces: traces})
	if err != nil {
		return nil, fmt.Errorf("combining the kernels of %s: %w", p.fpga.Name, err)
	}
	p.storeHardware(hardware)
	return hardware, nil
}

// addKernels opens the kernels mapped to the FPGA.
func (p *partition) addKernels(ctx context.Context, cache *rtl.Cache) error {
	for k, at := range p.d.Mapping.Place {
		if at != p.fpga.Resource {
			continue
		}
		name := p.d.Program.Kernels[k].Name
		m, err := p.fpga.Open(ctx, cache, p.d.Program, k)
		if err != nil {
			return fmt.Errorf("kernel %s on %s: %w", name, p.fpga.Name, err)
		}
		p.part[k] = len(p.parts)
		m, machines, err := p.addCopies(ctx, cache, k, m)
		if err == nil {
			m, machines, err = p.addClock(k, m, machines)
		}
		if err != nil {
			return fmt.Errorf("kernel %s on %s: %w", name, p.fpga.Name, err)
		}
		part := rtl.Part{Name: "kernel " + name, Module: m, Machines: machines}
		for i := range p.d.Program.Kernels[k].Testpoints {
			if p.points {
				part.Points = append(part.Points, p.d.Program.Kernels[k].Testpoints[i].Name)
			}
		}
		p.parts = append(p.parts, part)
		p.Parts = append(p.Parts, k)
	}
	return nil
}

// addEdge adds an edge if one end of it is on the FPGA.
func (p *partition) addEdge(e int) error {
	edge := p.d.Program.Edges[e]
	from, fromHere := p.part[edge.From]
	to, toHere := p.part[edge.To]
	out := p.d.Program.Kernels[edge.From].Outputs[edge.FromPort]
	in := p.d.Program.Kernels[edge.To].Inputs[edge.ToPort]
	if fromHere {
		if err := p.hasStream(edge.From, out, false); err != nil {
			return err
		}
	}
	if toHere {
		if err := p.hasStream(edge.To, in, true); err != nil {
			return err
		}
	}
	stream, label := StreamName(len(p.outer)), "" // numbers, so that FPGAs with the same kernels share one build
	if p.names != nil {
		stream, label = p.names[e], p.names[e]
	}
	switch {
	case fromHere && toHere:
		values, err := program.StartValues(p.d.Program, e)
		if err != nil {
			return err
		}
		p.wires = append(p.wires, rtl.Wire{Label: label, From: from, To: to, FromPort: out.Name, ToPort: in.Name,
			Words: p.d.Buffers[e] * wordsOf(p.parts[to].Module, in), Element: int(in.ElementBytes), Width: p.fpga.Width,
			Monitors: p.taps[e], Initial: edge.Initial, Values: values})
		p.Inner = append(p.Inner, program.FederateInner{Edge: e, FromPart: from, ToPart: to})
	case fromHere:
		p.outer = append(p.outer, rtl.Outer{Name: stream, Part: from, Port: out.Name, Width: p.fpga.Width,
			Element: int(out.ElementBytes), Monitors: p.taps[e]})
		p.Outer = append(p.Outer, program.FederateOuter{Edge: e, Stream: stream, Part: from})
	case toHere:
		p.outer = append(p.outer, rtl.Outer{Name: stream, Part: to, Port: in.Name, Input: true, Width: p.fpga.Width,
			Element: int(in.ElementBytes), Monitors: p.taps[e]})
		p.Outer = append(p.Outer, program.FederateOuter{Edge: e, Stream: stream, Part: to})
	}
	return nil
}

// hasStream returns an error unless the module of a kernel has a stream that matches a port.
func (p *partition) hasStream(kernel int, port xlang.Port, input bool) error {
	m := p.parts[p.part[kernel]].Module
	if _, _, err := m.Words(port.Name, input, int(port.ElementBytes)); err != nil {
		return fmt.Errorf("kernel %s on %s: %w", p.d.Program.Kernels[kernel].Name, p.fpga.Name, err)
	}
	return nil
}

// storeHardware stores the properties of the complete hardware: widths and taps.
func (p *partition) storeHardware(hardware *rtl.Partition) {
	for i := range p.Inner {
		put, got := hardware.Widths(i)
		p.Inner[i].PutBytes, p.Inner[i].GotBytes = put/8, got/8
	}
	p.MonitorsAt, p.MonitorBins = hardware.TapWords(), hardware.Bins()
	for _, t := range hardware.Taps {
		edge := 0
		if t.Wire >= 0 {
			edge = p.Inner[t.Wire].Edge
		} else {
			edge = p.Outer[t.Outer].Edge
		}
		p.Taps = append(p.Taps, program.FederateTap{Edge: edge, Kind: t.Kind, Put: t.Put, Bytes: t.Bytes, At: t.At,
			Words: len(t.Kind.Figures()), Hist: t.Hist, Bins: rtl.Bins, Shift: t.Shift})
	}
}

// ports assigns the streams of the kernels to the ports of their blocks.
func (p *partition) ports() {
	for i, k := range p.Parts {
		var seen program.FederateSeen
		seen.Machines = p.parts[i].Machines
		kernel, m := &p.d.Program.Kernels[k], p.parts[i].Module
		for _, s := range m.Streams {
			named := s
			for _, port := range slices.Concat(kernel.Inputs, kernel.Outputs) {
				if x, ok := m.Stream(port.Name, s.Input); ok && x == s {
					named.Name = port.Name
				}
			}
			seen.Streams = append(seen.Streams, named)
		}
		p.Seen = append(p.Seen, seen)
	}
}

// wordsOf returns the number of words of a port's element, at least 1.
func wordsOf(m *rtl.Module, port xlang.Port) int {
	s, ok := m.Stream(port.Name, true)
	if !ok || s.Width == 0 {
		return 1
	}
	return max(1, int(port.ElementBytes)*8/s.Width)
}
