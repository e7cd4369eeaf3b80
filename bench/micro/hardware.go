package micro

import (
	"context"
	_ "embed" // template of a chain
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"xopt/hdl"
	"xopt/hdl/rtl"
	"xopt/internal/files/scratch"
	"xopt/internal/release"
)

// TapCost contains the area of hardware taps and their effect on the observed kernels (Lancaster 2011, Tables 4.2 and
// 4.3).
type TapCost struct {
	Name             string
	Queues, Averages int // number of queue monitors with a histogram, and of averagers
	// Module is the name of a single tap, for which only the area is known; "" for a chain.
	Module string
	// Area is the area of the monitors and the agent by FPGA family, synthesized out of context. Theirs is the area in
	// the thesis, on a Virtex-4.
	Area   map[string]rtl.Area
	Theirs *rtl.Area
	// Clock contains the f_max in Hz with taps on an iCE40 HX8K for each seed, and Plain the f_max without taps. Both
	// are nil if the design does not fit; NotPlaced is then the reason.
	Clock, Plain []float64
	NotPlaced    string
	TheirClock   float64 // f_max in the thesis, Hz
	// Cycles is the number of cycles for 1000 words with taps, and PlainCycles the number without taps.
	Cycles, PlainCycles uint64
}

// tapFamilies returns the FPGA families whose areas are reported.
func tapFamilies() []string { return []string{"xc7", "ice40hx"} }

