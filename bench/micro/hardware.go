package micro

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"xopt/hdl"
	"xopt/internal/rtl"
	"xopt/internal/scratch"
)

// TapCost is what taps in hardware take, and what they do to the kernels beside them
// (Lancaster 2011, Tables 4.2 and 4.3).
type TapCost struct {
	Name             string
	Queues, Averages int // monitors: of queues, each with a histogram; averagers
	// Area, in LUT, FF and block RAM, of the monitors and the agent, synthesized out of
	// context, by family; of the Virtex-4 of the thesis in Theirs.
	Area   map[string]rtl.Area
	Theirs *rtl.Area
	// Clock is the f_max on an iCE40 HX8K, of each seed, with the taps, and Plain without;
	// nil where they do not fit, which NotPlaced tells.
	Clock, Plain []float64
	NotPlaced    string
	TheirClock   float64 // Hz
	// Cycles is what a thousand words took with the taps, and PlainCycles without.
	Cycles, PlainCycles uint64
}

// tapFamilies are those that areas are given for.
func tapFamilies() []string { return []string{"xc7", "ice40hx"} }

// TapCosts synthesizes, places and simulates the configurations of the thesis: a chain of
// adders with queues between them, and monitors of their queues.
func TapCosts(ctx context.Context, note func(text string)) (_ []TapCost, err error) {
	cache := rtl.UserCache(ctx)
	dir, err := scratch.Dir("", scratch.Bench)
	if err != nil {
		return nil, fmt.Errorf("making a folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	library, err := hdl.Write(dir)
	if err != nil {
		return nil, err
	}
	list := []TapCost{
		{Name: "1: 1 queue monitor", Queues: 1, Theirs: &rtl.Area{LUT: 1655, FF: 1260, BRAM: 2}, TheirClock: 256e6},
		{Name: "2: 4 queue monitors", Queues: 4, Theirs: &rtl.Area{LUT: 3732, FF: 2466, BRAM: 8}, TheirClock: 255e6},
		{Name: "3: 8 queue monitors and 16 averagers", Queues: 8, Averages: 16, Theirs: &rtl.Area{LUT: 8584, FF: 4776,
			BRAM: 16}, TheirClock: 252e6},
	}
	for i := range list {
		note("configuration " + list[i].Name)
		if err := list[i].measure(ctx, cache, dir, library); err != nil {
			return list, fmt.Errorf("configuration %s: %w", list[i].Name, err)
		}
	}
	return list, nil
}

func (c *TapCost) measure(ctx context.Context, cache *rtl.Cache, dir string, library []string) error {
	c.Area = make(map[string]rtl.Area)
	plain, err := c.open(ctx, cache, dir, library, false)
	if err != nil {
		return err
	}
	tapped, err := c.open(ctx, cache, dir, library, true)
	if err != nil {
		return err
	}
	for _, family := range tapFamilies() {
		with, err := cache.Synthesize(ctx, tapped, family)
		if err != nil {
			return err
		}
		without, err := cache.Synthesize(ctx, plain, family)
		if err != nil {
			return err
		}
		c.Area[family] = rtl.Area{LUT: with.LUT - without.LUT, FF: with.FF - without.FF, BRAM: with.BRAM - without.BRAM,
			DSP: with.DSP - without.DSP}
	}
	const seeds = 7
	for _, x := range []struct {
		module *rtl.Module
		to     *[]float64
	}{{plain, &c.Plain}, {tapped, &c.Clock}} {
		clock, err := cache.MaxClock(ctx, x.module, "hx8k", seeds)
		var refused *rtl.ToolError
		if errors.As(err, &refused) {
			c.NotPlaced = reason(refused.Output)
			break
		}
		if err != nil {
			return err
		}
		*x.to = clock.Hertz
	}
	if c.PlainCycles, err = cycles(ctx, cache, plain, dir, false); err != nil {
		return err
	}
	c.Cycles, err = cycles(ctx, cache, tapped, dir, true)
	return err
}

// reason is the first line of what a tool says that is an error.
func reason(text string) string {
	for _, line := range strings.Split(text, "\n") {
		if _, why, ok := strings.Cut(line, "ERROR: "); ok {
			return why
		}
	}
	return strings.TrimSpace(text)
}

// open writes a chain of adders, with or without taps, and reads it.
func (c *TapCost) open(ctx context.Context, cache *rtl.Cache, dir string, library []string, taps bool) (*rtl.Module,
	error) {
	name := fmt.Sprintf("chain%d_%t", c.Queues, taps)
	file := filepath.Join(dir, name+".v")
	if err := os.WriteFile(file, []byte(c.verilog(name, taps)), 0o644); err != nil {
		return nil, fmt.Errorf("writing a chain of adders: %w", err)
	}
	return cache.Open(ctx, rtl.Source{Files: append([]string{file}, library...), Top: name})
}

// binBits are those of each histogram.
const binBits = 6

// verilog writes the chain: for each queue an adder and a FIFO of 32 words.
func (c *TapCost) verilog(name string, taps bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "module %s (input wire clk, input wire rst,\n    input wire [31:0] s_axis_x_tdata, input wire "+
		"s_axis_x_tvalid, output wire s_axis_x_tready,\n    output wire [31:0] m_axis_y_tdata, output wire "+
		"m_axis_y_tvalid, input wire m_axis_y_tready", name)
	if taps {
		b.WriteString(",\n    input wire [31:0] s_axis_command_tdata, input wire s_axis_command_tvalid, output wire " +
			"s_axis_command_tready,\n    output wire [31:0] m_axis_record_tdata, output wire m_axis_record_tvalid, " +
			"input wire m_axis_record_tready")
	}
	b.WriteString(");\n")
	words, monitors := 4*c.Queues+6*c.Averages, c.Queues+c.Averages
	chained := func(i int) string {
		return fmt.Sprintf(".shift(shift), .chain_in(chain[%d +: 32]), .chain_out(chain[%d +: 32])", 32*(i+1), 32*i)
	}
	if taps {
		fmt.Fprintf(&b, "    wire enable, frame, clear, shift;\n    wire [%d:0] chain;\n"+
			"    assign chain[%d +: 32] = 32'd0;\n    wire [%d:0] read, read_valid;\n    wire [%d:0] read_bin;\n"+
			"    wire [%d:0] read_count;\n", 32*monitors+31, 32*monitors, c.Queues-1, binBits-1, 32*c.Queues-1)
	}
	b.WriteString("    wire [31:0] d0 = s_axis_x_tdata;\n    wire v0 = s_axis_x_tvalid, r0;\n" +
		"    assign s_axis_x_tready = r0;\n")
	for i := range c.Queues {
		fmt.Fprintf(&b, "    reg [31:0] a%[1]d;\n    reg w%[1]d;\n    wire q%[1]d, v%[2]d, r%[2]d;\n"+
			"    wire [31:0] d%[2]d;\n    assign r%[1]d = !w%[1]d || q%[1]d;\n", i, i+1)
		fmt.Fprintf(&b, "    always @(posedge clk) begin\n        if (r%[1]d) a%[1]d <= d%[1]d + 32'h01234567;\n"+
			"        w%[1]d <= !rst && (r%[1]d ? v%[1]d : 1'b1);\n    end\n", i)
		fmt.Fprintf(&b, "    wire [6:0] o%[1]d;\n    xopt_fifo #(.WIDTH(32), .LOG_DEPTH(5)) fifo%[1]d (.clk(clk), "+
			".rst(rst), .s_axis_tvalid(w%[1]d), .s_axis_tready(q%[1]d), .s_axis_tdata(a%[1]d), "+
			".m_axis_tvalid(v%[2]d), .m_axis_tready(r%[2]d), .m_axis_tdata(d%[2]d), .occupancy(o%[1]d));\n", i, i+1)
		if !taps {
			continue
		}
		fmt.Fprintf(&b, "    wire [15:0] n%[1]d;\n    xopt_queue #(.WIDTH(16)) queue%[1]d (.clk(clk), .rst(clear), "+
			".enable(enable), .frame(frame), .enqueue(w%[1]d && q%[1]d), .dequeue(v%[2]d && r%[2]d), "+
			".occupancy(n%[1]d), .done(), .minimum(), .maximum(), .sum(), %[3]s);\n", i, i+1, chained(i))
		fmt.Fprintf(&b, "    xopt_histogram #(.BIN_BITS(%[2]d), .COUNT_WIDTH(32)) histogram%[1]d (.clk(clk), "+
			".rst(rst), .frame(frame), .sample(enable), .bin(n%[1]d[%[3]d:0]), .done(), .overrun(), "+
			".read(read[%[1]d]), .read_bin(read_bin), .read_valid(read_valid[%[1]d]), .read_count(read_count[%[4]d "+
			"+: 32]));\n", i, binBits, binBits-1, 32*i)
	}
	fmt.Fprintf(&b, "    assign m_axis_y_tdata = d%[1]d;\n    assign m_axis_y_tvalid = v%[1]d;\n"+
		"    assign r%[1]d = m_axis_y_tready;\n", c.Queues)
	if taps {
		for i := range c.Averages {
			of := i % c.Queues
			fmt.Fprintf(&b, "    xopt_value #(.WIDTH(32)) value%d (.clk(clk), .rst(clear), .enable(enable), "+
				".frame(frame), .move(v%d && r%d), .value(d%d), .done(), .count(), .minimum(), .maximum(), .last(), "+
				".sum(), %s);\n", i, of, of, of, chained(c.Queues+i))
		}
		fmt.Fprintf(&b, "    xopt_agent #(.WORDS(%d), .HISTOGRAMS(%d), .BIN_BITS(%d), .LOG_BUFFER(10)) agent "+
			"(.clk(clk), .rst(rst), .s_axis_command_tvalid(s_axis_command_tvalid), "+
			".s_axis_command_tready(s_axis_command_tready), .s_axis_command_tdata(s_axis_command_tdata), "+
			".element(1'b0),\n"+
			"        .enable(enable), .frame(frame), .clear(clear), .shift(shift), .chain(chain[31:0]), "+
			".read(read), .read_bin(read_bin), .read_valid(read_valid), .read_count(read_count),\n"+
			"        .m_axis_record_tvalid(m_axis_record_tvalid), .m_axis_record_tready(m_axis_record_tready), "+
			".m_axis_record_tdata(m_axis_record_tdata), .m_axis_record_tlast());\n", words, c.Queues, binBits)
	}
	b.WriteString("endmodule\n")
	return b.String()
}

// cycles is how long some words take through a chain.
func cycles(ctx context.Context, cache *rtl.Cache, m *rtl.Module, dir string, taps bool) (uint64, error) {
	const words = 1000
	s, err := cache.Simulate(ctx, m)
	if err != nil {
		return 0, err
	}
	data, commands := filepath.Join(dir, "data"), filepath.Join(dir, "commands")
	var start []byte // counts, in frames of 2000 cycles
	for _, word := range []uint32{hdl.AgentRecord().Command(hdl.LengthLow, 2000),
		hdl.AgentRecord().Command(hdl.LengthHigh, 0), hdl.AgentRecord().Command(hdl.Enable, 1)} {
		start = binary.LittleEndian.AppendUint32(start, word)
	}
	if err := errors.Join(os.WriteFile(data, make([]byte, 4*words), 0o644), os.WriteFile(commands, start,
		0o644)); err != nil {
		return 0, fmt.Errorf("writing what a chain is fed: %w", err)
	}
	feeds := []rtl.Feed{{Port: "x", Input: true, Element: 4, File: data}, {Port: "y", Element: 4}}
	if taps {
		feeds = append(feeds, rtl.Feed{Port: "command", Input: true, Follows: true, Element: 4, File: commands},
			rtl.Feed{Port: "record", Element: 4})
	}
	// Ends with the last of the words.
	r, err := s.Run(ctx, feeds, rtl.Options{Once: true, Firings: words, Seed: 1})
	if err != nil {
		return 0, err
	}
	return r.Cycles, nil
}
