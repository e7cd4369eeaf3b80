package rtl

import (
	"fmt"
	"io/fs"
	"math/bits"
	"path"
	"slices"
	"strings"

	"xopt/hdl"
)

// Part is a kernel on an FPGA.
type Part struct {
	Name   string // for messages
	Module *Module
}

// Wire is an edge between two parts of one FPGA: a queue, and converters where their
// words are not as wide as each other.
type Wire struct {
	From, To           int    // parts
	FromPort, ToPort   string // of their blocks
	Words              int    // of the reader that the queue is to hold at least
	Width              int    // bits that move in a cycle at most; 0 for as many as both ports move
	Element            int    // bytes, for the monitors that look at elements
	Monitors           Monitors
	fromWidth, toWidth int
}

// Outer is an edge that leaves an FPGA, as a stream of the whole.
type Outer struct {
	Name  string // of the stream
	Part  int
	Port  string
	Input bool // into the FPGA
	Width int  // as of a Wire
	Monitors
}

// Partition is what one FPGA runs.
type Partition struct {
	Module *Module
	Parts  []Part
	Wires  []Wire
	Outers []Outer
	Taps   []Tap
}

// Widths are those of the words that go into a wire and come out of it, in bits.
func (p *Partition) Widths(wire int) (from, to int) {
	return p.Wires[wire].fromWidth, p.Wires[wire].toWidth
}

// Join makes one module of the parts of an FPGA. Beside the streams it has outputs that
// tell what happens inside, a bit for each part or wire: activity (a word is at one of
// its streams), working (an input has a word, and no output waits), put and got (a word
// goes into the wire's queue, or comes out at its end), held (one waits to go in). Streams and queues have
// the monitors that
// are asked for, and an agent collects what they count (Lancaster 2011 §4.3). Their carries run
// through 32 bits in a cycle, not 8 or 16, which counts the same and is simulated faster.
func Join(parts []Part, wires []Wire, outers []Outer) (*Partition, error) {
	p := &Partition{Parts: parts, Wires: wires, Outers: outers}
	m := &Module{Top: "xopt_partition"}
	seen := make(map[string]bool)
	for _, x := range parts {
		for _, f := range x.Module.verilog {
			if !seen[f.text] {
				seen[f.text] = true
				m.verilog = append(m.verilog, f)
			}
		}
	}
	tapped := slices.ContainsFunc(wires, func(x Wire) bool { return x.Monitors != Monitors{} }) ||
		slices.ContainsFunc(outers, func(o Outer) bool { return o.Streams })
	folders := []string{"stream/*.v"} // of one file each kind, however many kernels bring it
	if tapped {
		folders = append(folders, "tap/*.v", "agent/*.v")
	}
	for _, folder := range folders {
		names, err := fs.Glob(hdl.Files(), folder)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			text, err := fs.ReadFile(hdl.Files(), name)
			if err != nil {
				return nil, err
			}
			if !seen[string(text)] {
				m.verilog = append(m.verilog, file{path.Base(name), string(text)})
			}
		}
	}
	w := partitionWriter{p: p, m: m, valid: make([][]string, len(parts)), blocked: make([][]string, len(parts)),
		has: make([][]string, len(parts))}
	text, err := w.write()
	if err != nil {
		return nil, err
	}
	m.verilog = append(m.verilog, file{"partition.v", text})
	p.Module = m
	m.extra = p.taps() + p.drains()
	return p, nil
}

// drains tells the simulation in C++ which parts have an input drain.
func (p *Partition) drains() string {
	var list []string
	for _, x := range p.Parts {
		list = append(list, fmt.Sprint(x.Module.Drains))
	}
	return fmt.Sprintf("static const bool part_drains[] = {%s};\n", strings.Join(list, ", "))
}

// fifo is the queue of package hdl.
func fifo() file {
	text, err := fs.ReadFile(hdl.Files(), "stream/xopt_fifo.v")
	if err != nil {
		return file{"xopt_fifo.v", ""} // it is embedded
	}
	return file{"xopt_fifo.v", string(text)}
}

// partitionWriter writes the Verilog of a partition.
type partitionWriter struct {
	p *Partition
	m *Module
	// Of each part, signals: that a word is at a stream; that an output waits; that an
	// input has a word.
	valid, blocked, has [][]string
	// Where an output goes to several edges: how many, and how many of them are connected.
	ways, connected map[string]int
	branch          []string // of each wire, the signals that it begins at
	ports, body     strings.Builder
}

