package rtl

import (
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"xopt/internal/fault"
	"xopt/internal/release"
)

// crossingDepth is the binary logarithm of the number of words in a queue between two clocks. Each side sees the
// pointer of the other side several cycles late. With this depth, a word can still move in every cycle of the slower
// clock.
const crossingDepth = 4

// clockedText is the input of clocked.v.tmpl.
type clockedText struct {
	Version, Top, Inner, Parameters string
	LogDepth, Words                 int // size of a queue between the clocks
	Streams                         []clockedStreamText
	Drains                          bool
	SeenHigh                        int
	SeenValid, SeenReady            string
	Active, HasInput, NotBlocked    string
}

// clockedStreamText is a stream of the kernel. Net is the prefix of its signals in the kernel's clock domain.
type clockedStreamText struct {
	streamText
	Net   string
	Width int
}

// OwnClock returns a module with the streams of m in the FPGA's clock domain. It contains m, with the input kernel_clk
// as its clock, and queues between the clocks (hdl/stream/xopt_async_fifo.v). The signals that show the activity of m
// remain in the clock domain of m. Testpoints are not connected.
func (m *Module) OwnClock() (*Module, error) {
	text := clockedText{Version: release.Version, Top: "xopt_clocked_" + m.Top, Inner: m.Top,
		Parameters: m.parameters(), LogDepth: crossingDepth, Words: 1 << crossingDepth, Drains: m.Drains}
	if len(m.given) > 0 { // other kernels of the block may have other parameters
		text.Top += fmt.Sprintf("_%08x", crc32.ChecksumIEEE([]byte(text.Parameters)))
	}
	var all, valid, ready, has, blocked []string
	for i, s := range m.Streams {
		x := clockedStreamText{streamText: streamText{Name: s.Name, Input: s.Input, High: s.Width - 1}, Width: s.Width}
		x.Net = "kernel_" + x.Side()[:1] + "_" + s.Name
		text.Streams = append(text.Streams, x)
		all = append(all, x.Net+"_valid")
		if s.Input {
			has = append(has, x.Net+"_valid")
		} else {
			blocked = append(blocked, "("+x.Net+"_valid && !"+x.Net+"_ready)")
		}
		if i < maxClassified {
			valid, ready = append(valid, x.Net+"_valid"), append(ready, x.Net+"_ready")
		}
	}
	slices.Reverse(valid)
	slices.Reverse(ready)
	text.SeenHigh = max(len(valid)-1, 0)
	text.SeenValid, text.SeenReady = strings.Join(valid, ", "), strings.Join(ready, ", ")
	text.Active, text.HasInput, text.NotBlocked = or(all, "1'b0"), or(has, "1'b1"), "!"+or(blocked, "1'b0")
	verilog, err := fill("clocked.v.tmpl", text)
	if err != nil {
		return nil, err
	}
	queue, err := library("stream/xopt_async_fifo.v")
	if err != nil {
		return nil, err
	}
	out := &Module{Top: text.Top, Streams: m.Streams, Drains: m.Drains, clocked: true,
		verilog: append(slices.Clip(m.verilog), file{"clocked.v", verilog})}
	if !slices.Contains(out.verilog, queue) {
		out.verilog = append(out.verilog, queue)
	}
	return out, nil
}

// OfOwnClock returns the state machines, with paths below the module of [Module.OwnClock].
func OfOwnClock(machines []Machine) []Machine {
	list := slices.Clone(machines)
	for i := range list {
		list[i].Path = "kernel." + list[i].Path
	}
	return list
}

// Clocked reports whether the module has a clock of its own in addition to the FPGA's clock ([Module.OwnClock]).
func (m *Module) Clocked() bool { return m.clocked }

// errClocked rejects operations that do not support kernels with clocks of their own.
var errClocked = fault.OwnClockUnsupported.Errorf("a kernel with its own clock can be simulated only in a run " +
	"(xopt deploy), and cannot be placed with other kernels")

// clocks returns the C++ table of the parts' own clocks.
func (p *Partition) clocks() string {
	var list []string
	for i, x := range p.Parts {
		at := "nullptr"
		if x.Module.clocked {
			at = fmt.Sprintf("&k->part%d_clk", i)
		}
		list = append(list, at)
	}
	return fmt.Sprintf("static std::vector<CData *> part_clocks(Vk *k) {\n    (void)k;\n    return {%s};\n}\n",
		strings.Join(list, ", "))
}
