package view

import (
	"fmt"
	"strings"

	"xopt/internal/rtl"
)

// KernelSignals is what was found in a source for FPGAs.
type KernelSignals struct {
	Block, Platform string
	Streams         []rtl.Stream
	Machines        []rtl.Machine
}

// Signals are the state machines and streams that were found in the sources for FPGAs.
func Signals(list []KernelSignals) []Part {
	machines := &Table{ID: "state-machines", Title: "State machines: found in the sources, without help from them; " +
		"deploy and calibrate count the cycles in each state", Columns: []Column{name("block"), name("on"),
		name("register"), name("at").about("where it is declared"), number("bits"), number("states"),
		name("names and codes").fold(anyLength)}}
	streams := &Table{ID: "streams", Title: "Streams of the same sources: deploy and calibrate count the cycles in " +
		"which words move there, or wait", Columns: []Column{name("block"), name("on"), name("stream"),
		name("direction"), number("bits")}}
	var none []string
	for i := range list {
		x := &list[i]
		for _, s := range x.Streams {
			direction := "out"
			if s.Input {
				direction = "in"
			}
			streams.add(text(x.Block), text(x.Platform), text(s.Name), text(direction), whole(s.Width))
		}
		for j := range x.Machines {
			m := &x.Machines[j]
			var states []string
			for k := range m.States {
				label := m.Text(&m.States[k])
				if name := m.States[k].Name; name != "" {
					label = name + " " + label
				}
				states = append(states, label)
			}
			at := "-"
			if m.File != "" {
				at = fmt.Sprintf("%s:%d", m.File, m.Line)
			}
			machines.add(text(x.Block), text(x.Platform), text(m.Path), text(at), whole(m.Width), whole(len(m.States)),
				text(strings.Join(states, ", ")))
		}
		if len(x.Machines) == 0 {
			none = append(none, x.Block)
		}
	}
	parts := tableParts(machines, streams)
	if len(none) > 0 {
		parts = append(parts, Part{Text: "No state machine was found in " + strings.Join(none, ", ") + "."})
	}
	return parts
}