func (w *partitionWriter) write() (string, error) {
	p := w.p
	for i, x := range p.Parts {
		for _, s := range x.Module.Streams {
			n := net(i, s)
			fmt.Fprintf(&w.body, "    wire [%d:0] %s_data;\n    wire %s_valid, %s_ready;\n", s.Width-1, n, n, n)
			w.valid[i] = append(w.valid[i], n+"_valid")
			if s.Input {
				w.has[i] = append(w.has[i], n+"_valid")
			} else {
				w.blocked[i] = append(w.blocked[i], "("+n+"_valid && !"+n+"_ready)")
			}
		}
	}
	w.fork()
	used := make(map[string]string)
	take := func(part int, port string, input bool, by string) (Stream, error) {
		s, ok := p.Parts[part].Module.Stream(port, input)
		if !ok {
			return s, fmt.Errorf("%s: %w", p.Parts[part].Name, p.Parts[part].Module.without(port, input))
		}
		n := net(part, s)
		if old, ok := used[n]; ok && input {
			return s, fmt.Errorf("input port %s of %s has two edges, %s and %s: a kernel on an FPGA takes one", port,
				p.Parts[part].Name, old, by)
		}
		used[n] = by
		return s, nil
	}
	for _, o := range p.Outers {
		s, err := take(o.Part, o.Port, o.Input, o.Name)
		if err != nil {
			return "", err
		}
		if err := fits(o.Width, s, p.Parts[o.Part]); err != nil {
			return "", err
		}
		w.outer(o, s)
	}
	for i := range p.Wires {
		x := &p.Wires[i]
		from, err := take(x.From, x.FromPort, false, fmt.Sprintf("wire %d", i))
		if err != nil {
			return "", err
		}
		to, err := take(x.To, x.ToPort, true, fmt.Sprintf("wire %d", i))
		if err != nil {
			return "", err
		}
		for _, err := range []error{fits(x.Width, from, p.Parts[x.From]), fits(x.Width, to, p.Parts[x.To])} {
			if err != nil {
				return "", err
			}
		}
		x.fromWidth, x.toWidth = from.Width, to.Width
		w.wire(i, *x, from, to)
	}
	for i, x := range p.Parts {
		for _, s := range x.Module.Streams {
			if used[net(i, s)] == "" {
				return "", fmt.Errorf("stream %s of %s, module %s, has no edge", s.Name, x.Name, x.Module.Top)
			}
		}
		w.instance(i, x)
	}
	w.inside()
	w.agent()
	var b strings.Builder
	fmt.Fprintf(&b, "// Generated by xopt: the kernels of one FPGA.\nmodule xopt_partition (\n    input wire clk,\n"+
		"    input wire rst%s,\n", w.ports.String())
	fmt.Fprintf(&b, "    input wire [%d:0] drain,\n", len(p.Parts)-1)
	fmt.Fprintf(&b, "    output wire [%d:0] activity,\n    output wire [%d:0] working,\n"+
		"    output wire [%d:0] put,\n    output wire [%d:0] got,\n    output wire [%d:0] held\n);\n", len(p.Parts)-1,
		len(p.Parts)-1, max(len(p.Wires)-1, 0), max(len(p.Wires)-1, 0), max(len(p.Wires)-1, 0))
	b.WriteString(w.body.String())
	b.WriteString("endmodule\n")
	return b.String(), nil
}

// net is the name of the signals at a stream of a part.
func net(part int, s Stream) string {
	side := "m"
	if s.Input {
		side = "s"
	}
	return fmt.Sprintf("p%d_%s_%s", part, side, s.Name)
}

// fork puts a fork behind each stream that goes to several edges.
func (w *partitionWriter) fork() {
	w.ways, w.connected = make(map[string]int), make(map[string]int)
	count := func(part int, port string) {
		if s, ok := w.p.Parts[part].Module.Stream(port, false); ok {
			w.ways[net(part, s)]++
		}
	}
	for _, o := range w.p.Outers {
		if !o.Input {
			count(o.Part, o.Port)
		}
	}
	for _, x := range w.p.Wires {
		count(x.From, x.FromPort)
	}
	for i, x := range w.p.Parts {
		for _, s := range x.Module.Streams {
			n := net(i, s)
			ways := w.ways[n]
			if s.Input || ways < 2 {
				continue
			}
			var valid, ready []string
			for b := ways - 1; b >= 0; b-- { // the first is the lowest bit
				valid, ready = append(valid, way(n, b)+"_valid"), append(ready, way(n, b)+"_ready")
			}
			fmt.Fprintf(&w.body, "    wire [%d:0] %s_forked;\n", s.Width-1, n)
			for b := range ways {
				fmt.Fprintf(&w.body, "    wire [%d:0] %[2]s_data = %[3]s_forked;\n    wire %[2]s_valid, %[2]s_ready;\n",
					s.Width-1, way(n, b), n)
			}
			fmt.Fprintf(&w.body, "    xopt_fork #(.WIDTH(%d), .WAYS(%d)) %[3]s_fork (.clk(clk), .rst(rst), "+
				".s_axis_tvalid(%[3]s_valid), .s_axis_tready(%[3]s_ready), .s_axis_tdata(%[3]s_data), "+
				".m_axis_tvalid({%[4]s}), .m_axis_tready({%[5]s}), .m_axis_tdata(%[3]s_forked));\n",
				s.Width, ways, n, strings.Join(valid, ", "), strings.Join(ready, ", "))
		}
	}
}

