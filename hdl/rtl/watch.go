package rtl

import (
	"fmt"
	"slices"

	"xopt/internal/release"
)

// watchText is what watch.v.tmpl is filled with.
type watchText struct {
	Version, Top, Inner, Parameters string
	Streams                         []streamText
	States                          []stateText
	Drains                          bool
}

// Watch is a module with outputs that show state machines of it, for a simulation to count their states. It is the
// module itself where there are none.
func (m *Module) Watch(machines []Machine) (*Module, error) {
	if len(machines) == 0 {
		return m, nil
	}
	text := watchText{Version: release.Version, Top: "xopt_watch_" + m.Top, Inner: m.Top, Parameters: m.parameters(),
		Drains: m.Drains}
	for _, s := range m.Streams {
		text.Streams = append(text.Streams, streamText{Name: s.Name, Input: s.Input, High: s.Width - 1})
	}
	for i := range machines {
		text.States = append(text.States, stateText{fmt.Sprintf("state%d", i), machines[i].Width - 1,
			"kernel." + machines[i].Path})
	}
	verilog, err := fill("watch.v.tmpl", text)
	if err != nil {
		return nil, err
	}
	return &Module{Top: text.Top, Streams: m.Streams, Drains: m.Drains, watched: machines,
		verilog: append(slices.Clip(m.verilog), file{"watch.v", verilog})}, nil
}

// Watched are the state machines that the module shows.
func (m *Module) Watched() []Machine { return m.watched }
