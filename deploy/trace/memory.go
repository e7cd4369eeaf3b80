package trace

import (
	"fmt"
	"io"
	"slices"
)

// Memory is a table in memory: a Writer until Finish, and then a Table. The zero value is empty. It is for tests, and
// for traces that are known to be small.
type Memory struct {
	header  Header
	order   order
	streams map[Stream][]Event
	data    map[int32][]byte // elements of edges
}

// Write implements Writer.
func (m *Memory) Write(events []Event) error {
	for i := range events {
		e := &events[i]
		if err := m.order.check(e); err != nil {
			return err
		}
		if m.streams == nil {
			m.streams = make(map[Stream][]Event)
		}
		at := Stream{e.Series, e.Kind}
		m.streams[at] = append(m.streams[at], *e)
	}
	return nil
}

// Finish ends writing. The table can then be read.
func (m *Memory) Finish(h *Header) error {
	for at := range m.streams {
		if err := h.valid(at); err != nil {
			return err
		}
	}
	m.header = *h
	return nil
}

// Header implements Table.
func (m *Memory) Header() *Header { return &m.header }

// Count implements Table.
func (m *Memory) Count(s Stream) uint64 { return uint64(len(m.streams[s])) }

// Open implements Table.
func (m *Memory) Open(streams ...Stream) (Reader, error) {
	if len(streams) == 0 {
		streams = all(m.header.Series)
	}
	var list []Reader
	for _, s := range streams {
		if err := m.header.valid(s); err != nil {
			return nil, err
		}
		list = append(list, &memoryReader{m.streams[s]})
	}
	return merge(list), nil
}

// Close implements Table.
func (m *Memory) Close() error { return nil }

// valid returns an error if the table cannot contain the stream.
func (h *Header) valid(s Stream) error {
	if s.Series < 0 || int(s.Series) >= len(h.Series) || !h.Series[s.Series].Has(s.Kind) {
		return fmt.Errorf("%w: %v of series %d of %d", ErrName, s.Kind, s.Series, len(h.Series))
	}
	return nil
}

// validChunk returns an error if a file cannot contain the chunk. A chunk belongs to a stream, or to the elements of
// an edge.
func (h *Header) validChunk(s Stream) error {
	if s.Kind == dataKind {
		s.Kind = Out
	}
	return h.valid(s)
}

type memoryReader struct{ left []Event }

// Read implements Reader.
func (r *memoryReader) Read(events []Event) (int, error) {
	n := copy(events, r.left)
	r.left = r.left[n:]
	if n == 0 && len(events) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Close implements Reader.
func (r *memoryReader) Close() error { return nil }

// ReadAll returns all events of a reader and closes it. It is for tests and small traces.
func ReadAll(r Reader) ([]Event, error) {
	var list []Event
	err := readAll(r, func(events []Event) error {
		list = append(list, events...)
		return nil
	})
	return slices.Clip(list), err
}
