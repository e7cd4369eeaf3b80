package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"

	"xopt/deploy/faults"
	"xopt/internal/files/infile"
)

// OpenFile opens a trace: a file written by deploy --trace, a CSV table, a VCD file from a hardware simulation, or a
// folder of .ts files. CSV and VCD files may be compressed with gzip. The content determines the format. OpenFile
// converts a foreign file to a temporary file with the same times, which Close removes.
func OpenFile(path string) (Table, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return openFolder(path)
	}
	f, err := infile.Open(path)
	if err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(f, 1<<16)
	head, err := in.Peek(peeked)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, errors.Join(fmt.Errorf("reading %s: %w", path, err), f.Close())
	}
	isCompressed := bytes.HasPrefix(head, []byte("\x1f\x8b"))
	if isCompressed {
		z, err := gzip.NewReader(in)
		if err == nil {
			in = bufio.NewReaderSize(z, 1<<16)
			if head, err = in.Peek(peeked); errors.Is(err, io.EOF) {
				err = nil
			}
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("decompressing %s: %w", path, err), f.Close())
		}
	}
	var t Table
	switch {
	case bytes.HasPrefix(head, []byte(Magic)) && isCompressed:
		err = faults.CompressedTrace.Errorf("%s: xopt cannot read a compressed .xtrace file: decompress it with "+
			"gzip -d", path)
	case bytes.HasPrefix(head, []byte(Magic)):
		t, err = openTable(path)
	case len(head) == 0:
		err = faults.NotATrace.Errorf("%s: the file is empty: expected %s", path, readable)
	case isVCD(head):
		t, err = converted(path, in, readVCD)
	case isPerfetto(head):
		err = faults.NotATrace.Errorf("%s: this is a Perfetto trace, which xopt writes but cannot read: use the "+
			"original trace (%s)", path, readable)
	case bytes.HasPrefix(head, []byte("{")) || bytes.HasPrefix(head, []byte("[")):
		err = faults.NotATrace.Errorf("%s: this JSON file is not a trace: expected %s", path, readable)
	case bytes.IndexByte(head, 0) >= 0:
		err = faults.NotATrace.Errorf("%s: the file is not a trace: expected %s", path, readable)
	default:
		t, err = converted(path, in, readCSV)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	return t, nil
}

// readable describes the inputs of OpenFile.
const readable = "a file of xopt deploy --trace, CSV or VCD (compressed by gzip or not), or a folder of .ts files"

// peeked is the number of bytes that are read to identify a file's format.
const peeked = 4096

// converted converts a foreign trace to a table in a temporary file.
func converted(path string, in io.Reader, read func(name string, in io.Reader, to Writer) (*Header, error)) (_ Table,
	err error) {
	w, err := CreateTemp()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	h, err := read(path, in, w)
	if err == nil {
		err = w.Finish(h)
	}
	if err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	return w.OpenTemp()
}

// Window returns a table with the events of t whose times are at least from and less than to, in ps. The result
// contains no stored elements. Closing the window closes t.
func Window(t Table, from, to int64) Table { return &window{t, from, to} }

type window struct {
	Table
	from, to int64
}

// Open implements Table.
func (w *window) Open(streams ...Stream) (Reader, error) {
	r, err := w.Table.Open(streams...)
	if err != nil {
		return nil, err
	}
	return &windowReader{r, w}, nil
}

type windowReader struct {
	Reader
	of *window
}

// Read implements Reader.
func (r *windowReader) Read(events []Event) (int, error) {
	for {
		n, err := r.Reader.Read(events)
		kept := 0
		for i := range events[:n] {
			if e := &events[i]; e.Time >= r.of.from && e.Time < r.of.to {
				events[kept] = *e
				kept++
			}
		}
		if err == nil && n > 0 && events[n-1].Time >= r.of.to { // all other events are later
			err = io.EOF
		}
		if kept > 0 || err != nil || len(events) == 0 {
			return kept, err
		}
	}
}
