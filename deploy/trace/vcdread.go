package trace

import (
	"bytes"
	"fmt"
	"io"
)

// xopt converts a value change dump (IEEE 1364-2005 §18) of AXI streams to events. The signals s_axis_<port>_tvalid and
// _tready of a scope form an input, and m_axis_<port>_… form an output. Any other <port>_valid and <port>_ready (or
// _tvalid and _tready) form an input and an output. tp_<name> is a testpoint. The clock is in the scope or an enclosing
// scope. A word moves at a rising clock edge if valid and ready were high before. The words up to _tlast form an
// element. If there is no _tlast, each word is an element. An element is available when its valid rises, or at once if
// valid stays high. An element is consumed with its first word and sent with its last word.

// isVCD reports whether a file starts with a keyword of a dump header.
func isVCD(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	for _, word := range []string{"$date", "$version", "$timescale", "$scope", "$comment", "$var"} {
		if bytes.HasPrefix(head, []byte(word)) {
			return true
		}
	}
	return false
}

// vcdSide is the role of a stream at its module.
type vcdSide uint8

const (
	vcdBoth vcdSide = iota
	vcdInput
	vcdOutput
)

// vcdStream is a stream or a testpoint of a scope.
type vcdStream struct {
	scope, name string
	side        vcdSide
	point       bool
	// Indices of signals; -1 for none.
	valid, ready, last, clock int
	series                    int32
	in, out                   uint64 // elements consumed and sent
	inside                    bool   // some but not all words of an element have moved
	since                     int64  // time from which valid has been high
}

// vcdReader reads a dump.
type vcdReader struct {
	name    string
	line    int
	in      io.Reader
	buf     []byte // buffer, used up to at
	at      int
	word    []byte
	to      Writer
	list    []Event
	unit    float64 // ps per time unit
	scopes  []string
	ids     map[string]int // signal index by identifier
	clocks  map[string]int // by scope: the signal of its clock
	streams []*vcdStream   // in the order of the file
	byName  map[string]int // by scope and name
	of      [][]*vcdStream // by signal: the streams with this clock
	valids  [][]*vcdStream // by signal: the streams with this valid
	value   []bool         // value of each signal
	rose    []int64        // by clock signal: time of the last rising edge; -1 for none
	period  []int64        // shortest time between two rising edges; 0 if unknown
	next    []vcdValue     // changes at the current time
	changed []int          // by signal: its index in next, plus 1; 0 for none
	series  seriesList
	now     int64
}

// maxSignals is the maximum number of signals in a dump.
const maxSignals = 1 << 20

// readVCD writes the events of the streams of a dump to a writer.
func readVCD(name string, in io.Reader, to Writer) (*Header, error) {
	r := &vcdReader{name: name, line: 1, in: in, buf: make([]byte, 0, 1<<16), to: to, unit: 1000,
		ids: make(map[string]int), clocks: make(map[string]int), byName: make(map[string]int)}
	if err := r.header(); err != nil {
		return nil, err
	}
	if err := r.connect(); err != nil {
		return nil, err
	}
	if err := r.changes(); err != nil {
		return nil, err
	}
	if err := r.flush(); err != nil {
		return nil, err
	}
	h := &Header{Origin: "simulated elsewhere: " + name, Series: r.series.list, Clocks: make(map[string]float64),
		Seconds: float64(r.now) / PerSecond}
	for _, s := range r.streams {
		if s.clock >= 0 {
			h.Clocks[s.kernel()] = float64(r.period[s.clock]) / PerSecond
		}
	}
	return h, nil
}

// kernel returns the kernel of a stream's events: the scope of the stream, or top if it has none.
func (s *vcdStream) kernel() string {
	if s.scope == "" {
		return "top"
	}
	return s.scope
}

func (r *vcdReader) wrong(format string, args ...any) error {
	return fmt.Errorf("%s:%d: "+format, append([]any{r.name, r.line}, args...)...)
}
