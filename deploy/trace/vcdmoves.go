package trace

import (
	"errors"
	"io"
	"math"
	"strconv"

	"xopt/internal/safetext"
)

// changes reads the value changes.
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
			} // ignore other keywords, such as $dumpvars, which enclose changes
		default:
			return r.wrong("%q is not a value change", safetext.Cut(string(r.word), 40))
		}
		if errors.Is(err, io.EOF) {
			return r.wrong("the dump is incomplete: it ends within a value change")
		}
		if err != nil {
			return err
		}
	}
}

// vcdValue is the new value of a signal.
type vcdValue struct {
	signal int
	value  bool
}

// change records the new value of a signal at the current time. The last value counts.
func (r *vcdReader) change(signal int, value bool) {
	if at := r.changed[signal]; at > 0 {
		r.next[at-1].value = value
		return
	}
	r.next = append(r.next, vcdValue{signal, value})
	r.changed[signal] = len(r.next)
}

// time parses a time stamp. If the new time is later than the current time, it first applies all changes of the current
// time.
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
		return r.wrong("the time %s is before the previous time", text)
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

// step applies all changes of one time. Streams move according to the values before these changes.
func (r *vcdReader) step() error {
	if len(r.next) == 0 {
		return nil
	}
	for _, x := range r.next {
		if x.value && !r.value[x.signal] {
			r.rise(x.signal)
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

// rise handles a rising edge of a signal, which may be a clock.
func (r *vcdReader) rise(signal int) {
	if before := r.rose[signal]; before >= 0 && (r.period[signal] == 0 || r.now-before < r.period[signal]) {
		r.period[signal] = r.now - before
	}
	r.rose[signal] = r.now
}

// edge handles a rising clock edge of a stream.
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
