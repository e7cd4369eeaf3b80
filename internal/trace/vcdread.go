package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"xopt/internal/safetext"
)

// A value change dump (IEEE 1364-2005 §18) of AXI streams becomes events. In each scope, signals
// s_axis_<port>_tvalid and _tready are an input, m_axis_<port>_… an output, and any other <port>_valid and
// <port>_ready (or _tvalid and _tready) both; tp_<name> is a testpoint. A word moves at a rising edge of the clock
// of the scope, or of one around it, at which valid and ready were high before. Where there is _tlast, the words up
// to it are an element, else each is one. An element is available when its valid rises, or at once when valid stays
// high; it is taken with its first word, and sent with its last.

// isVCD reports whether a file begins as a dump does: with a keyword of its header.
func isVCD(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	for _, word := range []string{"$date", "$version", "$timescale", "$scope", "$comment", "$var"} {
		if bytes.HasPrefix(head, []byte(word)) {
			return true
		}
	}
	return false
}

// vcdSide is what a stream is to its module.
type vcdSide uint8

const (
	vcdBoth vcdSide = iota
	vcdInput
	vcdOutput
)

// vcdStream is a stream, or a testpoint, of a scope.
type vcdStream struct {
	scope, name string
	side        vcdSide
	point       bool
	// Signals, by their numbers; -1 for none.
	valid, ready, last, clock int
	series                    int32
	in, out                   uint64 // elements taken, and sent
	inside                    bool   // words of an element have moved
	since                     int64  // when valid rose, or stayed high
}

// vcdReader reads a dump.
type vcdReader struct {
	name    string
	line    int
	in      io.Reader
	buf     []byte // of it, used up to at
	at      int
	word    []byte
	to      Writer
	list    []Event
	unit    float64 // ps of a time unit
	scopes  []string
	ids     map[string]int // number of the signal of an identifier
	clocks  map[string]int // of each scope, the signal of its clock
	streams []*vcdStream   // in the order of the file
	byName  map[string]int // of a scope and name
	of      [][]*vcdStream // of each clock's signal, its streams
	valids  [][]*vcdStream // of each signal, the streams whose valid it is
	value   []bool         // of each signal
	next    []vcdValue     // what changes at this time
	changed []int          // of each signal, its place there plus one; 0 for none
	series  seriesList
	now     int64
}

// maxSignals bounds the signals of a dump that are looked at.
const maxSignals = 1 << 20

// readVCD passes what streams of a dump do to a writer.
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
	return &Header{Origin: "measured elsewhere: " + name, Series: r.series.list,
		Seconds: float64(r.now) / PerSecond}, nil
}

func (r *vcdReader) wrong(format string, args ...any) error {
	return fmt.Errorf("%s:%d: "+format, append([]any{r.name, r.line}, args...)...)
}

// longestWord bounds a word of a dump; a value of a vector may be long.
const longestWord = 1 << 20

// more reads on when the buffer is used up; false at the end.
func (r *vcdReader) more() (bool, error) {
	n, err := r.in.Read(r.buf[:cap(r.buf)])
	r.buf, r.at = r.buf[:n], 0
	switch {
	case n > 0:
		return true, nil
	case errors.Is(err, io.EOF):
		return false, nil
	case err == nil:
		err = io.ErrNoProgress
	}
	return false, fmt.Errorf("reading %s: %w", r.name, err)
}

// read reads the next word.
func (r *vcdReader) read() error {
	r.word = r.word[:0]
	for {
		if r.at == len(r.buf) {
			any, err := r.more()
			switch {
			case err != nil:
				return err
			case !any && len(r.word) > 0:
				return nil
			case !any:
				return io.EOF
			}
		}
		if len(r.word) == 0 {
			for r.at < len(r.buf) && r.buf[r.at] <= ' ' {
				if r.buf[r.at] == '\n' {
					r.line++
				}
				r.at++
			}
		}
		from := r.at
		for r.at < len(r.buf) && r.buf[r.at] > ' ' {
			r.at++
		}
		if r.word = append(r.word, r.buf[from:r.at]...); len(r.word) > longestWord {
			return r.wrong("a word is longer than %d bytes: is this a dump?", longestWord)
		}
		if len(r.word) > 0 && r.at < len(r.buf) {
			return nil
		}
	}
}

// section reads the words up to $end.
func (r *vcdReader) section(most int) ([]string, error) {
	var list []string
	for {
		err := r.read()
		if errors.Is(err, io.EOF) {
			return nil, r.wrong("the dump is cut short: a section has no $end")
		}
		if err != nil {
			return nil, err
		}
		if string(r.word) == "$end" {
			return list, nil
		}
		if len(list) < most {
			list = append(list, string(r.word))
		}
	}
}

