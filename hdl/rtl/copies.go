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

// CopyPort describes the elements that a copy of a kernel consumes or produces at a port in one firing.
type CopyPort struct {
	Port     string
	Input    bool
	Element  int  // bytes
	Elements int  // number of elements per firing
	Once     bool // every copy receives the complete stream
}

// copiesText is the input of copies.v.tmpl.
type copiesText struct {
	Version, Top, Inner, Parameters string
	Copies                          int
	Streams                         []copyStreamText
	Drains                          bool
}

// copyStreamText is a stream of every copy. Net is the prefix of its signals inside a copy.
type copyStreamText struct {
	streamText
	Net             string
	Width           int
	Words, LogWords int // words per firing, and the number of bits of a counter for them
	Once            bool
}

// maxCopies is the maximum number of copies of a kernel on an FPGA. A larger number is probably a mistake, and the
// tools would need hours.
const maxCopies = 256

// Copies returns a module with the streams of m that contains n copies of m. Each input has a splitter and each output
// a joiner (hdl/stream). The copies execute firings in turn. Their outputs leave in order, regardless of the durations
// of firings. At each of its streams, a copy has a queue for the words of one firing, rounded up to a power of two.
// ports must contain all streams of m.
func (m *Module) Copies(n int, ports []CopyPort) (*Module, error) {
	if n > maxCopies {
		return nil, faults.TooManyCopies.Errorf("module %s has %d copies, expected at most %d copies on an FPGA", m.Top,
			n, maxCopies)
	}
	text := copiesText{Version: release.Version, Top: fmt.Sprintf("xopt_%d_copies_%s", n, m.Top), Inner: m.Top,
		Parameters: m.parameters(), Copies: n, Drains: m.Drains}
	if len(m.given) > 0 { // other kernels of the block may have other parameters
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
			return nil, faults.CopiesWithoutTurns.Errorf("a firing transfers no element on port %s, so xopt cannot "+
				"copy module %s on an FPGA (map only one copy there)", p.Port, m.Top)
		}
		text.Streams[slices.Index(m.Streams, s)] = x
	}
	for i, x := range text.Streams {
		if x.Words == 0 {
			return nil, faults.CopiesWithoutTurns.Errorf("stream %s of module %s has no port in its block, so "+
				"xopt cannot copy the module on an FPGA (map only one copy there)", m.Streams[i].Name, m.Top)
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

// OfCopies returns the state machines of the first copy, with paths below the module of [Module.Copies]. All
// copies have the same machines.
func OfCopies(machines []Machine) []Machine {
	list := slices.Clone(machines)
	for i := range list {
		list[i].Path = "copies[0].kernel." + list[i].Path
	}
	return list
}

// hollow returns the module as a black box. The hardware that [Module.Copies] adds can then be synthesized separately.
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

// CopiesArea returns the area of the splitters, queues and joiners of n copies, without the copies themselves.
func (c *Cache) CopiesArea(ctx context.Context, m *Module, n int, ports []CopyPort, family string) (*Area, error) {
	around, err := m.hollow().Copies(n, ports)
	if err != nil {
		return nil, err
	}
	area, err := c.Synthesize(ctx, around, family)
	if err != nil {
		return nil, fmt.Errorf("estimating the area of the splitters and joiners of copies: %w", err)
	}
	return area, nil
}
