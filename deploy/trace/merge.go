package trace

import (
	"errors"
	"io"
	"slices"
)

// merged merges the events of several streams in the order of time.
type merged struct {
	heads heads
	all   []*Cursor
	begun bool
}

// head is the next event of a stream: its time, and the index of the stream.
type head struct {
	time  int64
	place int
}

func (a head) before(b head) bool { return a.time < b.time || a.time == b.time && a.place < b.place }

// heads is a heap of the next events of streams, with the earliest at its root. container/heap takes three times as
// long, because it calls through an interface for each comparison.
type heads []head

// down restores the heap order if only the entry at i may be too late.
func (h heads) down(i int) {
	x := h[i]
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1].before(h[child]) {
			child++
		}
		if !h[child].before(x) {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = x
}

// Numbers of events to read at once. A single reader uses readAhead. A merge divides mergeAhead among its streams, with
// at least minAhead and at most readAhead for each stream.
const (
	readAhead  = 4096
	mergeAhead = 1 << 17
	minAhead   = 32
)

// merge reads several streams as one.
func merge(list []Reader) Reader {
	if len(list) == 1 {
		return list[0]
	}
	m := new(merged)
	each := min(max(mergeAhead/max(len(list), 1), minAhead), readAhead)
	for i, r := range list {
		m.all = append(m.all, newCursor(r, each, i))
	}
	return m
}

func (m *merged) start() error {
	m.begun = true
	for _, s := range m.all {
		more, err := s.fill()
		if err != nil {
			return err
		}
		if more {
			m.heads = append(m.heads, head{s.ahead[0].Time, s.place})
		}
	}
	for i := len(m.heads)/2 - 1; i >= 0; i-- {
		m.heads.down(i)
	}
	return nil
}

// Read implements Reader.
func (m *merged) Read(events []Event) (int, error) {
	if !m.begun {
		if err := m.start(); err != nil {
			return 0, err
		}
	}
	n := 0
	for n < len(events) && len(m.heads) > 0 {
		count, err := m.next(events[n:])
		if n += count; err != nil {
			return n, err
		}
	}
	if n == 0 && len(events) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// next returns events of the stream with the earliest event, as long as this stream remains the earliest. Consecutive
// events often belong to one stream, so next reorders the heap only once for these events.
func (m *merged) next(events []Event) (int, error) {
	s := m.all[m.heads[0].place]
	limit := m.limit()
	n := 0
	for n < len(events) && n < len(s.ahead) {
		e := &s.ahead[n]
		if n > 0 && limit.before(head{e.Time, s.place}) {
			break
		}
		events[n] = *e
		n++
	}
	s.ahead = s.ahead[n:]
	more, err := s.fill()
	if err != nil {
		return n, err
	}
	if more {
		m.heads[0].time = s.ahead[0].Time
	} else {
		m.heads[0] = m.heads[len(m.heads)-1]
		m.heads = m.heads[:len(m.heads)-1]
	}
	if len(m.heads) > 0 {
		m.heads.down(0)
	}
	return n, nil
}

// limit returns the earliest event of all streams except the first stream of the heap.
func (m *merged) limit() head {
	second := head{1<<63 - 1, len(m.all)}
	for i := 1; i < min(3, len(m.heads)); i++ {
		if m.heads[i].before(second) {
			second = m.heads[i]
		}
	}
	return second
}

// Close implements Reader.
func (m *merged) Close() error {
	var list []error
	for _, s := range m.all {
		list = append(list, s.from.Close())
	}
	return errors.Join(list...)
}

// Cursor iterates over the events of a reader.
type Cursor struct {
	from  Reader
	ahead []Event // unread part of buf
	buf   []Event
	place int // index among the merged cursors
}

// NewCursor returns a cursor before the next event of a reader. The creator of the reader closes it.
func NewCursor(from Reader) *Cursor { return newCursor(from, readAhead, 0) }

// newCursor returns a cursor that reads the given number of events at a time.
func newCursor(from Reader, events, place int) *Cursor {
	return &Cursor{from: from, buf: make([]Event, events), place: place}
}

// fill reads more events if ahead is empty; false at the end.
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

// Next returns the next event, which is valid until the next call; nil at the end.
func (c *Cursor) Next() (*Event, error) {
	if more, err := c.fill(); !more {
		return nil, err
	}
	e := &c.ahead[0]
	c.ahead = c.ahead[1:]
	return e, nil
}

// Copy writes a table and its elements to a file in this package's format.
func Copy(path string, t Table) error {
	w, err := Create(path)
	if err != nil {
		return err
	}
	r, err := t.Open()
	if err != nil {
		return errors.Join(err, w.Abort())
	}
	if err := readAll(r, w.Write); err != nil {
		return errors.Join(err, w.Abort())
	}
	for i := range t.Header().Series {
		if err := copyData(w, t, int32(i)); err != nil {
			return errors.Join(err, w.Abort())
		}
	}
	h := *t.Header()
	h.Frequency = 0 // readers return ps
	return errors.Join(w.Finish(&h), w.Abort())
}

// copyData copies the elements of an edge that the table contains.
func copyData(w *FileWriter, t Table, series int32) error {
	r, _, err := elementsOf(t, series)
	if r == nil {
		return err
	}
	return errors.Join(w.Data(series, r), r.Close())
}

// readAll passes all events of a reader to a function in batches, and closes the reader.
func readAll(r Reader, received func([]Event) error) error {
	buf := make([]Event, readAhead)
	for {
		n, err := r.Read(buf)
		if lost := received(buf[:n]); lost != nil {
			return errors.Join(lost, r.Close())
		}
		if errors.Is(err, io.EOF) {
			return r.Close()
		}
		if err != nil {
			return errors.Join(err, r.Close())
		}
	}
}

// ReadAll returns all events of a reader and closes it. It is for tests and small traces.
func ReadAll(r Reader) ([]Event, error) {
	var list []Event
	err := readAll(r, func(events []Event) error {
		list = append(list, events...)
		return nil
	})
	return slices.Clip(list), err
}
