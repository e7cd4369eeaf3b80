package trace

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"

	"xopt/deploy/faults"
	"xopt/internal/files/infile"
)

// File is a table in a file written by FileWriter.
type File struct {
	path        string
	file        *os.File
	temp        bool // Close removes the file
	header      Header
	lists       map[Stream][]chunk
	counts      map[Stream]uint64
	data        map[int32][]chunk // elements of each edge
	storedBytes map[int32]int64   // bytes of these elements
	perTick     float64           // ps per tick; 0 if times are in ps
	shift       int64             // ps by which all times were reduced
}

// openTable opens a file in this package's format.
func openTable(path string) (*File, error) {
	f, err := infile.Open(path)
	if err != nil {
		return nil, err
	}
	t := &File{path: path, file: f}
	if err := t.readEnd(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return t, nil
}

var errDamaged = faults.DamagedTrace.Errorf("the trace is damaged: its checksums do not match (copy or record " +
	"the trace again)")

// readEnd reads the end of the file: the header and the list of chunks.
func (t *File) readEnd() error {
	info, err := t.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() < int64(len(Magic)+trailerSize) {
		return ErrCut
	}
	trailer := make([]byte, trailerSize)
	if _, err := t.file.ReadAt(trailer, info.Size()-int64(trailerSize)); err != nil {
		return err
	}
	if !bytes.HasSuffix(trailer, []byte(tail)) {
		return ErrCut
	}
	le := binary.LittleEndian
	start, header, chunks := le.Uint64(trailer), le.Uint64(trailer[8:]), le.Uint64(trailer[16:])
	if crc32.Checksum(trailer[:28], castagnoli()) != le.Uint32(trailer[28:]) {
		return errDamaged
	}
	size := uint64(info.Size())
	if header > maxHeaderBytes || chunks > size/chunkHead || start > size ||
		start+header+chunks*chunkHead+uint64(trailerSize) != size {
		return errDamaged
	}
	text := make([]byte, header+chunks*chunkHead)
	if _, err := t.file.ReadAt(text, int64(start)); err != nil {
		return err
	}
	if crc32.Checksum(text, castagnoli()) != le.Uint32(trailer[24:]) {
		return errDamaged
	}
	if err := json.Unmarshal(text[:header], &t.header); err != nil {
		return fmt.Errorf("reading the description of the trace: %w", err)
	}
	if t.shift, t.header.Shift = t.header.Shift, 0; t.shift < 0 {
		return errDamaged
	}
	return t.sortChunks(text[header:], int64(start))
}

// sortChunks sorts the list of chunks by stream.
func (t *File) sortChunks(list []byte, trailer int64) error {
	t.lists, t.counts = make(map[Stream][]chunk), make(map[Stream]uint64)
	t.data, t.storedBytes = make(map[int32][]chunk), make(map[int32]int64)
	if f := t.header.Frequency; f != 0 {
		if !(f > 0) || math.IsInf(f, 1) {
			return errDamaged
		}
		t.perTick = PerSecond / f
	}
	for ; len(list) > 0; list = list[chunkHead:] {
		var c chunk
		c.parse(list)
		if t.header.validChunk(c.stream) != nil || c.events == 0 || c.events > chunkEvents || c.size > maxChunkBytes ||
			c.at < int64(len(Magic)) || c.at > trailer-chunkHead-int64(c.size) {
			return errDamaged
		}
		if c.stream.Kind == dataKind {
			if !t.addData(c) {
				return errDamaged
			}
			continue
		}
		t.lists[c.stream] = append(t.lists[c.stream], c)
		t.counts[c.stream] += uint64(c.events)
	}
	return nil
}

// Header implements Table.
func (t *File) Header() *Header { return &t.header }

// Count implements Table.
func (t *File) Count(s Stream) uint64 { return t.counts[s] }

// Close implements Table.
func (t *File) Close() error {
	err := t.file.Close()
	if t.temp {
		err = errors.Join(err, os.Remove(t.path))
	}
	return err
}

// Open implements Table.
func (t *File) Open(streams ...Stream) (Reader, error) {
	if len(streams) == 0 {
		for _, s := range all(t.header.Series) {
			if t.counts[s] > 0 {
				streams = append(streams, s)
			}
		}
	}
	var list []Reader
	for _, s := range streams {
		if err := t.header.valid(s); err != nil {
			return nil, err
		}
		list = append(list, &fileReader{of: t, left: t.lists[s]})
	}
	return merge(list), nil
}

// fileReader reads one stream.
type fileReader struct {
	of      *File
	left    []chunk
	now     chunk
	buf     []byte
	payload []byte // unread part of the chunk's payload
	first   bool   // the first event of the chunk follows
	events  uint32 // remaining events of the chunk
	before  Event  // previous event, in the file's ticks
}

// Read implements Reader.
func (r *fileReader) Read(events []Event) (int, error) {
	n := 0
	for n < len(events) {
		if r.events == 0 {
			if len(r.left) == 0 {
				break
			}
			if err := r.open(); err != nil {
				return n, err
			}
		}
		if !r.next() {
			return n, fmt.Errorf("%s: %w", r.of.path, errDamaged)
		}
		events[n] = r.before
		if r.of.perTick != 0 {
			events[n].Time = r.of.ps(r.before.Time)
		}
		if events[n].Time -= r.of.shift; events[n].Time < 0 {
			return n, fmt.Errorf("%s: %w", r.of.path, errDamaged)
		}
		n++
	}
	if n == 0 && len(events) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// ps converts a tick to a time in ps.
func (t *File) ps(tick int64) int64 { return int64(math.Round(float64(tick) * t.perTick)) }

// open reads the next chunk.
func (r *fileReader) open() error {
	r.now, r.left = r.left[0], r.left[1:]
	var err error
	if r.buf, err = r.of.payload(&r.now, r.buf); err != nil {
		return err
	}
	r.payload = r.buf[chunkHead:]
	r.first, r.events = true, r.now.events
	return nil
}

// payload reads a chunk with its head and checks it. It uses buf, or allocates a larger buffer.
func (t *File) payload(c *chunk, buf []byte) ([]byte, error) {
	need := chunkHead + int(c.size)
	if cap(buf) < need {
		buf = make([]byte, need)
	}
	buf = buf[:need]
	if _, err := t.file.ReadAt(buf, c.at); err != nil {
		return buf, fmt.Errorf("reading %s: %w", t.path, err)
	}
	var head chunk
	head.parse(buf)
	if head != *c || crc32.Checksum(buf[chunkHead:], castagnoli()) != c.sum {
		return buf, fmt.Errorf("%s: %w", t.path, errDamaged)
	}
	return buf, nil
}

// next reads the next event of the chunk into before. It returns false if the event is missing or invalid.
func (r *fileReader) next() bool {
	r.events--
	if r.first {
		r.first = false
		before := r.before
		r.before = Event{Time: int64(r.now.time), Index: r.now.index, Bytes: r.now.bytes, Series: r.now.stream.Series,
			Kind: r.now.stream.Kind}
		return r.before.Time >= before.Time
	}
	d, n := binary.Uvarint(r.payload)
	if n <= 0 || d > uint64(math.MaxInt64-r.before.Time) {
		return false
	}
	r.payload = r.payload[n:]
	r.before.Time += int64(d)
	r.before.Index++
	if r.now.flags&withIndices != 0 {
		if d, n = binary.Uvarint(r.payload); n <= 0 {
			return false
		}
		r.payload = r.payload[n:]
		r.before.Index += d
	}
	if r.now.flags&withBytes != 0 {
		if d, n = binary.Uvarint(r.payload); n <= 0 {
			return false
		}
		r.payload = r.payload[n:]
		r.before.Bytes = d
	}
	return true
}

// Close implements Reader.
func (r *fileReader) Close() error { return nil }

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
