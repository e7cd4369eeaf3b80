package rtl

import (
	"context"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"xopt/hdl/faults"
	"xopt/internal/release"
)

// CopyPort says of a port of a block what a copy of its kernel takes or sends there in its turn.
type CopyPort struct {
	Port     string
	Input    bool
	Element  int  // bytes
	Elements int  // of a firing
	Once     bool // every copy takes all of it
}

// copiesText is what copies.v.tmpl is filled with.
type copiesText struct {
	Version, Top, Inner, Parameters string
	Copies                          int
	Streams                         []copyStreamText
	Drains                          bool
}

// copyStreamText is a stream of every copy: Net names its signals inside a copy.
type copyStreamText struct {
	streamText
	Net             string
	Width           int
	Words, LogWords int // of a firing; bits of a count of them
	Once            bool
}

// mostCopies bounds the copies of a kernel on an FPGA: more is a mistake, and takes the tools hours.
const mostCopies = 256

// Copies is a module with the streams of m, and so many copies of it behind a splitter for each input and a joiner for
// each output (hdl/stream). Copies take firings in turn, and what they send leaves in the order of one, whatever a
// firing takes of their time. Each has a queue of a firing, rounded up to a power of two, at each of its streams.
// All streams of m must be among ports.
func (m *Module) Copies(n int, ports []CopyPort) (*Module, error) {
	if n > mostCopies {
		return nil, faults.TooManyCopies.Errorf("%d copies of module %s: want at most %d on an FPGA", n,
			m.Top, mostCopies)
	}
	text := copiesText{Version: release.Version, Top: fmt.Sprintf("xopt_%d_copies_%s", n, m.Top), Inner: m.Top,
		Parameters: m.parameters(), Copies: n, Drains: m.Drains}
	if len(m.given) > 0 { // another kernel of the block may have others
		text.Top += fmt.Sprintf("_%08x", crc32.ChecksumIEEE([]byte(text.Parameters)))
	}
	text.Streams = make([]copyStreamText, len(m.Streams))
	for _, p := range ports {
		s, words, err := m.Words(p.Port, p.Input, p.Element)
		if err != nil {
			return nil, err
		}
		x := copyStreamText{streamText: streamText{Name: s.Name, Input: s.Input, High: s.Width - 1}, Width: s.Width,
			Words: words * p.Elements, Once: p.Once}
		x.LogWords, x.Net = max(log(x.Words), 1), "kernel_"+x.Side()[:1]+"_"+s.Name
		if x.Words < 1 {
			return nil, faults.CopiesWithoutTurns.Errorf("port %s has no element in a firing, so that copies of "+
				"module %s cannot take turns", p.Port, m.Top)
		}
		text.Streams[slices.Index(m.Streams, s)] = x
	}
	for i, x := range text.Streams {
		if x.Words == 0 {
			return nil, faults.CopiesWithoutTurns.Errorf("stream %s of module %s has no port, so that copies cannot "+
				"take turns at it", m.Streams[i].Name, m.Top)
		}
	}
	verilog, err := fill("copies.v.tmpl", text)
	if err != nil {
		return nil, err
	}
	out := &Module{Top: text.Top, Streams: m.Streams, Drains: m.Drains, verilog: slices.Clip(m.verilog)}
	for _, name := range []string{"fifo", "fork", "turns", "splitter", "joiner"} {
		f, err := library("stream/xopt_" + name + ".v")
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out.verilog, f) {
			out.verilog = append(out.verilog, f)
		}
	}
	out.verilog = append(out.verilog, file{"copies.v", verilog})
	return out, nil
}

// OfCopies are the state machines of the first of a module's copies, as they are below [Module.Copies]: all copies have
// the same.
func OfCopies(machines []Machine) []Machine {
	list := slices.Clone(machines)
	for i := range list {
		list[i].Path = "copies[0].kernel." + list[i].Path
	}
	return list
}

// hollow is the module without what is inside it, so that what [Module.Copies] adds can be synthesized by itself.
func (m *Module) hollow() *Module {
	var b strings.Builder
	fmt.Fprintf(&b, "`default_nettype none\n(* blackbox *)\nmodule %s", m.Top)
	for i, p := range m.given {
		b.WriteString([]string{" #(", ", "}[min(i, 1)] + "parameter " + p.Name + " = " + p.literal())
	}
	if len(m.given) > 0 {
		b.WriteString(")")
	}
	b.WriteString(" (input wire clk, input wire rst")
	for _, s := range m.Streams {
		in, out, side := "input", "output", "s_axis"
		if !s.Input {
			in, out, side = "output", "input", "m_axis"
		}
		fmt.Fprintf(&b, ",\n    %s wire [%d:0] %s_%s_tdata, %[1]s wire %[3]s_%[4]s_tvalid, "+
			"%[5]s wire %[3]s_%[4]s_tready", in, s.Width-1, side, s.Name, out)
	}
	if m.Drains {
		b.WriteString(",\n    input wire drain")
	}
	b.WriteString(");\nendmodule\n`resetall\n")
	return &Module{Top: m.Top, Streams: m.Streams, Drains: m.Drains, given: m.given,
		verilog: []file{{m.Top + ".v", b.String()}}}
}

// CopiesArea is what n copies of a module take on an FPGA beside the copies themselves: splitters, queues and joiners,
// synthesized for a family without what is inside the module.
func (c *Cache) CopiesArea(ctx context.Context, m *Module, n int, ports []CopyPort, family string) (*Area, error) {
	around, err := m.hollow().Copies(n, ports)
	if err != nil {
		return nil, err
	}
	area, err := c.Synthesize(ctx, around, family)
	if err != nil {
		return nil, fmt.Errorf("the area of what divides a stream among copies: %w", err)
	}
	return area, nil
}
