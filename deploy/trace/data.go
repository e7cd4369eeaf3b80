package trace

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// Data is a table that may contain the elements of edges in addition to their times (Gayen 2008 §3.3).
type Data interface {
	// Elements returns the stored elements of an edge, from index 0, in their memory layout, and their size in bytes.
	// It returns nil and 0 if there are none.
	Elements(series int32) (io.ReadCloser, int64, error)
}

// elementsOf returns the elements of an edge, as in [Data]; nil for a table that is not Data.
func elementsOf(t Table, series int32) (io.ReadCloser, int64, error) {
	if d, ok := t.(Data); ok {
		return d.Elements(series)
	}
	return nil, 0, nil
}

// StoredBytes returns the number of element bytes that a table stores for an edge.
func StoredBytes(t Table, series int32) (int64, error) {
	r, n, err := elementsOf(t, series)
	if r != nil {
		err = errors.Join(err, r.Close())
	}
	return n, err
}

// dataKind is the kind of a file chunk with elements. No event has this kind. The index of such a chunk is its offset
// in the bytes of its edge, and its number of events is 1.
const dataKind Kind = 64

// dataBytes is the number of bytes of an edge in a chunk.
const dataBytes = 256 << 10

// Data stores elements of an edge, in their memory layout, from index 0. Further calls append elements. The file may
// contain the elements anywhere before its end.
func (w *FileWriter) Data(series int32, from io.Reader) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	buf := make([]byte, dataBytes)
	for w.err == nil {
		n, err := io.ReadFull(from, buf)
		w.data(series, buf[:n])
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return w.err
		case err != nil:
			w.err = fmt.Errorf("writing %s: reading elements: %w", w.path, err)
		}
	}
	return w.err
}

// data writes a chunk of elements.
func (w *FileWriter) data(series int32, elements []byte) {
	if len(elements) == 0 || w.err != nil {
		return
	}
	if w.dataAt == nil {
		w.dataAt = make(map[int32]uint64)
	}
	c := chunk{stream: Stream{series, dataKind}, events: 1, size: uint32(len(elements)),
		sum: crc32.Checksum(elements, castagnoli()), index: w.dataAt[series], at: w.at}
	w.write(c.put(w.buf[:0]))
	w.write(elements)
	w.chunks = append(w.chunks, c)
	w.dataAt[series] += uint64(len(elements))
}

// addData appends a chunk of elements to the chunks of its edge. It returns false if the chunk is invalid.
func (t *File) addData(c chunk) bool {
	if c.size == 0 || c.index != uint64(t.storedBytes[c.stream.Series]) {
		return false
	}
	t.data[c.stream.Series] = append(t.data[c.stream.Series], c)
	t.storedBytes[c.stream.Series] += int64(c.size)
	return true
}

// Elements implements Data.
func (t *File) Elements(series int32) (io.ReadCloser, int64, error) {
	if t.storedBytes[series] == 0 {
		return nil, 0, nil
	}
	return &dataReader{of: t, left: t.data[series]}, t.storedBytes[series], nil
}

// dataReader reads the chunks of elements of an edge.
type dataReader struct {
	of        *File
	left      []chunk
	buf, rest []byte
}

// Read implements io.Reader.
func (r *dataReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if len(r.left) == 0 {
			return 0, io.EOF
		}
		var err error
		if r.buf, err = r.of.payload(&r.left[0], r.buf); err != nil {
			return 0, err
		}
		r.rest, r.left = r.buf[chunkHead:], r.left[1:]
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Close implements io.Closer.
func (r *dataReader) Close() error { return nil }