func way(net string, i int) string { return fmt.Sprintf("%s_way%d", net, i) }

// from is the name of the signals at which the next edge from an output begins.
func (w *partitionWriter) from(part int, s Stream) string {
	n := net(part, s)
	if w.ways[n] < 2 {
		return n
	}
	w.connected[n]++
	return way(n, w.connected[n]-1)
}

func (w *partitionWriter) outer(o Outer, s Stream) {
	n := net(o.Part, s)
	if !o.Input {
		n = w.from(o.Part, s)
	}
	held := o.Width > 0 && o.Width < s.Width
	if held { // as many bits in a cycle, outside of the tap
		inner := n
		n = "held_" + n
		fmt.Fprintf(&w.body, "    wire [%d:0] %s_data;\n    wire %s_valid, %s_ready;\n", s.Width-1, n, n, n)
		from, to := inner, n
		if o.Input {
			from, to = n, inner
		}
		c := converter{w: w, here: from, width: s.Width}
		c.downsize(n+"_narrow", o.Width)
		c.upsize(n+"_wide", s.Width)
		c.end(to)
	}
	if o.Input {
		fmt.Fprintf(&w.ports, ",\n    input wire [%d:0] s_axis_%s_tdata,\n    input wire s_axis_%s_tvalid,\n"+
			"    output wire s_axis_%s_tready", s.Width-1, o.Name, o.Name, o.Name)
		fmt.Fprintf(&w.body, "    assign %s_data = s_axis_%s_tdata;\n    assign %s_valid = s_axis_%s_tvalid;\n"+
			"    assign s_axis_%s_tready = %s_ready;\n", n, o.Name, n, o.Name, o.Name, n)
	} else {
		fmt.Fprintf(&w.ports, ",\n    output wire [%d:0] m_axis_%s_tdata,\n    output wire m_axis_%s_tvalid,\n"+
			"    input wire m_axis_%s_tready", s.Width-1, o.Name, o.Name, o.Name)
		fmt.Fprintf(&w.body, "    assign m_axis_%s_tdata = %s_data;\n    assign m_axis_%s_tvalid = %s_valid;\n"+
			"    assign %s_ready = m_axis_%s_tready;\n", o.Name, n, o.Name, n, n, o.Name)
	}
	w.m.Streams = append(w.m.Streams, Stream{o.Name, o.Input, s.Width})
	if !o.Streams {
		return
	}
	w.activity(n, Tap{Wire: -1, Outer: slices.IndexFunc(w.p.Outers, func(x Outer) bool { return x.Name == o.Name }),
		Put: o.Input, Bytes: s.Width / 8})
}

// wire puts a queue between two streams, and before it what makes words of one width words of
// the other: as many bits move in a cycle as the narrower have, or as Width says.
func (w *partitionWriter) wire(i int, x Wire, from, to Stream) {
	a, b := w.from(x.From, from), net(x.To, to)
	w.branch = append(w.branch, a)
	unit := min(from.Width, to.Width)
	if x.Width > 0 && x.Width < unit {
		unit = x.Width
	}
	c := converter{w: w, here: a, width: from.Width}
	if from.Width%unit != 0 || to.Width%unit != 0 {
		c.gearbox(fmt.Sprintf("w%d_gearbox", i), to.Width)
	} else {
		c.downsize(fmt.Sprintf("w%d_narrow", i), unit)
		c.upsize(fmt.Sprintf("w%d_wide", i), to.Width)
	}
	if x.Monitors.Streams {
		w.activity(a, Tap{Wire: i, Outer: -1, Put: true, Bytes: from.Width / 8})
		w.activity(b, Tap{Wire: i, Outer: -1, Bytes: to.Width / 8})
	}
	into := c.here
	c.step("xopt_fifo", fmt.Sprintf(".WIDTH(%d), .LOG_DEPTH(%d)", to.Width, log(max(x.Words, 2))),
		fmt.Sprintf("w%d_queue", i), to.Width)
	c.end(b)
	if x.Monitors.Queue {
		w.queue(into, c.here, Tap{Wire: i, Outer: -1, Bytes: to.Width / 8})
	}
	if x.Monitors.Occupancy || x.Monitors.Latency {
		w.elements(i, x, a, b, from.Width, to.Width)
	}
}