// header reads up to $enddefinitions.
func (r *vcdReader) header() error {
	for {
		err := r.read()
		if errors.Is(err, io.EOF) {
			return r.wrong("the dump is cut short: it has no $enddefinitions")
		}
		if err != nil {
			return err
		}
		keyword := string(r.word)
		if !strings.HasPrefix(keyword, "$") {
			return r.wrong("%q is no keyword of the header of a dump", safetext.Cut(keyword, 40))
		}
		words, err := r.section(8)
		if err != nil {
			return err
		}
		switch keyword {
		case "$timescale":
			err = r.timescale(strings.Join(words, ""))
		case "$scope":
			if len(words) < 2 {
				return r.wrong("a $scope has no name")
			}
			r.scopes = append(r.scopes, words[1])
		case "$upscope":
			if len(r.scopes) == 0 {
				return r.wrong("a $upscope closes no $scope")
			}
			r.scopes = r.scopes[:len(r.scopes)-1]
		case "$var":
			err = r.declare(words)
		case "$enddefinitions":
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// timescale reads how long a unit of time is.
func (r *vcdReader) timescale(text string) error {
	digits := strings.TrimRight(text, "smunpf")
	n, err := strconv.ParseUint(digits, 10, 16)
	ps, ok := map[string]float64{"s": 1e12, "ms": 1e9, "us": 1e6, "ns": 1e3, "ps": 1, "fs": 1e-3}[text[len(digits):]]
	if err != nil || !ok || n == 0 {
		return r.wrong("the timescale %q is none: want 1, 10 or 100 of s, ms, us, ns, ps or fs", safetext.Cut(text, 40))
	}
	r.unit = float64(n) * ps
	return nil
}

// declare takes a $var: type, width, identifier, name.
func (r *vcdReader) declare(words []string) error {
	if len(words) < 4 {
		return r.wrong("a $var has %d words, want type, width, identifier and name", len(words))
	}
	if words[1] != "1" {
		return nil
	}
	scope, name := strings.Join(r.scopes, "."), words[3]
	number := func() (int, error) {
		n, ok := r.ids[words[2]]
		if !ok {
			if n = len(r.ids); n == maxSignals {
				return 0, r.wrong("there are more than %d streams and clocks", maxSignals)
			}
			r.ids[words[2]] = n
		}
		return n, nil
	}
	switch strings.ToLower(name) {
	case "clk", "aclk", "clock", "clk_i", "i_clk":
		n, err := number()
		if _, ok := r.clocks[scope]; err == nil && !ok {
			r.clocks[scope] = n
		}
		return err
	}
	if point, ok := strings.CutPrefix(name, "tp_"); ok && point != "" {
		n, err := number()
		s := r.stream(scope, point, vcdBoth, true)
		s.valid = n
		return err
	}
	base, end, ok := cutStream(name)
	if !ok {
		return nil
	}
	n, err := number()
	if err != nil {
		return err
	}
	side := vcdBoth
	if rest, ok := strings.CutPrefix(base, "s_axis_"); ok && rest != "" {
		base, side = rest, vcdInput
	} else if rest, ok := strings.CutPrefix(base, "m_axis_"); ok && rest != "" {
		base, side = rest, vcdOutput
	}
	s := r.stream(scope, base, side, false)
	switch end {
	case "valid":
		s.valid = n
	case "ready":
		s.ready = n
	default:
		s.last = n
	}
	return nil
}

// cutStream cuts the name of a signal of a stream into the stream's name and what the signal is.
func cutStream(name string) (base, end string, ok bool) {
	for _, end := range []string{"valid", "ready", "last"} {
		for _, t := range []string{"_t", "_"} {
			if base, ok := strings.CutSuffix(name, t+end); ok && base != "" {
				return base, end, true
			}
		}
	}
	return "", "", false
}

// stream is the stream of a name in a scope.
func (r *vcdReader) stream(scope, name string, side vcdSide, point bool) *vcdStream {
	key := fmt.Sprintf("%s\x00%s\x00%d%v", scope, name, side, point)
	i, ok := r.byName[key]
	if !ok {
		i = len(r.streams)
		r.byName[key] = i
		r.streams = append(r.streams, &vcdStream{scope: scope, name: name, side: side, point: point, valid: -1,
			ready: -1, last: -1, clock: -1})
	}
	return r.streams[i]
}

// clockOf is the clock of a scope, or of one around it; -1 for none.
func (r *vcdReader) clockOf(scope string) int {
	for {
		if n, ok := r.clocks[scope]; ok {
			return n
		}
		dot := strings.LastIndexByte(scope, '.')
		if dot < 0 {
			return -1
		}
		scope = scope[:dot]
	}
}

// connect gives each stream its clock and series.
func (r *vcdReader) connect() error {
	r.of, r.valids = make([][]*vcdStream, len(r.ids)), make([][]*vcdStream, len(r.ids))
	r.value, r.changed = make([]bool, len(r.ids)), make([]int, len(r.ids))
	found := false
	for _, s := range r.streams {
		if s.valid < 0 || !s.point && s.ready < 0 {
			continue // half of a stream
		}
		if s.clock = r.clockOf(s.scope); s.clock < 0 {
			return r.wrong("%s.%s is a stream without a clock: want a signal clk, aclk or clock in its scope or "+
				"around it", safetext.Line(s.scope), safetext.Line(s.name))
		}
		p := Port{s.scope, s.name}
		if p.Kernel == "" {
			p.Kernel = "top"
		}
		kinds, edge := []Kind{In}, ""
		switch {
		case s.point:
			kinds = []Kind{Point}
		case s.side == vcdOutput:
			kinds = []Kind{Out}
		case s.side == vcdBoth:
			kinds, edge = []Kind{Out, In}, p.String()
		}
		for _, k := range kinds {
			at, err := r.series.add(edge, p, k)
			if err != nil {
				return r.wrong("%w", err)
			}
			s.series = at
		}
		found = true
		r.of[s.clock] = append(r.of[s.clock], s)
		r.valids[s.valid] = append(r.valids[s.valid], s)
	}
	if !found {
		return r.wrong("the dump has no streams: want signals s_axis_<port>_tvalid and _tready of an input, m_axis_… " +
			"of an output, or <port>_valid and <port>_ready, of 1 bit")
	}
	return nil
}

// changes reads the values.
func (r *vcdReader) changes() error {
	for {
		err := r.read()
		if errors.Is(err, io.EOF) {
			return r.step()
		}
		if err != nil {
			return err
		}
		switch c := r.word[0]; c {
		case '#':
			if err := r.time(string(r.word[1:])); err != nil {
				return err
			}
		case '0', '1', 'x', 'X', 'z', 'Z':
			if n, ok := r.ids[string(r.word[1:])]; ok {
				r.change(n, c == '1')
			}
		case 'b', 'B', 'r', 'R', 's':
			err = r.read() // the identifier
		case '$':
			if word := string(r.word); word == "$comment" {
				_, err = r.section(0)
			} // $dumpvars and others stand around changes
		default:
			return r.wrong("%q is no change of a value", safetext.Cut(string(r.word), 40))
		}
		if errors.Is(err, io.EOF) {
			return r.wrong("the dump is cut short in a change of a value")
		}
		if err != nil {
			return err
		}
	}
}

// vcdValue is what a signal becomes.
type vcdValue struct {
	signal int
	value  bool
}

// change notes what a signal becomes at this time; the last counts.
func (r *vcdReader) change(signal int, value bool) {
	if at := r.changed[signal]; at > 0 {
		r.next[at-1].value = value
		return
	}
	r.next = append(r.next, vcdValue{signal, value})
	r.changed[signal] = len(r.next)
}

// time ends what happened at a time, and goes on to another.
func (r *vcdReader) time(text string) error {
	units, err := strconv.ParseUint(text, 10, 64)
	ps := math.Round(float64(units) * r.unit)
	if err != nil || ps >= math.MaxInt64 {
		return r.wrong("the time %q is not a number of units, or later than %d days", safetext.Cut(text, 40),
			int64(Longest/86400))
	}
	at := int64(ps)
	if r.unit == math.Trunc(r.unit) && units < 1<<53 {
		at = int64(units) * int64(r.unit)
	}
	if at < r.now {
		return r.wrong("the time %s goes back", text)
	}
	if at == r.now {
		return nil
	}
	if err := r.step(); err != nil {
		return err
	}
	r.now = at
	return nil
}

// step takes over what changed at one time. Streams move by what they were before it.
func (r *vcdReader) step() error {
	if len(r.next) == 0 {
		return nil
	}
	for _, x := range r.next {
		if x.value && !r.value[x.signal] {
			for _, s := range r.of[x.signal] { // its clock rises
				if err := r.edge(s); err != nil {
					return err
				}
			}
		}
	}
	for _, x := range r.next {
		if x.value && !r.value[x.signal] {
			for _, s := range r.valids[x.signal] {
				s.since = r.now
			}
		}
		r.value[x.signal], r.changed[x.signal] = x.value, 0
	}
	r.next = r.next[:0]
	return nil
}

// edge is a rising edge of the clock of a stream.
func (r *vcdReader) edge(s *vcdStream) error {
	switch {
	case s.point && r.value[s.valid]:
		s.out++
		return r.event(s, Point, s.out-1, r.now)
	case s.point || !r.value[s.valid] || !r.value[s.ready]:
		return nil
	}
	if !s.inside && s.side != vcdOutput {
		s.in++
		if err := errors.Join(r.event(s, Available, s.in-1, s.since), r.event(s, In, s.in-1, r.now)); err != nil {
			return err
		}
	}
	s.since = r.now
	if s.inside = s.last >= 0 && !r.value[s.last]; s.inside || s.side == vcdInput {
		return nil
	}
	s.out++
	return r.event(s, Out, s.out-1, r.now)
}

func (r *vcdReader) event(s *vcdStream, kind Kind, index uint64, at int64) error {
	r.list = append(r.list, Event{Time: at, Index: index, Series: s.series, Kind: kind})
	if len(r.list) < readAhead {
		return nil
	}
	return r.flush()
}

func (r *vcdReader) flush() error {
	list := r.list
	r.list = r.list[:0]
	if err := r.to.Write(list); err != nil {
		return r.wrong("%w", err)
	}
	return nil
}
