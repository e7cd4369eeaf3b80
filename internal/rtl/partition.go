package rtl

import (
	"context"
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

// Monitors say what of an edge is tapped: its streams; and of a wire how full its queue is
// cycle by cycle, what elements find in it when they come, and how long they stay.
type Monitors struct {
	Streams, Queue, Occupancy, Latency bool
	// Histograms of the last two, in Bins bins: of occupancies 2^OccupancyShift wide, the last
	// of all above; of latencies four to an octave of cycles (xopt_octave).
	OccupancyBins, LatencyBins bool
	OccupancyShift             int
}

// binBits is how many bits the number of a bin has; 32 octaves of latencies have 128.
const binBits = 7

// Bins is how many a histogram has.
const Bins = 1 << binBits

// Tap is a monitor in hardware (package hdl) of a stream or queue of a partition, and which
// words of the records of the FPGA's agent are its figures.
type Tap struct {
	Kind  TapKind
	Wire  int  // or -1
	Outer int  // or -1
	Put   bool // of a wire's activity: where words go in, else where they come out
	Bytes int  // of a word
	At    int  // first of its words in a record
	Hist  int  // which histogram of the record is its own; -1 for none
	Shift int  // 2^Shift is the width of the bins of occupancies
}

// TapKind is what a tap counts.
type TapKind int

// The kinds: Activity is three words, the cycles in which a word moved, waited, and was
// not there; QueueTap is four, the least and most words in a queue and their sum over
// cycles, lower half first. OccupancyTap and LatencyTap are six: the elements that were
// counted, the least, the most (elements, and cycles); of the first then the last and the sum,
// of the second the sum and how many elements were not measured.
const (
	Activity TapKind = iota
	QueueTap
	OccupancyTap
	LatencyTap
)

// Words is how many of a record its figures are.
func (k TapKind) Words() int { return [...]int{3, 4, 6, 6}[k] }

// Partition is what one FPGA runs.
type Partition struct {
	Module *Module
	Parts  []Part
	Wires  []Wire
	Outers []Outer
	Taps   []Tap
}

// TapWords is how many words of figures a record of the agent has; 0 without taps.
func (p *Partition) TapWords() int {
	n := 0
	for i := range p.Taps {
		n += p.Taps[i].Kind.Words()
	}
	return n
}

// Histograms is how many histograms a record has, behind the figures.
func (p *Partition) Histograms() int {
	n := 0
	for i := range p.Taps {
		n = max(n, p.Taps[i].Hist+1)
	}
	return n
}

// Widths are those of the words that go into a wire and come out of it, in bits.
func (p *Partition) Widths(wire int) (from, to int) {
	return p.Wires[wire].fromWidth, p.Wires[wire].toWidth
}

// Join makes one module of the parts of an FPGA. Beside the streams it has outputs that
// tell what happens inside, a bit for each part or wire: activity (a word is at one of
// its streams), working (an input has a word, and no output waits), put and got (a word
// goes into the wire's queue, or comes out at its end), held (one waits to go in). Streams and queues have the monitors that
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
	tapped := slices.ContainsFunc(wires, func(x Wire) bool { return x.Monitors != Monitors{} }) || slices.ContainsFunc(outers, func(o Outer) bool { return o.Streams })
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
	w := partitionWriter{p: p, m: m, valid: make([][]string, len(parts)), blocked: make([][]string, len(parts)), has: make([][]string, len(parts))}
	text, err := w.write()
	if err != nil {
		return nil, err
	}
	m.verilog = append(m.verilog, file{"partition.v", text})
	p.Module = m
	drains := make([]byte, len(parts))
	for i, x := range parts {
		drains[i] = '0'
		if x.Module.Drains {
			drains[i] = '1'
		}
	}
	m.extra = fmt.Sprintf("#define TAP_WORDS %d\n#define TAP_BINS %d\n#define TAP_HISTOGRAMS %d\nstatic const char tap_merge[] = \"%s\"; // how the words of records are put together\nstatic const char part_drains[] = \"%s\"; // which parts have an input drain\n", p.TapWords(), Bins, p.Histograms(), p.merge(), drains)
	return p, nil
}

