package rtl

import (
	"fmt"
	"strings"
)

// pull is a port with the handshake of X's blocks in hardware (Gayen 2008, Fig. 2.20): a
// block takes what is there when it wants (input_x, avail_x, read_x), and sends when it
// wants (output_y, write_y).
type pull struct {
	name               string
	input              bool
	width              int
	data, avail, moves bool // which of its signals there are
}

func (p *pull) whole() bool { return p.data && p.moves && (p.avail || !p.input) }

// takePull takes in a port of a module, if it is one of these.
func takePull(found map[string]*pull, port, dir string, width int) {
	for _, x := range []struct {
		prefix, dir string
		input       bool
		set         func(p *pull)
	}{
		{"input_", "input", true, func(p *pull) { p.data, p.width = true, width }},
		{"avail_", "input", true, func(p *pull) { p.avail = true }},
		{"read_", "output", true, func(p *pull) { p.moves = true }},
		{"output_", "output", false, func(p *pull) { p.data, p.width = true, width }},
		{"write_", "output", false, func(p *pull) { p.moves = true }},
	} {
		name, ok := strings.CutPrefix(port, x.prefix)
		if !ok || name == "" || dir != x.dir {
			continue
		}
		key := fmt.Sprint(name, x.input)
		if found[key] == nil {
			found[key] = &pull{name: name, input: x.input}
		}
		x.set(found[key])
	}
}

// wrapDepth is the binary logarithm of the words that an output of a wrapped block buffers.
// A block is shown no input while less than half of one is free: what it still sends then,
// for what it has taken before, must fit into the rest.
const wrapDepth = 6

// wrap puts a module with the handshake of X into one with AXI4-Streams. Such a block does
// not know of a full queue; what it would write into one is not lost unseen: the wrapper
// stops for good, which shows as a deadlock.
func (m *Module) wrap() {
	inner := m.Top
	m.Top = "xopt_wrap_" + inner
	m.Streams = nil
	var ports, body, connect strings.Builder
	var full, over []string
	for _, p := range m.pulls {
		m.Streams = append(m.Streams, Stream{p.name, p.input, p.width})
		if p.input {
			fmt.Fprintf(&ports, ",\n    input wire [%d:0] s_axis_%s_tdata, input wire s_axis_%s_tvalid, output wire "+
				"s_axis_%s_tready", p.width-1, p.name, p.name, p.name)
			fmt.Fprintf(&body, "    wire read_%s;\n    assign s_axis_%s_tready = read_%s && free;\n", p.name, p.name,
				p.name)
			fmt.Fprintf(&connect,
				", .input_%s(s_axis_%s_tdata), .avail_%s(s_axis_%s_tvalid && free), .read_%s(read_%s)", p.name, p.name,
				p.name, p.name, p.name, p.name)
			continue
		}
		fmt.Fprintf(&ports, ",\n    output wire [%d:0] m_axis_%s_tdata, output wire m_axis_%s_tvalid, input wire "+
			"m_axis_%s_tready", p.width-1, p.name, p.name, p.name)
		fmt.Fprintf(&body, "    wire [%d:0] output_%s;\n    wire write_%s, room_%s;\n    wire [%d:0] held_%s;\n",
			p.width-1, p.name, p.name, p.name, wrapDepth+1, p.name)
		fmt.Fprintf(&body, "    xopt_fifo #(.WIDTH(%d), .LOG_DEPTH(%d)) queue_%s (.clk(clk), .rst(rst), "+
			".s_axis_tvalid(write_%s && !rst), .s_axis_tready(room_%s), .s_axis_tdata(output_%s), "+
			".m_axis_tvalid(m_axis_%s_tvalid), .m_axis_tready(m_axis_%s_tready), "+
			".m_axis_tdata(m_axis_%s_tdata), .occupancy(held_%s));\n",
			p.width, wrapDepth, p.name, p.name, p.name, p.name, p.name, p.name, p.name, p.name)
		fmt.Fprintf(&connect, ", .output_%s(output_%s), .write_%s(write_%s)", p.name, p.name, p.name, p.name)
		full = append(full, fmt.Sprintf("held_%s >= %d", p.name, 1<<(wrapDepth-1)))
		over = append(over, fmt.Sprintf("(write_%s && !room_%s)", p.name, p.name))
	}
	if m.Drains {
		ports.WriteString(",\n    input wire drain")
		connect.WriteString(", .drain(drain)")
	}
	free := "1'b1"
	if len(full) > 0 {
		free = "!stopped && !(" + strings.Join(full, " || ") + ")"
	}
	lost := "1'b0"
	if len(over) > 0 {
		lost = strings.Join(over, " || ")
	}
	parameters := m.parameters()
	m.given = nil
	text := fmt.Sprintf("module %s (input wire clk, input wire rst%s);\n    reg stopped;\n    wire free;\n"+
		"%s    assign free = %s;\n    always @(posedge clk) stopped <= !rst && (stopped || %s);\n"+
		"    %s #(%s) block_ (.clk(clk), .rst(rst)%s);\nendmodule\n",
		m.Top, ports.String(), body.String(), free, lost, inner, parameters, connect.String())
	m.verilog = append(m.verilog, fifo(), file{"wrap.v", text})
}