// fits tells whether the words of a stream can be moved by so many bits in a cycle.
func fits(width int, s Stream, part Part) error {
	if width > 0 && s.Width > width && s.Width%width != 0 {
		return fmt.Errorf("%s: stream %s is %d bits wide, which cannot be moved by %d in a cycle: want a width that "+
			"divides it", part.Name, s.Name, s.Width, width)
	}
	return nil
}

// converter puts one module behind the other on a stream.
type converter struct {
	w     *partitionWriter
	here  string // signals
	width int
}

func (c *converter) step(module, parameters, next string, wide int) {
	body := &c.w.body
	fmt.Fprintf(body, "    wire [%d:0] %s_data;\n    wire %s_valid, %s_ready;\n", wide-1, next, next, next)
	fmt.Fprintf(body, "    %s #(%s) %s_step (.clk(clk), .rst(rst), .s_axis_tvalid(%s_valid), "+
		".s_axis_tready(%s_ready), .s_axis_tdata(%s_data), "+
		".m_axis_tvalid(%s_valid), .m_axis_tready(%s_ready), .m_axis_tdata(%s_data)",
		module, parameters, next, c.here, c.here, c.here, next, next, next)
	if module == "xopt_fifo" {
		fmt.Fprintf(body, ", .occupancy()")
	}
	body.WriteString(");\n")
	c.here, c.width = next, wide
}

// downsize and upsize change the width, where it is not that already.
func (c *converter) downsize(next string, to int) {
	if r := c.width / to; r > 1 {
		c.step("xopt_downsizer", fmt.Sprintf(".WIDTH(%d), .RATIO(%d), .LOG_RATIO(%d)", to, r, log(r+1)), next, to)
	}
}

func (c *converter) upsize(next string, to int) {
	if r := to / c.width; r > 1 {
		c.step("xopt_upsizer", fmt.Sprintf(".WIDTH(%d), .RATIO(%d), .LOG_RATIO(%d)", c.width, r, log(r+1)), next, to)
	}
}

// gearbox changes it where neither width divides the other.
func (c *converter) gearbox(next string, to int) {
	unit := gcd(c.width, to)
	a, b := c.width/unit, to/unit
	c.step("xopt_gearbox", fmt.Sprintf(".WIDTH(%d), .FROM(%d), .TO(%d), .LOG(%d)", unit, a, b, log(a+2*b+1)), next, to)
}

// end connects the last of them.
func (c *converter) end(to string) {
	fmt.Fprintf(&c.w.body, "    assign %s_data = %s_data;\n    assign %s_valid = %s_valid;\n"+
		"    assign %s_ready = %s_ready;\n", to, c.here, to, c.here, c.here, to)
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// log is the binary logarithm, rounded up.
func log(n int) int { return bits.Len(uint(n - 1)) }

func (w *partitionWriter) instance(i int, x Part) {
	fmt.Fprintf(&w.body, "    %s #(%s) part%d (.clk(clk), .rst(rst)", x.Module.Top, x.Module.parameters(), i)
	if x.Module.Drains {
		fmt.Fprintf(&w.body, ", .drain(drain[%d])", i)
	}
	for _, s := range x.Module.Streams {
		side := "m_axis_"
		if s.Input {
			side = "s_axis_"
		}
		n := net(i, s)
		fmt.Fprintf(&w.body, ", .%s%s_tdata(%s_data), .%s%s_tvalid(%s_valid), .%s%s_tready(%s_ready)", side, s.Name, n,
			side, s.Name, n, side, s.Name, n)
	}
	w.body.WriteString(");\n")
}

// inside writes the outputs that tell what happens.
func (w *partitionWriter) inside() {
	or := func(signals []string, none string) string {
		if len(signals) == 0 {
			return none
		}
		return "(" + strings.Join(signals, " || ") + ")"
	}
	for i := range w.p.Parts {
		fmt.Fprintf(&w.body, "    assign activity[%d] = %s;\n", i, or(w.valid[i], "1'b0"))
		fmt.Fprintf(&w.body, "    assign working[%d] = %s && !%s;\n", i, or(w.has[i], "1'b1"), or(w.blocked[i], "1'b0"))
	}
	for i, x := range w.p.Wires {
		to, _ := w.p.Parts[x.To].Module.Stream(x.ToPort, true)
		a, b := w.branch[i], net(x.To, to)
		fmt.Fprintf(&w.body, "    assign put[%d] = %s_valid && %s_ready;\n"+
			"    assign got[%d] = %s_valid && %s_ready;\n    assign held[%d] = %s_valid && !%s_ready;\n", i, a, a, i, b,
			b, i, a, a)
	}
	if len(w.p.Wires) == 0 {
		w.body.WriteString("    assign put = 1'b0;\n    assign got = 1'b0;\n    assign held = 1'b0;\n")
	}
}
