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
	Name     string // for messages
	Module   *Module
	Machines []Machine // of the module, that are watched
	// Points are the testpoints that are to be seen: each has a bit of the output points, behind those of the parts
	// before. One that the module does not have stays 0.
	Points []string
	// Shown are signals of the module that are outputs of it, for traces in hardware (Show).
	Shown []Shown
}

// Wire is an edge between two parts of one FPGA: a queue, and converters where their
// words are not as wide as each other.
type Wire struct {
	Label              string // an identifier for the names of its signals, or ""
	From, To           int    // parts
	FromPort, ToPort   string // of their blocks
	Words              int    // of the reader that the queue is to hold at least
	Width              int    // bits that move in a cycle at most; 0 for as many as both ports move
	Element            int    // bytes, for the monitors that look at elements
	Monitors           Monitors
	Initial            int    // elements that it holds after a reset
	Values             []byte // of those; nil for zeros
	fromWidth, toWidth int
}

// net returns what the names of the signals of wire i begin with.
func (x Wire) net(i int) string {
	if x.Label == "" {
		return fmt.Sprintf("w%d", i)
	}
	return fmt.Sprintf("w%d_%s", i, x.Label)
}

// Outer is an edge that leaves an FPGA, as a stream of the whole.
type Outer struct {
	Name  string // of the stream
	Part  int
	Port  string
	Input bool // into the FPGA
	Width int  // as of a Wire
	// Element is its bytes, for the monitors that look at elements.
	Element int
	Monitors
}

// Partition is what one FPGA runs.
type Partition struct {
	Module *Module
	Parts  []Part
	Wires  []Wire
	Outers []Outer
	Taps   []Tap
	Probes []Probe
	// Monitors count where the cycles of parts go, in hardware.
	Monitors []StateMonitor
	// Traces record signals, in hardware.
	Traces []Trace
}

// Looks are what is looked at, beside the monitors of wires and outers: signals, in simulation only, and where the
// cycles of parts go, and what signals do, in hardware.
type Looks struct {
	Probes   []Probe
	Monitors []StateMonitor
	Traces   []Trace
}

// Widths are those of the words that go into a wire and come out of it, in bits.
func (p *Partition) Widths(wire int) (from, to int) {
	return p.Wires[wire].fromWidth, p.Wires[wire].toWidth
}

// Join makes one module of the parts of an FPGA. Beside the streams it has outputs that
// tell what happens inside, a bit for each part or wire: activity (a word is at one of
// its streams), working (an input has a word, and no output waits), put and got (a word
// goes into the wire's queue, or comes out at its end), held (one waits to go in). Where the cycles of
// each part go is told from what is at its streams (harness/cycles.h). Streams and
// queues have the monitors that are asked for, and an agent collects what they count (Lancaster
// 2011 §4.3). Their carries run through 32 bits in a cycle, not 8 or 16, which counts the same and
// is simulated faster. A part with a clock of its own has it from an input part<i>_clk, and what is seen of it, and
// whether it works, is as it is in that clock. Looks are what is looked at beside that.
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

// sources are those of the kernels and of package hdl, each text once, however many kernels bring it.
func (p *Partition) sources(m *Module) error {
	seen := make(map[string]bool)
	take := func(f file) {
		if !seen[f.text] {
			seen[f.text] = true
			m.verilog = append(m.verilog, f)
		}
	}
	for _, x := range p.Parts {
		for _, f := range x.Module.verilog {
			take(f)
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
			take(f)
		}
	}
	return nil
}

// drains tells the simulation in C++ which parts have an input drain.
func (p *Partition) drains() string {
	var list []string
	for _, x := range p.Parts {
		list = append(list, fmt.Sprint(x.Module.Drains))
	}
	return fmt.Sprintf("static const bool part_drains[] = {%s};\n", strings.Join(list, ", "))
}

// points tells the simulation in C++ how many testpoints are seen; nothing where there are none.
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

// library reads a file of package hdl.
func library(name string) (file, error) {
	text, err := fs.ReadFile(hdl.Files(), name)
	if err != nil {
		return file{}, fmt.Errorf("reading the Verilog of xopt: %w", err)
	}
	return file{path.Base(name), string(text)}, nil
}

// fits reports whether the words of a stream can be moved by so many bits in a cycle.
func fits(width int, s Stream, part Part) error {
	if width > 0 && s.Width > width && s.Width%width != 0 {
		return faults.WidthDoesNotDivide.Errorf("%s: stream %s is %d bits wide, which cannot be moved by %d in a "+
			"cycle: want a width that divides it", part.Name, s.Name, s.Width, width)
	}
	return nil
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// log is the binary logarithm, rounded up.
func log(n int) int { return bits.Len(uint(n - 1)) }
