package trace

import (
	"fmt"
	"strings"

	"xopt/internal/safetext"
)

// seriesList finds the series of a foreign trace by the names of edges and ports, and adds new series.
type seriesList struct {
	list   []Series
	byName map[string]int32 // keyed by the arguments of find
	edges  map[string]int32
	key    []byte
}

// maxSeries is the maximum number of series in a foreign trace.
const maxSeries = 1 << 20

// find returns the series of an event at a port. The port name contains its kernel ("top.sum.x0"), unless kernel is
// given separately. A named edge connects the ports at its two ends. If the edge has no name, each port has its own
// series.
func (l *seriesList) find(edge, kernel, port []byte, kind Kind) (int32, error) {
	l.key = append(append(append(append(append(l.key[:0], edge...), 0), kernel...), 0), port...)
	l.key = append(l.key, byte(kind))
	if at, ok := l.byName[string(l.key)]; ok {
		return at, nil
	}
	p := Port{string(kernel), string(port)}
	if p.Kernel == "" {
		dot := strings.LastIndexByte(p.Name, '.')
		if dot <= 0 || dot == len(p.Name)-1 {
			return 0, fmt.Errorf("the port %q is not KERNEL.PORT: use the full name of the port, or add a "+
				"column kernel", safetext.Cut(p.Name, 60))
		}
		p = Port{p.Name[:dot], p.Name[dot+1:]}
	}
	if p.Name == "" {
		return 0, fmt.Errorf("the event has no port")
	}
	at, err := l.add(string(edge), p, kind)
	if err != nil {
		return 0, err
	}
	l.byName[string(l.key)] = at
	return at, nil
}

// add finds or creates a series by its edge and the port of one of its ends.
func (l *seriesList) add(edge string, p Port, kind Kind) (int32, error) {
	if l.byName == nil {
		l.byName, l.edges = make(map[string]int32), make(map[string]int32)
	}
	name := edge
	switch {
	case kind == Point:
		name = "point " + p.String()
	case edge == "" && kind == Out:
		name = "from " + p.String()
	case edge == "":
		name = "to " + p.String()
	default:
		name = "edge " + edge
	}
	at, ok := l.edges[name]
	if !ok {
		if len(l.list) == maxSeries {
			return 0, fmt.Errorf("the trace has more than %d ports", maxSeries)
		}
		at = int32(len(l.list))
		l.edges[name] = at
		l.list = append(l.list, Series{Name: edge})
		if edge == "" || kind == Point {
			l.list[at].Name = p.String()
		}
	}
	s := &l.list[at]
	upper := &s.To
	switch kind {
	case Point:
		upper = &s.Point
	case Out:
		upper = &s.From
	}
	if *upper != (Port{}) && *upper != p {
		return 0, fmt.Errorf("edge %s has two different ports at one end, %s and %s", safetext.Line(edge),
			safetext.Line(upper.String()),
			safetext.Line(p.String()))
	}
	*upper = p
	return at, nil
}

// size records the bytes of an element, and the place that first states them.
func (l *seriesList) size(at int32, bytes uint64, file string, line int) {
	switch s := &l.list[at]; {
	case bytes == 0 || s.IsPoint() || bytes == s.Bytes:
	case s.Bytes == 0:
		s.Bytes, s.BytesAt = bytes, fmt.Sprintf("%s:%d", file, line)
	case s.OtherBytes == 0:
		s.OtherBytes, s.OtherBytesAt = bytes, fmt.Sprintf("%s:%d", file, line)
	}
}
