package rtl

import (
	"fmt"
	"strings"

	"xopt/hdl"
)

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
	Kind  hdl.TapKind
	Wire  int  // or -1
	Outer int  // or -1
	Put   bool // of a wire's activity: where words go in, else where they come out
	Bytes int  // of a word
	At    int  // first of its words in a record
	Hist  int  // which histogram of the record is its own; -1 for none
	Shift int  // 2^Shift is the width of the bins of occupancies
}

// TapWords is how many words of figures a record of the agent has; 0 without taps.
func (p *Partition) TapWords() int {
	n := 0
	for i := range p.Taps {
		n += len(p.Taps[i].Kind.Figures())
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

// taps tells the simulation in C++ of the taps: how many words of figures, bins and histograms
// a record has, and how the figures of several frames are put together (record.h).
func (p *Partition) taps() string {
	var merges []string
	for i := range p.Taps {
		for _, f := range p.Taps[i].Kind.Figures() {
			merges = append(merges, f.Merge.Name())
		}
	}
	merges = append(merges, hdl.MergeNone.Name()) // an array has an element
	return fmt.Sprintf("#define TAP_WORDS %d\n#define TAP_BINS %d\n#define TAP_HISTOGRAMS %d\n"+
		"static const enum record_merge tap_merge[] = {%s};\n", p.TapWords(), Bins, p.Histograms(),
		strings.Join(merges, ", "))
}

// activity taps a stream.
func (w *partitionWriter) activity(n string, t Tap) {
	at := w.tap(&t)
	fmt.Fprintf(&w.body, "    xopt_activity #(.CHUNK(32)) %s_tap (.clk(clk), .rst(tap_clear), .enable(tap_enable), "+
		".frame(tap_frame), .valid(%s_valid), .ready(%s_ready), .done(), .moved(), .waited(), .idle(), %s);\n", n, n, n,
		at)
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
	t.Kind = hdl.QueueTap
	at := w.tap(&t)
	fmt.Fprintf(&w.body, "    xopt_queue #(.WIDTH(24), .CHUNK(32)) %[1]s_tap (.clk(clk), .rst(rst), "+
		".enable(tap_enable), .frame(tap_frame), .enqueue(%[2]s_valid && %[2]s_ready), .dequeue(%[1]s_valid && "+
		"%[1]s_ready), .occupancy(), .done(), .minimum(), .maximum(), .sum(), %[3]s);\n",
		to, from, at)
}

// agent collects the taps.
func (w *partitionWriter) agent() {
	n := w.p.TapWords()
	if n == 0 {
		return
	}
	w.ports.WriteString(",\n    input wire command_valid,\n    input wire [31:0] command_data,\n" +
		"    output wire record_valid,\n    output wire [31:0] record_data,\n    output wire record_last")
	h := w.p.Histograms()
	slots := max(h, 1)
	declared := fmt.Sprintf("    wire tap_enable, tap_frame, tap_clear, tap_shift;\n    wire [%d:0] chain;\n"+
		"    assign chain[%d +: 32] = 32'd0;\n", 32*len(w.p.Taps)+31, 32*len(w.p.Taps))
	declared += fmt.Sprintf("    wire [%d:0] bins_read, bins_valid;\n    wire [%d:0] bins_at;\n"+
		"    wire [%d:0] bins_count;\n", slots-1, binBits-1, 32*slots-1)
	if h == 0 {
		declared += "    assign bins_valid = 1'b0;\n    assign bins_count = 32'd0;\n"
	}
	rest := w.body.String()
	w.body.Reset()
	w.body.WriteString(declared + rest)
	fmt.Fprintf(&w.body, "    xopt_agent #(.WORDS(%d), .HISTOGRAMS(%d), .BIN_BITS(%d), .LOG_BUFFER(%d)) agent "+
		"(.clk(clk), .rst(rst), .s_axis_command_tvalid(command_valid), .s_axis_command_tready(), "+
		".s_axis_command_tdata(command_data), .element(1'b0),\n"+
		"        .enable(tap_enable), .frame(tap_frame), .clear(tap_clear), .shift(tap_shift), "+
		".chain(chain[31:0]), .read(bins_read), .read_bin(bins_at), .read_valid(bins_valid), "+
		".read_count(bins_count),\n        .m_axis_record_tvalid(record_valid), .m_axis_record_tready(1'b1), "+
		".m_axis_record_tdata(record_data), .m_axis_record_tlast(record_last));\n", n, h, binBits,
		log(hdl.AgentRecord().Words(n, h*Bins)+1)+1)
}

// elements taps what happens to the elements of a wire between its ends, a and b.
func (w *partitionWriter) elements(i int, x Wire, a, b string, from, to int) {
	for _, end := range []struct {
		net, name string
		width     int
	}{{a, "enter", from}, {b, "leave", to}} {
		n := max(x.Element*8/end.width, 1)
		fmt.Fprintf(&w.body, "    wire w%[1]d_%[2]s;\n    xopt_every #(.N(%[3]d), .LOG(%[4]d)) w%[1]d_%[2]s_every "+
			"(.clk(clk), .rst(rst), .move(%[5]s_valid && %[5]s_ready), .last(w%[1]d_%[2]s));\n", i, end.name, n,
			max(log(n), 1), end.net)
	}
	if x.Monitors.Occupancy {
		at := w.tap(&Tap{Kind: hdl.OccupancyTap, Wire: i, Outer: -1})
		fmt.Fprintf(&w.body, "    wire w%[1]d_came;\n    wire [23:0] w%[1]d_found;\n"+
			"    xopt_occupancy #(.WIDTH(24), .CHUNK(32)) w%[1]d_occupancy (.clk(clk), .rst(rst), "+
			".clear(tap_clear), .enable(tap_enable), .frame(tap_frame), .enter(w%[1]d_enter), .leave(w%[1]d_leave), "+
			".sample(w%[1]d_came), .found(w%[1]d_found), .done(), .count(), .minimum(), .maximum(), .sum(), %[2]s);\n",
			i, at)
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
		at := w.tap(&Tap{Kind: hdl.LatencyTap, Wire: i, Outer: -1})
		const inConverters = 4 // elements that may be there, beside those in the queue
		fmt.Fprintf(&w.body, "    wire w%[1]d_stayed;\n    wire [31:0] w%[1]d_stay;\n"+
			"    xopt_latency #(.LOG_DEPTH(%[3]d), .CHUNK(32)) w%[1]d_latency (.clk(clk), .rst(rst), "+
			".enable(tap_enable), .frame(tap_frame), .entry(w%[1]d_enter), .exit(w%[1]d_leave), "+
			".sample(w%[1]d_stayed), .latency(w%[1]d_stay), .done(), .count(), .minimum(), .maximum(), .sum(), "+
			".missed(), %[2]s);\n",
			i, at, log((1<<log(max(x.Words, 2)))*to/(8*max(x.Element, 1))+inConverters))
		if x.Monitors.LatencyBins { // a latency is known three cycles late, its bin two later
			fmt.Fprintf(&w.body, "    wire w%[1]d_stay_valid;\n    wire [%[2]d:0] w%[1]d_stay_bin;\n"+
				"    reg [4:0] w%[1]d_frame;\n    always @(posedge clk) w%[1]d_frame <= rst ? 5'd0 : "+
				"{w%[1]d_frame[3:0], tap_frame};\n    xopt_octave w%[1]d_octave (.clk(clk), .rst(rst), "+
				".valid(w%[1]d_stayed), .value(w%[1]d_stay), .out_valid(w%[1]d_stay_valid), "+
				".bin(w%[1]d_stay_bin));\n", i, binBits-1)
			w.histogram(fmt.Sprintf("w%d_latency", i), fmt.Sprintf("w%d_frame[4]", i), fmt.Sprintf("w%d_stay_valid", i),
				fmt.Sprintf("w%d_stay_bin", i))
		}
	}
}

// histogram counts the samples of the tap that was put in last, by bin.
func (w *partitionWriter) histogram(name, frame, sample, bin string) {
	h := w.p.Histograms()
	w.p.Taps[len(w.p.Taps)-1].Hist = h
	fmt.Fprintf(&w.body, "    xopt_histogram #(.BIN_BITS(%d), .CHUNK(32)) %s_bins (.clk(clk), .rst(rst), "+
		".frame(%s), .sample(%s), .bin(%s), .done(), .overrun(), .read(bins_read[%[6]d]), .read_bin(bins_at), "+
		".read_valid(bins_valid[%[6]d]), .read_count(bins_count[%[7]d +: 32]));\n",
		binBits, name, frame, sample, bin, h, 32*h)
}