// merge tells of each word of a record how those of several frames are put together: added,
// the least, the most, (low and high half) added as one of 64 bits, or not at all.
func (p *Partition) merge() string {
	var b strings.Builder
	for i := range p.Taps {
		b.WriteString([...]string{"+++", "<>lh", "......", "......"}[p.Taps[i].Kind])
	}
	return b.String()
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
	ports, body         strings.Builder
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
	used := make(map[string]string)
	take := func(part int, port string, input bool, by string) (Stream, error) {
		s, ok := p.Parts[part].Module.Stream(port, input)
		if !ok {
			return s, fmt.Errorf("%s: %w", p.Parts[part].Name, p.Parts[part].Module.without(port, input))
		}
		n := net(part, s)
		if old, ok := used[n]; ok {
			return s, fmt.Errorf("port %s of %s has two edges, %s and %s: a kernel on an FPGA takes one", port, p.Parts[part].Name, old, by)
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
	fmt.Fprintf(&b, "// Generated by xopt: the kernels of one FPGA.\nmodule xopt_partition (\n    input wire clk,\n    input wire rst%s,\n", w.ports.String())
	fmt.Fprintf(&b, "    input wire [%d:0] drain,\n", len(p.Parts)-1)
	fmt.Fprintf(&b, "    output wire [%d:0] activity,\n    output wire [%d:0] working,\n    output wire [%d:0] put,\n    output wire [%d:0] got,\n    output wire [%d:0] held\n);\n", len(p.Parts)-1, len(p.Parts)-1, max(len(p.Wires)-1, 0), max(len(p.Wires)-1, 0), max(len(p.Wires)-1, 0))
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

func (w *partitionWriter) outer(o Outer, s Stream) {
	n := net(o.Part, s)
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
		c.narrow(n+"_narrow", o.Width)
		c.widen(n+"_wide", s.Width)
		c.end(to)
	}
	if o.Input {
		fmt.Fprintf(&w.ports, ",\n    input wire [%d:0] s_axis_%s_tdata,\n    input wire s_axis_%s_tvalid,\n    output wire s_axis_%s_tready", s.Width-1, o.Name, o.Name, o.Name)
		fmt.Fprintf(&w.body, "    assign %s_data = s_axis_%s_tdata;\n    assign %s_valid = s_axis_%s_tvalid;\n    assign s_axis_%s_tready = %s_ready;\n", n, o.Name, n, o.Name, o.Name, n)
	} else {
		fmt.Fprintf(&w.ports, ",\n    output wire [%d:0] m_axis_%s_tdata,\n    output wire m_axis_%s_tvalid,\n    input wire m_axis_%s_tready", s.Width-1, o.Name, o.Name, o.Name)
		fmt.Fprintf(&w.body, "    assign m_axis_%s_tdata = %s_data;\n    assign m_axis_%s_tvalid = %s_valid;\n    assign %s_ready = m_axis_%s_tready;\n", o.Name, n, o.Name, n, n, o.Name)
	}
	w.m.Streams = append(w.m.Streams, Stream{o.Name, o.Input, s.Width})
	if !o.Streams {
		return
	}
	w.activity(n, Tap{Wire: -1, Outer: slices.IndexFunc(w.p.Outers, func(x Outer) bool { return x.Name == o.Name }), Put: o.Input, Bytes: s.Width / 8})
}

// activity taps a stream.
func (w *partitionWriter) activity(n string, t Tap) {
	at := w.tap(&t)
	fmt.Fprintf(&w.body, "    xopt_activity #(.CHUNK(32)) %s_tap (.clk(clk), .rst(tap_clear), .enable(tap_enable), .frame(tap_frame), .valid(%s_valid), .ready(%s_ready), .done(), .moved(), .waited(), .idle(), %s);\n", n, n, n, at)
}

// tap puts a tap behind the others on the chain, and returns its connections there.
func (w *partitionWriter) tap(t *Tap) string {
	t.At, t.Hist = w.p.TapWords(), -1
	i := len(w.p.Taps)
	w.p.Taps = append(w.p.Taps, *t)
	return fmt.Sprintf(".shift(tap_shift), .chain_in(chain[%d +: 32]), .chain_out(chain[%d +: 32])", 32*(i+1), 32*i)
}

// queue taps a queue between two places that its words pass.
func (w *partitionWriter) queue(from, to string, t Tap) {
	t.Kind = QueueTap
	at := w.tap(&t)
	fmt.Fprintf(&w.body, "    xopt_queue #(.WIDTH(24), .CHUNK(32)) %[1]s_tap (.clk(clk), .rst(rst), .enable(tap_enable), .frame(tap_frame), .enqueue(%[2]s_valid && %[2]s_ready), .dequeue(%[1]s_valid && %[1]s_ready), .occupancy(), .done(), .least(), .most(), .sum(), %[3]s);\n",
		to, from, at)
}

// agent collects the taps.
func (w *partitionWriter) agent() {
	n := w.p.TapWords()
	if n == 0 {
		return
	}
	w.ports.WriteString(",\n    input wire command_valid,\n    input wire [31:0] command_data,\n    output wire record_valid,\n    output wire [31:0] record_data,\n    output wire record_last")
	h := w.p.Histograms()
	slots := max(h, 1)
	declared := fmt.Sprintf("    wire tap_enable, tap_frame, tap_clear, tap_shift;\n    wire [%d:0] chain;\n    assign chain[%d +: 32] = 32'd0;\n", 32*len(w.p.Taps)+31, 32*len(w.p.Taps))
	declared += fmt.Sprintf("    wire [%d:0] bins_read, bins_valid;\n    wire [%d:0] bins_at;\n    wire [%d:0] bins_count;\n", slots-1, binBits-1, 32*slots-1)
	if h == 0 {
		declared += "    assign bins_valid = 1'b0;\n    assign bins_count = 32'd0;\n"
	}
	rest := w.body.String()
	w.body.Reset()
	w.body.WriteString(declared + rest)
	fmt.Fprintf(&w.body, "    xopt_agent #(.WORDS(%d), .HISTOGRAMS(%d), .BIN_BITS(%d), .LOG_BUFFER(%d)) agent (.clk(clk), .rst(rst), .s_command_valid(command_valid), .s_command_ready(), .s_command_data(command_data), .element(1'b0),\n        .enable(tap_enable), .frame(tap_frame), .clear(tap_clear), .shift(tap_shift), .chain(chain[31:0]), .read(bins_read), .read_bin(bins_at), .read_valid(bins_valid), .read_count(bins_count),\n        .m_record_valid(record_valid), .m_record_ready(1'b1), .m_record_data(record_data), .m_record_last(record_last));\n", n, h, binBits, log(n+h*Bins+8)+1)
}

// wire puts a queue between two streams, and before it what makes words of one width words of
// the other: as many bits move in a cycle as the narrower have, or as Width says.
func (w *partitionWriter) wire(i int, x Wire, from, to Stream) {
	a, b := net(x.From, from), net(x.To, to)
	unit := min(from.Width, to.Width)
	if x.Width > 0 && x.Width < unit {
		unit = x.Width
	}
	c := converter{w: w, here: a, width: from.Width}
	if from.Width%unit != 0 || to.Width%unit != 0 {
		c.gear(fmt.Sprintf("w%d_gear", i), to.Width)
	} else {
		c.narrow(fmt.Sprintf("w%d_narrow", i), unit)
		c.widen(fmt.Sprintf("w%d_wide", i), to.Width)
	}
	if x.Monitors.Streams {
		w.activity(a, Tap{Wire: i, Outer: -1, Put: true, Bytes: from.Width / 8})
		w.activity(b, Tap{Wire: i, Outer: -1, Bytes: to.Width / 8})
	}
	into := c.here
	c.step("xopt_fifo", fmt.Sprintf(".WIDTH(%d), .LOG_DEPTH(%d)", to.Width, log(max(x.Words, 2))), fmt.Sprintf("w%d_queue", i), to.Width)
	c.end(b)
	if x.Monitors.Queue {
		w.queue(into, c.here, Tap{Wire: i, Outer: -1, Bytes: to.Width / 8})
	}
	if x.Monitors.Occupancy || x.Monitors.Latency {
		w.elements(i, x, a, b, from.Width, to.Width)
	}
}

// elements taps what happens to the elements of a wire between its ends, a and b.
func (w *partitionWriter) elements(i int, x Wire, a, b string, from, to int) {
	for _, end := range []struct {
		net, name string
		width     int
	}{{a, "enter", from}, {b, "leave", to}} {
		n := max(x.Element*8/end.width, 1)
		fmt.Fprintf(&w.body, "    wire w%[1]d_%[2]s;\n    xopt_every #(.N(%[3]d), .LOG(%[4]d)) w%[1]d_%[2]s_every (.clk(clk), .rst(rst), .move(%[5]s_valid && %[5]s_ready), .last(w%[1]d_%[2]s));\n", i, end.name, n, max(log(n), 1), end.net)
	}
	if x.Monitors.Occupancy {
		at := w.tap(&Tap{Kind: OccupancyTap, Wire: i, Outer: -1})
		fmt.Fprintf(&w.body, "    wire w%[1]d_came;\n    wire [23:0] w%[1]d_found;\n    xopt_occupancy #(.WIDTH(24), .CHUNK(32)) w%[1]d_occupancy (.clk(clk), .rst(rst), .clear(tap_clear), .enable(tap_enable), .frame(tap_frame), .enter(w%[1]d_enter), .leave(w%[1]d_leave), .sample(w%[1]d_came), .found(w%[1]d_found), .done(), .count(), .least(), .most(), .sum(), %[2]s);\n", i, at)
		if x.Monitors.OccupancyBins {
			shift := x.Monitors.OccupancyShift
			bin := fmt.Sprintf("w%[1]d_found[%[2]d:%[3]d]", i, shift+binBits-1, shift)
			if over := shift + binBits; over < 24 {
				bin = fmt.Sprintf("(w%[1]d_found[23:%[2]d] != 0 ? {%[3]d{1'b1}} : %[4]s)", i, over, binBits, bin)
			}
			w.p.Taps[len(w.p.Taps)-1].Shift = shift
			w.histogram(fmt.Sprintf("w%d_occupancy", i), "tap_frame", fmt.Sprintf("w%d_came", i), bin)
		}
	}
	if x.Monitors.Latency {
		at := w.tap(&Tap{Kind: LatencyTap, Wire: i, Outer: -1})
		const inConverters = 4 // elements that may be there, beside those in the queue
		fmt.Fprintf(&w.body, "    wire w%[1]d_stayed;\n    wire [31:0] w%[1]d_stay;\n    xopt_latency #(.LOG_DEPTH(%[3]d), .CHUNK(32)) w%[1]d_latency (.clk(clk), .rst(rst), .enable(tap_enable), .frame(tap_frame), .entry(w%[1]d_enter), .exit(w%[1]d_leave), .sample(w%[1]d_stayed), .latency(w%[1]d_stay), .done(), .count(), .least(), .most(), .sum(), .missed(), %[2]s);\n",
			i, at, log((1<<log(max(x.Words, 2)))*to/(8*max(x.Element, 1))+inConverters))
		if x.Monitors.LatencyBins { // a latency is known three cycles late, its bin two later
			fmt.Fprintf(&w.body, "    wire w%[1]d_stay_valid;\n    wire [%[2]d:0] w%[1]d_stay_bin;\n    reg [4:0] w%[1]d_frame;\n    always @(posedge clk) w%[1]d_frame <= rst ? 5'd0 : {w%[1]d_frame[3:0], tap_frame};\n    xopt_octave w%[1]d_octave (.clk(clk), .rst(rst), .valid(w%[1]d_stayed), .value(w%[1]d_stay), .out_valid(w%[1]d_stay_valid), .bin(w%[1]d_stay_bin));\n", i, binBits-1)
			w.histogram(fmt.Sprintf("w%d_latency", i), fmt.Sprintf("w%d_frame[4]", i), fmt.Sprintf("w%d_stay_valid", i), fmt.Sprintf("w%d_stay_bin", i))
		}
	}
}

// histogram counts the samples of the tap that was put in last, by bin.
func (w *partitionWriter) histogram(name, frame, sample, bin string) {
	h := w.p.Histograms()
	w.p.Taps[len(w.p.Taps)-1].Hist = h
	fmt.Fprintf(&w.body, "    xopt_histogram #(.BIN_BITS(%d), .CHUNK(32)) %s_bins (.clk(clk), .rst(rst), .frame(%s), .sample(%s), .bin(%s), .done(), .overrun(), .read(bins_read[%[6]d]), .read_bin(bins_at), .read_valid(bins_valid[%[6]d]), .read_count(bins_count[%[7]d +: 32]));\n",
		binBits, name, frame, sample, bin, h, 32*h)
}

// fits tells whether the words of a stream can be moved by so many bits in a cycle.
func fits(width int, s Stream, part Part) error {
	if width > 0 && s.Width > width && s.Width%width != 0 {
		return fmt.Errorf("%s: stream %s is %d bits wide, which cannot be moved by %d in a cycle: want a width that divides it", part.Name, s.Name, s.Width, width)
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
	fmt.Fprintf(body, "    %s #(%s) %s_step (.clk(clk), .rst(rst), .s_valid(%s_valid), .s_ready(%s_ready), .s_data(%s_data), .m_valid(%s_valid), .m_ready(%s_ready), .m_data(%s_data)",
		module, parameters, next, c.here, c.here, c.here, next, next, next)
	if module == "xopt_fifo" {
		fmt.Fprintf(body, ", .occupancy()")
	}
	body.WriteString(");\n")
	c.here, c.width = next, wide
}

// narrow and widen change the width, where it is not that already.
func (c *converter) narrow(next string, to int) {
	if r := c.width / to; r > 1 {
		c.step("xopt_narrow", fmt.Sprintf(".WIDTH(%d), .RATIO(%d), .LOG_RATIO(%d)", to, r, log(r+1)), next, to)
	}
}

func (c *converter) widen(next string, to int) {
	if r := to / c.width; r > 1 {
		c.step("xopt_widen", fmt.Sprintf(".WIDTH(%d), .RATIO(%d), .LOG_RATIO(%d)", c.width, r, log(r+1)), next, to)
	}
}

// gear changes it where neither width divides the other.
func (c *converter) gear(next string, to int) {
	unit := gcd(c.width, to)
	a, b := c.width/unit, to/unit
	c.step("xopt_gear", fmt.Sprintf(".WIDTH(%d), .FROM(%d), .TO(%d), .LOG(%d)", unit, a, b, log(a+2*b+1)), next, to)
}

// end connects the last of them.
func (c *converter) end(to string) {
	fmt.Fprintf(&c.w.body, "    assign %s_data = %s_data;\n    assign %s_valid = %s_valid;\n    assign %s_ready = %s_ready;\n", to, c.here, to, c.here, c.here, to)
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
		fmt.Fprintf(&w.body, ", .%s%s_tdata(%s_data), .%s%s_tvalid(%s_valid), .%s%s_tready(%s_ready)", side, s.Name, n, side, s.Name, n, side, s.Name, n)
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
		from, _ := w.p.Parts[x.From].Module.Stream(x.FromPort, false)
		to, _ := w.p.Parts[x.To].Module.Stream(x.ToPort, true)
		a, b := net(x.From, from), net(x.To, to)
		fmt.Fprintf(&w.body, "    assign put[%d] = %s_valid && %s_ready;\n    assign got[%d] = %s_valid && %s_ready;\n    assign held[%d] = %s_valid && !%s_ready;\n", i, a, a, i, b, b, i, a, a)
	}
	if len(w.p.Wires) == 0 {
		w.body.WriteString("    assign put = 1'b0;\n    assign got = 1'b0;\n    assign held = 1'b0;\n")
	}
}

// Federate builds the program that simulates a partition in a run in virtual time; the
// generated main of package deploy tells it what to do.
func (c *Cache) Federate(ctx context.Context, p *Partition) (path string, err error) {
	s, err := c.build(ctx, p.Module, "federate.cpp")
	if err != nil {
		return "", err
	}
	return s.path, nil
}
