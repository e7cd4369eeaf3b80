package trace

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"sync"

	"xopt/internal/files/output"
	"xopt/internal/files/scratch"
)

// keepBytes is the maximum memory of a writer for incomplete chunks, in bytes over all streams.
const keepBytes = 32 << 20

// FileWriter writes a table to a temporary file, which it syncs and renames at the end. Goroutines may share it.
type FileWriter struct {
	mu       sync.Mutex
	path     string
	file     *os.File
	at       int64
	order    order
	packs    []*packer // by stream index
	buffered int       // bytes in all packers
	chunks   []chunk
	buf      []byte
	dataAt   map[int32]uint64 // element bytes of each edge until now
	err      error            // first error, after which nothing is written
}

// Create returns a writer of a table at path. Finish moves the table to path. Abort removes an unfinished table, and
// does nothing after Finish.
func Create(path string) (*FileWriter, error) {
	f, err := output.CreateTemp(path)
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", path, err)
	}
	return newFileWriter(path, f)
}

// CreateTemp creates a writer of a table in a temporary file. Abort removes the unfinished file. After Finish, OpenTemp
// opens the table.
func CreateTemp() (*FileWriter, error) {
	f, err := scratch.File("", scratch.Trace)
	if err != nil {
		return nil, fmt.Errorf("creating a temporary file for a trace: %w", err)
	}
	return newFileWriter(f.Name(), f)
}

// OpenTemp opens the table of a finished CreateTemp writer. Closing the table removes the file.
func (w *FileWriter) OpenTemp() (Table, error) {
	t, err := openTable(w.path)
	if err != nil {
		return nil, errors.Join(err, os.Remove(w.path))
	}
	t.temp = true
	return t, nil
}

// newFileWriter starts a table in a temporary file that Finish renames to path, which may be the temporary file itself.
func newFileWriter(path string, f *os.File) (*FileWriter, error) {
	w := &FileWriter{path: path, file: f}
	w.write([]byte(Magic))
	if w.err != nil {
		return nil, errors.Join(w.err, w.Abort())
	}
	return w, nil
}

func (w *FileWriter) write(b []byte) {
	if w.err != nil {
		return
	}
	if _, err := w.file.Write(b); err != nil {
		w.err = fmt.Errorf("writing %s: %w", w.path, err)
	}
	w.at += int64(len(b))
}

// Write implements Writer.
func (w *FileWriter) Write(events []Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range events {
		if w.err != nil {
			return w.err
		}
		e := &events[i]
		if err := w.order.check(e); err != nil {
			w.err = err
			return err
		}
		w.add(e)
	}
	return w.err
}

func (w *FileWriter) add(e *Event) {
	at := Stream{e.Series, e.Kind}.place()
	for at >= len(w.packs) {
		w.packs = append(w.packs, nil)
	}
	p := w.packs[at]
	if p == nil {
		p = new(packer)
		w.packs[at] = p
	}
	before := len(p.payload)
	if p.add(e) {
		w.flush(p)
		p.add(e)
		return
	}
	w.buffered += len(p.payload) - before
	if p.head.events == chunkEvents {
		w.flush(p)
	} else if w.buffered > keepBytes {
		w.flushAll()
	}
}

// flush writes the collected events of a stream as a chunk.
func (w *FileWriter) flush(p *packer) {
	if p == nil || p.head.events == 0 {
		return
	}
	p.head.size = uint32(len(p.payload))
	p.head.sum = crc32.Checksum(p.payload, castagnoli())
	p.head.last = uint64(p.before.Time)
	p.head.at = w.at
	w.buf = append(p.head.put(w.buf[:0]), p.payload...)
	w.write(w.buf)
	w.chunks = append(w.chunks, p.head)
	w.buffered -= len(p.payload)
	p.head, p.payload = chunk{}, p.payload[:0]
}

func (w *FileWriter) flushAll() {
	for _, p := range w.packs {
		w.flush(p)
		if p != nil {
			p.payload = nil
		}
	}
}

// Finish implements Writer. It moves the complete file to its path.
func (w *FileWriter) Finish(h *Header) (err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flushAll()
	for i := range w.chunks {
		if err := h.validChunk(w.chunks[i].stream); err != nil && w.err == nil {
			w.err = fmt.Errorf("writing %s: %w", w.path, err)
		}
	}
	text, jerr := json.Marshal(h)
	if jerr != nil && w.err == nil {
		w.err = fmt.Errorf("writing %s: %w", w.path, jerr)
	}
	start := w.at
	for i := range w.chunks {
		text = w.chunks[i].put(text)
	}
	w.write(text)
	le := binary.LittleEndian
	stop := le.AppendUint64(nil, uint64(start))
	stop = le.AppendUint64(stop, uint64(len(text)-len(w.chunks)*chunkHead))
	stop = le.AppendUint64(stop, uint64(len(w.chunks)))
	stop = le.AppendUint32(stop, crc32.Checksum(text, castagnoli()))
	stop = le.AppendUint32(stop, crc32.Checksum(stop, castagnoli()))
	w.write(append(stop, tail...))
	if w.err != nil {
		return w.err
	}
	if w.file.Name() == w.path { // a temporary file
		err = w.file.Close()
	} else {
		err = output.Appear(w.file, w.path)
	}
	if err != nil {
		w.err = fmt.Errorf("writing %s: %w", w.path, err)
		return w.err
	}
	w.err = fmt.Errorf("writing %s: %w", w.path, os.ErrClosed)
	w.file = nil
	return nil
}

// Abort removes an unfinished table. It does nothing for a nil writer.
func (w *FileWriter) Abort() error {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file == nil {
		return nil
	}
	f := w.file
	w.file = nil
	if w.err == nil {
		w.err = fmt.Errorf("writing %s: %w", w.path, os.ErrClosed)
	}
	_ = f.Close() // it may already be closed
	return os.Remove(f.Name())
}

// order checks that the events of each stream do not go back in time. All writers use it.
type order struct {
	last []Event // last event of each stream, by its index
	any  []bool
}

// place returns the index of a stream in tables by stream.
func (s Stream) place() int { return int(s.Series)*int(kinds) + int(s.Kind) }

// check returns an error if e cannot follow the previous event of its stream.
func (o *order) check(e *Event) error {
	if e.Kind >= kinds || e.Series < 0 || e.Time < 0 {
		return fmt.Errorf("unknown event %v of series %d at %d ps", e.Kind, e.Series, e.Time)
	}
	at := Stream{e.Series, e.Kind}.place()
	for at >= len(o.last) {
		o.last = append(o.last, Event{})
		o.any = append(o.any, false)
	}
	if before := &o.last[at]; o.any[at] && (e.Time < before.Time || e.Index <= before.Index) {
		return fmt.Errorf("%w: series %d, %v: element %d at %d ps was recorded after element %d at %d ps", ErrOrder,
			e.Series, e.Kind, e.Index, e.Time, before.Index, before.Time)
	}
	o.last[at], o.any[at] = *e, true
	return nil
}