// TapCosts synthesizes, places and simulates the configurations of the thesis: a chain of adders with queues between
// them, and monitors of these queues. For taps that are not in the thesis, it only synthesizes the area.
func TapCosts(ctx context.Context, note func(text string)) (_ []TapCost, err error) {
	cache := rtl.UserCache(ctx)
	dir, err := scratch.Dir("", scratch.Bench)
	if err != nil {
		return nil, fmt.Errorf("creating a folder: %w", err)
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
		{Name: "xopt_gap alone: gaps or service times", Module: "gap_alone"},
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
	if c.Module != "" {
		module, err := open(ctx, cache, filepath.Join(dir, c.Module+".v"), library, gapAlone)
		if err != nil {
			return err
		}
		c.Area, err = areas(ctx, cache, module)
		return err
	}
	plain, err := c.chain(ctx, cache, dir, library, false)
	if err != nil {
		return err
	}
	tapped, err := c.chain(ctx, cache, dir, library, true)
	if err != nil {
		return err
	}
	with, err := areas(ctx, cache, tapped)
	if err != nil {
		return err
	}
	without, err := areas(ctx, cache, plain)
	if err != nil {
		return err
	}
	c.Area = make(map[string]rtl.Area)
	for family, a := range with {
		b := without[family]
		c.Area[family] = rtl.Area{LUT: a.LUT - b.LUT, FF: a.FF - b.FF, BRAM: a.BRAM - b.BRAM, DSP: a.DSP - b.DSP}
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

// gapAlone is the Verilog of a tap that measures gaps between two streams. Ports of the module drive all inputs of the
// tap, so that synthesis removes no part of it.
const gapAlone = `module gap_alone(
    input wire clk, input wire rst,
    input wire [39:0] s_axis_x_tdata, input wire s_axis_x_tvalid, output wire s_axis_x_tready,
    output wire [79:0] m_axis_y_tdata, output wire m_axis_y_tvalid, input wire m_axis_y_tready);
  assign s_axis_x_tready = m_axis_y_tready;
  assign m_axis_y_tvalid = s_axis_x_tvalid;
  assign m_axis_y_tdata[79:74] = 0;
  xopt_gap g(.clk(clk), .rst(rst), .enable(s_axis_x_tdata[32]), .frame(s_axis_x_tdata[33]),
      .move(s_axis_x_tvalid && m_axis_y_tready), .broken(s_axis_x_tdata[34]), .shift(s_axis_x_tdata[35]),
      .chain_in(s_axis_x_tdata[31:0]), .chain_out(m_axis_y_tdata[31:0]), .gap(m_axis_y_tdata[63:32]),
      .bin(m_axis_y_tdata[70:64]), .bin_valid(m_axis_y_tdata[71]), .sample(m_axis_y_tdata[72]),
      .done(m_axis_y_tdata[73]), .count(), .minimum(), .maximum(), .sum(), .products());
endmodule
`

// areas returns the area of a module for every FPGA family.
func areas(ctx context.Context, cache *rtl.Cache, m *rtl.Module) (map[string]rtl.Area, error) {
	list := make(map[string]rtl.Area)
	for _, family := range tapFamilies() {
		area, err := cache.Synthesize(ctx, m, family)
		if err != nil {
			return nil, err
		}
		list[family] = *area
	}
	return list, nil
}

// open writes the text of a module to a file, and opens the module with package rtl.
func open(ctx context.Context, cache *rtl.Cache, file string, library []string, text string) (*rtl.Module, error) {
	name := strings.TrimSuffix(filepath.Base(file), ".v")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return nil, fmt.Errorf("writing %s: %w", name, err)
	}
	return cache.Open(ctx, rtl.Source{Files: append([]string{file}, library...), Top: name})
}

// reason returns the first error message in a tool's output.
func reason(text string) string {
	for _, line := range strings.Split(text, "\n") {
		if _, why, ok := strings.Cut(line, "ERROR: "); ok {
			return why
		}
	}
	return strings.TrimSpace(text)
}

// chain writes and opens the module of a chain of adders, with or without taps.
func (c *TapCost) chain(ctx context.Context, cache *rtl.Cache, dir string, library []string, taps bool) (*rtl.Module,
	error) {
	name := fmt.Sprintf("chain%d_%t", c.Queues, taps)
	text, err := c.verilog(name, taps)
	if err != nil {
		return nil, err
	}
	return open(ctx, cache, filepath.Join(dir, name+".v"), library, text)
}

// binBits is the number of bits of each histogram bin.
const binBits = 6

// chainText contains the values for the template chain.v.tmpl.
type chainText struct {
	Version, Name string
	Taps          bool
	Stages        []chainStage
	Averages      []chainAverage
	Last          int // number of the last stream
	// For the taps: the number of words of results, the highest bits of signals, and the start of the chain of taps.
	Words, Queues, BinBits, BinHigh          int
	ChainHigh, ChainEnd, ReadHigh, CountHigh int
}

// chainStage is an adder and a queue between two numbered streams, with the position of the queue's tap.
type chainStage struct{ From, To, In, Out, Counts int }

// chainAverage is the averager of a stream with its position.
type chainAverage struct{ Index, Stream, In, Out int }

//go:embed chain.v.tmpl
var chainTemplate string

// verilog returns the Verilog of the chain: an adder and a FIFO of 32 words for each queue.
func (c *TapCost) verilog(name string, taps bool) (string, error) {
	monitors := c.Queues + c.Averages
	text := chainText{Version: release.Version, Name: name, Taps: taps, Last: c.Queues,
		Words: len(hdl.QueueTap.Figures())*c.Queues + 6*c.Averages, Queues: c.Queues, BinBits: binBits,
		BinHigh: binBits - 1, ChainHigh: 32*monitors + 31, ChainEnd: 32 * monitors, ReadHigh: c.Queues - 1,
		CountHigh: 32*c.Queues - 1}
	for i := range c.Queues {
		text.Stages = append(text.Stages, chainStage{From: i, To: i + 1, In: 32 * (i + 1), Out: 32 * i, Counts: 32 * i})
	}
	for i := range c.Averages {
		at := c.Queues + i
		text.Averages = append(text.Averages, chainAverage{Index: i, Stream: i % c.Queues, In: 32 * (at + 1),
			Out: 32 * at})
	}
	t, err := template.New("chain.v.tmpl").Parse(chainTemplate)
	if err != nil {
		return "", fmt.Errorf("reading the template of a chain of adders: %w", err)
	}
	var b strings.Builder
	if err := t.Execute(&b, text); err != nil {
		return "", fmt.Errorf("writing a chain of adders: %w", err)
	}
	return b.String(), nil
}

// cycles returns the number of cycles in which 1000 words move through a chain.
func cycles(ctx context.Context, cache *rtl.Cache, m *rtl.Module, dir string, taps bool) (uint64, error) {
	const words = 1000
	s, err := cache.Simulate(ctx, m)
	if err != nil {
		return 0, err
	}
	data, commands := filepath.Join(dir, "data"), filepath.Join(dir, "commands")
	var start []byte // commands that start the taps, with frames of 2000 cycles
	for _, word := range []uint32{hdl.AgentRecord().Command(hdl.LengthLow, 2000),
		hdl.AgentRecord().Command(hdl.LengthHigh, 0), hdl.AgentRecord().Command(hdl.Enable, 1)} {
		start = binary.LittleEndian.AppendUint32(start, word)
	}
	if err := errors.Join(os.WriteFile(data, make([]byte, 4*words), 0o644), os.WriteFile(commands, start,
		0o644)); err != nil {
		return 0, fmt.Errorf("writing the input of the chain: %w", err)
	}
	feeds := []rtl.Feed{{Port: "x", Input: true, Element: 4, File: data}, {Port: "y", Element: 4}}
	if taps {
		feeds = append(feeds, rtl.Feed{Port: "command", Input: true, Follows: true, Element: 4, File: commands},
			rtl.Feed{Port: "record", Element: 4})
	}
	// The run ends at the last word.
	r, err := s.Run(ctx, feeds, rtl.Options{Once: true, Firings: words, Seed: 1})
	if err != nil {
		return 0, err
	}
	return r.Cycles, nil
}
