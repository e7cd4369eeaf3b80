package rtl

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"xopt/hdl/faults"
)

// streamPorts contains the ports found for a stream: the width of its data, and whether valid and ready exist with the
// right directions.
type streamPorts struct {
	name         string // including the prefix s_axis_ or m_axis_
	data         int
	valid, ready bool
}

// portList collects the ports of a module.
type portList struct {
	clk, rst bool
	streams  []*streamPorts // in the order of their ports
	pulls    map[string]*pull
}

// add adds a port if it belongs to a stream.
func (l *portList) add(name, dir string, width int) {
	l.clk, l.rst = l.clk || name == "clk" && dir == "input", l.rst || name == "rst" && dir == "input"
	addPull(l.pulls, name, dir, width)
	side, rest, ok := cutSide(name)
	at := strings.LastIndex(rest, "_t")
	if !ok || at <= 0 || dir == "" {
		return
	}
	stream, suffix := side+rest[:at], rest[at+1:]
	i := slices.IndexFunc(l.streams, func(s *streamPorts) bool { return s.name == stream })
	if i < 0 {
		i, l.streams = len(l.streams), append(l.streams, &streamPorts{name: stream})
	}
	forward := "input"
	if side == "m_axis_" {
		forward = "output"
	}
	switch s := l.streams[i]; {
	case suffix == "tdata" && dir == forward:
		s.data = width
	case suffix == "tvalid" && dir == forward:
		s.valid = true
	case suffix == "tready" && dir != forward:
		s.ready = true
	}
}

// setPorts sets the streams and parameters of the module according to its syntax tree.
func (m *Module) setPorts(d *designTree) error {
	l := portList{pulls: make(map[string]*pull)}
	m.Streams, m.Parameters, m.Drains, m.pulls, m.Points = nil, nil, false, nil, nil
	for _, x := range d.modules {
		if x.attr["topModule"] != "1" {
			continue
		}
		for _, v := range x.kids {
			if v.tag != "var" {
				continue
			}
			name, dir, width := v.attr["name"], v.attr["dir"], d.width(v.attr["dtype_id"])
			if v.attr["param"] == "true" {
				m.Parameters = append(m.Parameters, name)
			}
			m.Drains = m.Drains || name == "drain" && dir == "input" && width == 1
			if point, ok := strings.CutPrefix(name, "tp_"); ok && dir == "output" && width == 1 {
				m.Points = append(m.Points, point)
			}
			l.add(name, dir, width)
		}
	}
	return m.check(&l)
}

// check keeps complete streams and reports incomplete streams.
func (m *Module) check(l *portList) error {
	var errs []error
	if !l.clk || !l.rst {
		errs = append(errs, faults.NoClockPorts.Errorf("module %s needs the inputs clk and rst", m.Top))
	}
	for _, s := range l.streams {
		side, name, _ := cutSide(s.name)
		switch {
		case s.data == 0 || !s.valid || !s.ready:
			errs = append(errs, faults.StreamIncomplete.Errorf("stream %[1]s of module %[2]s is incomplete: expected "+
				"%[1]s_tdata, %[1]s_tvalid and %[1]s_tready with AXI stream directions", s.name, m.Top))
		case s.data%8 != 0:
			errs = append(errs, faults.WrongPortWidth.Errorf("%s_tdata of module %s has %d bits, expected a "+
				"multiple of 8", s.name, m.Top, s.data))
		default:
			m.Streams = append(m.Streams, Stream{name, side == "s_axis_", s.data})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.pulls)) {
		x := l.pulls[name]
		switch {
		case len(l.streams) > 0 || !x.isComplete():
		case x.width%8 != 0:
			errs = append(errs, faults.WrongPortWidth.Errorf("port %s of module %s has %d bits, expected a "+
				"multiple of 8", x.name, m.Top, x.width))
		default:
			m.pulls = append(m.pulls, *x)
		}
	}
	if len(l.streams) == 0 && len(m.pulls) == 0 && len(errs) == 0 {
		errs = append(errs, faults.NoStream.Errorf("module %s has no stream: expected s_axis_<port>_tdata, _tvalid, "+
			"_tready for an input and m_axis_<port>_… for an output", m.Top))
	}
	return errors.Join(errs...)
}

func cutSide(name string) (side, rest string, ok bool) {
	for _, side := range []string{"s_axis_", "m_axis_"} {
		if rest, ok := strings.CutPrefix(name, side); ok {
			return side, rest, true
		}
	}
	return "", "", false
}
