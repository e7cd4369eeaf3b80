package rtl

import (
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"xopt/internal/fault"
	"xopt/internal/release"
)

// crossingDepth is the binary logarithm of the words that a queue between two clocks holds: as many as it takes for a
// word to move in every cycle of the slower clock, though each side learns of the other some cycles late.
const crossingDepth = 4

// clockedText is what clocked.v.tmpl is filled with.
type clockedText struct {
	Version, Top, Inner, Parameters string
	LogDepth, Words                 int // of a queue between the clocks
	Streams                         []clockedStreamText
	Drains                          bool
	SeenHigh                        int
	SeenValid, SeenReady            string
	Active, HasInput, NotBlocked    string
}

// clockedStreamText is a stream of the kernel; Net names its signals in the kernel's clock.
type clockedStreamText struct {
	streamText
	Net   string
	Width int
}

// OwnClock is a module with the streams of m in the clock of the FPGA, and m behind queues between that and a clock of
// its own, the input kernel_clk (hdl/stream/xopt_async_fifo.v). What is seen of m is as it is in its own clock.
// Testpoints are not led out.
func (m *Module) OwnClock() (*Module, error) {
	text := clockedText{Version: release.Version, Top: "xopt_clocked_" + m.Top, Inner: m.Top,
		Parameters: m.parameters(), LogDepth: crossingDepth, Words: 1 << crossingDepth, Drains: m.Drains}
	if len(m.given) > 0 { // another kernel of the block may have others
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
		if i < maxTold {
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

// OfOwnClock are the state machines of a module as they are below [Module.OwnClock].
func OfOwnClock(machines []Machine) []Machine {
	list := slices.Clone(machines)
	for i := range list {
		list[i].Path = "kernel." + list[i].Path
	}
	return list
}

// Clocked reports whether the module has a clock of its own, beside that of the FPGA ([Module.OwnClock]).
func (m *Module) Clocked() bool { return m.clocked }

// errClocked tells what cannot be simulated or placed alone.
var errClocked = fault.OwnClockUnsupported.Errorf("kernels with clocks of their own are simulated only in a run " +
	"(xopt deploy), and are not placed with others")

// clocks tells the simulation in C++ of the clock of each part, where that is its own.
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
