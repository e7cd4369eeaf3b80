package trace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"xopt/deploy/faults"
	"xopt/internal/files/infile"
	"xopt/internal/files/output"
)

// A .dat file contains the elements sent (_out.dat) or consumed (_in.dat) at a port, in their memory layout, without a
// header (Gayen 2008 §3.3.1). The times of these elements are in the .ts file with the same name. The header of a .ts
// file may contain the element size, in a line that X-Sim ignores as a comment. If the line is missing, each time
// belongs to one element.

// elementBytesKey is the key of the element size in the header of a .ts file, before the =.
const elementBytesKey = "element_bytes"

// datOf returns the name of the .dat file for the name of a .ts file.
func datOf(ts string) string { return strings.TrimSuffix(ts, ".ts") + ".dat" }

// datName splits the name of a .dat file into its port and the kind of events to which its elements belong. ok is false
// for other names.
func datName(name string) (base string, k Kind, ok bool) {
	if base, ok = strings.CutSuffix(name, ".dat"); !ok {
		return "", 0, false
	}
	base, k, ok = cutKind(base)
	return base, k, ok && (k == In || k == Out)
}

// datFile is a .dat file of a folder.
type datFile struct {
	path  string
	bytes int64
}

// addData adds a .dat file. It ignores a file without matching times, which belongs to another program.
func (f *Folder) addData(series map[string]int32, path, base string, k Kind) error {
	at, ok := series[sideOf(k)+base]
	if !ok {
		return nil
	}
	if err := infile.Check(path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("reading elements: %w", err)
	}
	times := Stream{at, k}
	if k == In && f.paths[times] == "" { // X-Sim names the file after the times at which elements are available
		times.Kind = Available
	}
	bytes, err := elementBytes(info.Size(), f.counts[times], f.headers[times])
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	f.header.Series[at].Bytes = bytes
	f.data[at] = datFile{path, info.Size()}
	return nil
}

// elementBytes returns the size of an element, given the size of the file and the number of times. reported is the size
// in the header of the times; "" if there is none. If reported is set, the file may contain fewer elements than there
// are times.
func elementBytes(size int64, times uint64, reported string) (uint64, error) {
	if reported == "" {
		switch {
		case size == 0 && times == 0:
			return 0, nil
		case times == 0 || uint64(size)%times != 0 || size == 0:
			return 0, faults.DamagedTrace.Errorf("the size of %d bytes is not a multiple of the number of times in "+
				"the .ts file, %d: the file is incomplete, or from another run", size, times)
		}
		return uint64(size) / times, nil
	}
	bytes, err := strconv.ParseUint(reported, 10, 63)
	switch {
	case err != nil || bytes == 0:
		return 0, faults.DamagedTrace.Errorf("the header of the .ts file has %s=%s, expected the size of an "+
			"element in bytes", elementBytesKey, reported)
	case uint64(size)%bytes != 0:
		return 0, faults.DamagedTrace.Errorf("the file ends within an element of %d bytes: %d bytes follow the last "+
			"element", bytes, uint64(size)%bytes)
	case uint64(size)/bytes > times:
		return 0, faults.DamagedTrace.Errorf("the file has %d elements, but the .ts file has %d times: the files are "+
			"from different runs", uint64(size)/bytes, times)
	}
	return bytes, nil
}

// Elements implements Data.
func (f *Folder) Elements(series int32) (io.ReadCloser, int64, error) {
	d, ok := f.data[series]
	if !ok || d.bytes == 0 {
		return nil, 0, nil
	}
	r, err := infile.Open(d.path)
	if err != nil {
		return nil, 0, err
	}
	return r, d.bytes, nil
}

// elementLine returns the line of a .ts header with the element size of some streams; nil if a size is unknown, or
// sizes differ.
func elementLine(h *Header, streams []Stream) map[string]string {
	bytes := uint64(0)
	for i, s := range streams {
		x := &h.Series[s.Series]
		if x.IsPoint() || x.Bytes == 0 || i > 0 && x.Bytes != bytes {
			return nil
		}
		bytes = x.Bytes
	}
	return map[string]string{elementBytesKey: strconv.FormatUint(bytes, 10)}
}

// hasElements reports whether a file of times has a .dat file, and the table contains the elements of all its edges.
func (x *tsStream) hasElements(t Table) (bool, error) {
	if k := x.streams[0].Kind; k != In && k != Out || elementLine(t.Header(), x.streams) == nil {
		return false, nil
	}
	for _, s := range x.streams {
		if n, err := StoredBytes(t, s.Series); n == 0 || err != nil {
			return false, err
		}
	}
	return true, nil
}

// elements iterates over the elements of an edge in order of their index.
type elements struct {
	from  io.ReadCloser
	in    *bufio.Reader
	at    uint64 // index of the next element
	count uint64 // number of stored elements
	buf   []byte // one element
}

// find returns an element; nil if it is not stored.
func (x *elements) find(index uint64) ([]byte, error) {
	if index < x.at || index >= x.count {
		return nil, nil
	}
	if _, err := io.CopyN(io.Discard, x.in, int64((index-x.at)*uint64(len(x.buf)))); err != nil {
		return nil, err
	}
	x.at = index + 1
	_, err := io.ReadFull(x.in, x.buf)
	return x.buf, err
}

// writeDat writes the elements of the events of some streams in the order of the events, up to the first missing
// element.
func writeDat(path string, t Table, streams []Stream) (err error) {
	of := make(map[int32]*elements)
	defer func() {
		for _, x := range of {
			err = errors.Join(err, x.from.Close())
		}
	}()
	for _, s := range streams {
		from, n, err := elementsOf(t, s.Series)
		if err != nil {
			return err
		}
		bytes := t.Header().Series[s.Series].Bytes
		of[s.Series] = &elements{from: from, in: bufio.NewReaderSize(from, 1<<16), count: uint64(n) / bytes,
			buf: make([]byte, min(bytes, uint64(n)))}
	}
	r, err := t.Open(streams...)
	if err != nil {
		return err
	}
	out, err := output.Create(path)
	if err != nil {
		return errors.Join(err, r.Close())
	}
	exceeded := false
	if err := readAll(r, func(events []Event) error {
		for i := range events {
			if exceeded {
				return nil
			}
			element, err := of[events[i].Series].find(events[i].Index)
			if err != nil {
				return fmt.Errorf("reading elements for %s: %w", path, err)
			}
			exceeded = element == nil
			if _, err := out.Write(element); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return errors.Join(err, out.Abort())
	}
	return out.Appear()
}
