package trace

import (
	"errors"
	"io"
)

// Cursor gives the events of a reader one by one.
type Cursor struct {
	from  Reader
	ahead []Event // what is left of buf
	buf   []Event
	place int // among the cursors that are merged
}

// NewCursor stands before the next event of a reader. Who made the reader closes it.
func NewCursor(from Reader) *Cursor { return newCursor(from, readAhead, 0) }

// newCursor reads so many events at a time.
func newCursor(from Reader, events, place int) *Cursor {
	return &Cursor{from: from, buf: make([]Event, events), place: place}
}

// fill reads on when nothing is ahead; false at the end.
func (c *Cursor) fill() (bool, error) {
	for len(c.ahead) == 0 {
		n, err := c.from.Read(c.buf)
		c.ahead = c.buf[:n]
		if n == 0 && errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
	}
	return true, nil
}

// Next is the next event, until Next is called again; nil at the end.
func (c *Cursor) Next() (*Event, error) {
	if more, err := c.fill(); !more {
		return nil, err
	}
	e := &c.ahead[0]
	c.ahead = c.ahead[1:]
	return e, nil
}
