package trace

import (
	"errors"
	"io"
)

// stream is a reader of one stream, with the events that it has read ahead.
type stream struct {
	from  Reader
	ahead []Event // what is left of buf
	buf   []Event
	place int // among the streams that are merged
}

// fill reads on when nothing is ahead; false at the end.
func (s *stream) fill() (bool, error) {
	for len(s.ahead) == 0 {
		n, err := s.from.Read(s.buf)
		s.ahead = s.buf[:n]
		if n == 0 && errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
	}
	return true, nil
}

// newStream reads a stream, so many events at a time.
func newStream(from Reader, events, place int) *stream {
	return &stream{from: from, buf: make([]Event, events), place: place}
}

// next is the next event, until next is called again; nil at the end.
func (s *stream) next() (*Event, error) {
	if more, err := s.fill(); !more {
		return nil, err
	}
	e := &s.ahead[0]
	s.ahead = s.ahead[1:]
	return e, nil
}
