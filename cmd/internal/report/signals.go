package report

import (
	"fmt"
	"strings"

	"xopt/deploy/xsim"
	"xopt/internal/units"
)

// maxSignals is the maximum number of listed signals per block.
const maxSignals = 200

// Signals lists the state machines, streams and other signals that xopt found in FPGA sources.
func Signals(list []xsim.KernelSignals) []Part {
	machines := &Table{ID: "state-machines", Title: "State machines found in the sources, without annotations; " +
		"deploy and calibrate count the cycles in each state", Columns: []Column{name("block"), name("on"),
		name("register"), name("at").about("place of declaration"), number("bits"), number("states"),
		name("names and codes").fold(anyLength)}}
	streams := &Table{ID: "streams", Title: "Streams found in the sources: deploy and calibrate count the cycles " +
		"with transfers and with waits", Columns: []Column{name("block"), name("on"), name("stream"),
		name("direction"), number("bits")}}
	signals := &Table{ID: "signals", Title: "Signals found in the sources: deploy --measure 'measure util at " +
		"KERNEL:SIGNAL' measures them", Columns: []Column{name("block"), name("on"), name("signal"),
		name("at").about("place of declaration"), number("bits"), name("").spare(1)}}
	var none, more []string
	for i := range list {
		x := &list[i]
		for _, s := range x.Streams {
			direction := "out"
			if s.Input {
				direction = "in"
			}
			streams.add(text(x.Block), text(x.Platform), text(s.Name), text(direction), integer(s.Width))
		}
		shown := units.Shown(len(x.Signals), maxSignals)
		if n := len(x.Signals) - shown; n > 0 {
			more = append(more, fmt.Sprintf("%d more signals of %s", n, x.Block))
		}
		for _, s := range x.Signals[:shown] {
			at, bits, about := "-", integer(s.Width), s.Port
			if s.File != "" {
				at = fmt.Sprintf("%s:%d", s.File, s.Line)
			}
			if s.Width == 0 {
				bits, about = dash(), "a memory or structure, not measured"
			}
			signals.add(text(x.Block), text(x.Platform), text(s.Path), text(at), bits, text(about))
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
			machines.add(text(x.Block), text(x.Platform), text(m.Path), text(at), integer(m.Width),
				integer(len(m.States)),
				text(strings.Join(states, ", ")))
		}
		if len(x.Machines) == 0 {
			none = append(none, x.Block)
		}
	}
	if len(more) > 0 {
		signals.Note = "(" + strings.Join(more, ", ") + ")"
	}
	parts := tableParts(machines, streams, signals)
	if len(none) > 0 {
		parts = append(parts, Part{Text: "No state machine was found in " + strings.Join(none, ", ") + "."})
	}
	return parts
}
