package rtl

import (
	"fmt"
	"io/fs"
	"math/bits"
	"path"
	"slices"
	"strings"

	"xopt/hdl"
	"xopt/hdl/faults"
)

// Part is a kernel on an FPGA.
type Part struct {
	Name     string // name for messages
	Module   *Module
	Machines []Machine // watched machines of the module
	// Points are the observed testpoints. Each has a bit of the output points, after the bits of earlier parts. If the
	// module does not have a testpoint, its bit remains 0.
	Points []string
	// Shown contains the signals that the module exposes as outputs for traces in hardware (Show).
	Shown []Shown
}

// Wire is an edge between two parts of one FPGA: a queue, and converters if the word widths differ.
type Wire struct {
	Label              string // identifier for the names of its signals, or ""
	From, To           int    // indices of the parts
	FromPort, ToPort   string // ports of their blocks
	Words              int    // minimum size of the queue, in elements of the reader
	Width              int    // maximum bits per cycle; 0 for the number of bits that both ports move
	Element            int    // element size in bytes, for monitors of elements
	Monitors           Monitors
	Initial            int    // number of elements in the queue after a reset
	Values             []byte // contents of these elements; nil for zeros
	fromWidth, toWidth int
}

// net returns the prefix of the signals of wire i.
func (x Wire) net(i int) string {
	if x.Label == "" {
		return fmt.Sprintf("w%d", i)
	}
	return fmt.Sprintf("w%d_%s", i, x.Label)
}

// Outer is an edge between the FPGA and the outside. It is a stream of the partition.
type Outer struct {
	Name  string // name of the stream
	Part  int
	Port  string
	Input bool // the edge leads into the FPGA
	Width int  // maximum bits per cycle, as in a Wire
	// Element is the size of an element in bytes, for monitors of elements.
	Element int
	Monitors
}

// Partition is the part of a mapping that one FPGA executes.
type Partition struct {
	Module *Module
	Parts  []Part
	Wires  []Wire
	Outers []Outer
	Taps   []Tap
	Probes []Probe
	// Monitors are hardware counters of the cycles of parts by state and activity.
	Monitors []StateMonitor
	// Traces record signals in hardware.
	Traces []Trace
}

// Looks are the observations in addition to the monitors of wires and outers. Probes observe signals in simulation
// only. Monitors and Traces count cycles and record signals in hardware.
type Looks struct {
	Probes   []Probe
	Monitors []StateMonitor
	Traces   []Trace
}

// Widths returns the word width in bits at the input and at the output of a wire.
func (p *Partition) Widths(wire int) (from, to int) {
	return p.Wires[wire].fromWidth, p.Wires[wire].toWidth
}

// Join combines the parts of an FPGA into one module. In addition to its streams, the module has outputs that show its
// activity, with one bit per part or wire:
//
//   - activity: a word is at one of the part's streams;
//   - working: an input has a word, and no output waits for space;
//   - put and got: a word enters or leaves the wire's queue;
//   - held: a word waits to enter the queue.
//
// The signals of a part's streams classify its cycles (harness/cycles.h). An agent collects the counts of the requested
// monitors of streams and queues (Lancaster 2011 §4.3). In these monitors, a carry passes 32 bits per cycle instead of
// 8 or 16. The counts are the same, and the simulation is faster.
//
// A part with its own clock receives it from the input part<i>_clk, and its activity is in that clock domain. looks are
// additional observations.
func Join(parts []Part, wires []Wire, outers []Outer, looks Looks) (*Partition, error) {
	p := &Partition{Parts: parts, Wires: wires, Outers: outers, Probes: looks.Probes, Monitors: looks.Monitors,
		Traces: looks.Traces}
	m := &Module{Top: "xopt_partition", parts: len(parts)}
	if err := p.sources(m); err != nil {
		return nil, err
	}
	w := partitionWriter{p: p, m: m, used: make(map[string]string), ways: make(map[string]int),
		connected: make(map[string]int)}
	text, err := w.write()
	if err != nil {
		return nil, err
	}
	m.verilog = append(m.verilog, file{"partition.v", text})
	p.Module, m.agent = m, w.text.Agent != nil
	m.clocked = slices.ContainsFunc(parts, func(x Part) bool { return x.Module.clocked })
	m.extra = p.taps() + p.drains() + p.partLooks() + p.clocks() + p.points() + p.probeLooks() + p.states()
	return p, nil
}

// sources collects the sources of the kernels and of package hdl, without duplicates.
func (p *Partition) sources(m *Module) error {
	seen := make(map[string]bool)
	keep := func(f file) {
		if !seen[f.text] {
			seen[f.text] = true
			m.verilog = append(m.verilog, f)
		}
	}
	for _, x := range p.Parts {
		for _, f := range x.Module.verilog {
			keep(f)
		}
	}
	folders := []string{"stream/*.v"}
	if slices.ContainsFunc(p.Wires, func(x Wire) bool { return x.Monitors != Monitors{} }) ||
		slices.ContainsFunc(p.Outers, func(o Outer) bool { return o.Streams || o.Gaps || o.Services }) ||
		len(p.Monitors)+len(p.Traces) > 0 {
		folders = append(folders, "tap/*.v", "agent/*.v")
	}
	for _, folder := range folders {
		names, err := fs.Glob(hdl.Files(), folder)
		if err != nil {
			return err
		}
		for _, name := range names {
			f, err := library(name)
			if err != nil {
				return err
			}
			keep(f)
		}
	}
	return nil
}

// drains returns a C++ table that marks the parts with an input drain.
func (p *Partition) drains() string {
	var list []string
	for _, x := range p.Parts {
		list = append(list, fmt.Sprint(x.Module.Drains))
	}
	return fmt.Sprintf("static const bool part_drains[] = {%s};\n", strings.Join(list, ", "))
}

// points returns the number of observed testpoints as a C++ definition, or "" if there are none.
func (p *Partition) points() string {
	n := 0
	for _, x := range p.Parts {
		n += len(x.Points)
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("#define POINTS %d\n", n)
}

// library returns a file of package hdl.
func library(name string) (file, error) {
	text, err := fs.ReadFile(hdl.Files(), name)
	if err != nil {
		return file{}, fmt.Errorf("reading the Verilog of xopt: %w", err)
	}
	return file{path.Base(name), string(text)}, nil
}

// fits returns an error if a stream cannot move its words at the given number of bits per cycle.
func fits(width int, s Stream, part Part) error {
	if width > 0 && s.Width > width && s.Width%width != 0 {
		return faults.WidthDoesNotDivide.Errorf("%s: stream %s has %d bits, which is not a multiple of the link's "+
			"%d bits per cycle: change the width of the stream or of the link", part.Name, s.Name, s.Width, width)
	}
	return nil
}

// log returns the binary logarithm, rounded up.
func log(n int) int { return bits.Len(uint(n - 1)) }
