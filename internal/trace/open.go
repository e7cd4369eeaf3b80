package trace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"xopt/internal/infile"
	"xopt/internal/scratch"
)

// OpenFile opens a trace: a file that deploy --trace has written, a table as CSV, the waves of a simulation of
// hardware as VCD, or a folder of .ts files. What it is, its content says. Times of foreign files are not changed;
// they are kept in a temporary file, which Close removes.
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
	var t Table
	switch {
	case bytes.HasPrefix(head, []byte(Magic)):
		t, err = openTable(path)
	case len(head) == 0:
		err = fmt.Errorf("%s: the file is empty", path)
	case isVCD(head):
		t, err = converted(path, in, readVCD)
	case bytes.IndexByte(head, 0) >= 0:
		err = fmt.Errorf("%s: this is no trace: want a file of xopt deploy --trace, CSV, VCD, or a folder of .ts files",
			path)
	default:
		t, err = converted(path, in, readCSV)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	return t, nil
}

// peeked is how much of a file is looked at to tell what it is.
const peeked = 4096

// converted makes a table of a foreign trace, in a temporary file.
func converted(path string, in io.Reader, read func(name string, in io.Reader, to Writer) (*Header, error)) (_ Table,
	err error) {
	temp, err := scratch.File("", scratch.Trace)
	if err != nil {
		return nil, fmt.Errorf("making a temporary file for the events of %s: %w", path, err)
	}
	name := temp.Name()
	w, err := begin(name, temp)
	if err != nil {
		return nil, err
	}
	h, err := read(path, in, w)
	if err == nil {
		err = w.Finish(h)
	}
	if err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	t, err := openTable(name)
	if err != nil {
		return nil, errors.Join(err, os.Remove(name))
	}
	t.temp = true
	return t, nil
}
