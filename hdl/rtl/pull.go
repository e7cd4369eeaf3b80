package rtl

import (
	"fmt"
	"strings"

	"xopt/internal/release"
)

// pull is a port with the handshake of X's hardware blocks (Gayen 2008, Fig. 2.20). A block chooses when to read an
// available word (input_x, avail_x, read_x) and when to write (output_y, write_y).
type pull struct {
	name               string
	input              bool
	width              int
	data, avail, moves bool // whether each of the signals exists
}

func (p *pull) isComplete() bool { return p.data && p.moves && (p.avail || !p.input) }

// addPull adds a port of a module to found if the port has this handshake.
func addPull(found map[string]*pull, port, dir string, width int) {
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

// wrapDepth is the binary logarithm of the number of words in the queue at each output of a wrapped block. The block
// sees no input unless at least half of each queue is free. This half must have space for outputs from earlier inputs.
const wrapDepth = 6

// wrapText is the input of wrap.v.tmpl.
type wrapText struct {
	Version, Top, Inner, Parameters string
	Inputs, Outputs                 []wrapPort
	Drains                          bool
	LogDepth, Half, OccupancyHigh   int // size of the queue after an output, in words
}

type wrapPort struct {
	Name        string
	Width, High int
}

// wrap converts a module with the handshake of X to one with AXI4-Streams. Such a block cannot see that a queue is
// full. If it writes to a full queue, the wrapper stops forever: a deadlock is visible, a lost word is not.
func (m *Module) wrap() error {
	text := wrapText{Version: release.Version, Top: "xopt_wrap_" + m.Top, Inner: m.Top, Parameters: m.parameters(),
		Drains: m.Drains, LogDepth: wrapDepth, Half: 1 << (wrapDepth - 1), OccupancyHigh: wrapDepth + 1}
	m.Top, m.Streams, m.given = text.Top, nil, nil
	for _, p := range m.pulls {
		m.Streams = append(m.Streams, Stream{p.name, p.input, p.width})
		port := wrapPort{p.name, p.width, p.width - 1}
		if p.input {
			text.Inputs = append(text.Inputs, port)
		} else {
			text.Outputs = append(text.Outputs, port)
		}
	}
	verilog, err := fill("wrap.v.tmpl", text)
	if err != nil {
		return err
	}
	fifo, err := library("stream/xopt_fifo.v")
	if err != nil {
		return err
	}
	m.verilog = append(m.verilog, fifo, file{"wrap.v", verilog})
	return nil
}
