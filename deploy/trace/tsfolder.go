package trace

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"xopt/deploy/faults"
)

// Folder presents the .ts files of a folder as a table (Gayen 2008 §3.3). The files do not contain the connections
// between ports, so each port is a separate series. Kernels have the names in the files: top_gen1 for top.gen1.
type Folder struct {
	header  Header
	paths   map[Stream]string
	counts  map[Stream]uint64
	headers map[Stream]string // element size from the file's header
	data    map[int32]datFile
}

// openFolder opens the .ts files of a folder. It ignores other files, such as those of X-Eval.
func openFolder(dir string) (*Folder, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the folder of a trace: %w", err)
	}
	var more metadata
	f := &Folder{header: Header{Application: filepath.Base(dir)},
		paths: make(map[Stream]string), counts: make(map[Stream]uint64), headers: make(map[Stream]string),
		data: make(map[int32]datFile)}
	names, err := listed(dir)
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(n string) bool { return filepath.Base(n) == n }) // the files below it remain
	for _, e := range entries {
		names = append(names, e.Name())
	}
	series := make(map[string]int32) // by port or testpoint, and side
	var errs []error
	for _, n := range names {
		base, kind, ok := tsName(filepath.Base(n))
		if !ok {
			continue
		}
		path := filepath.Join(dir, n)
		t, err := OpenTS(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, t.Close())
		s := Stream{f.seriesOf(series, base, kind), kind}
		f.paths[s], f.counts[s], f.headers[s] = path, t.Count, t.Other[elementBytesKey]
		kernel, _, _ := cutPort(base)
		more.origin(kernel, t.Other[originKey])
		if !more.events(s, t.Other[leftKey]) {
			errs = append(errs, faults.WrongTSFile.Errorf("%s: the header has %s=%s, expected the number of missing "+
				"events", path, leftKey, t.Other[leftKey]))
		}
	}
	for _, n := range names {
		if base, kind, ok := datName(filepath.Base(n)); ok {
			errs = append(errs, f.addData(series, filepath.Join(dir, n), base, kind))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	more.of(&f.header, dir)
	if len(f.paths) == 0 {
		return nil, faults.NotATrace.Errorf("%s contains no trace: it has no files BLOCK_PORT_avl.ts, _in.ts, "+
			"_out.ts or _tpt.ts", dir)
	}
	return f, nil
}

// tsName splits the name of a .ts file into its port or testpoint and the kind of its events. ok is false for other
// names.
func tsName(name string) (base string, k Kind, ok bool) {
	if base, ok = strings.CutSuffix(name, ".ts"); !ok {
		return "", 0, false
	}
	return cutKind(base)
}

// cutKind splits a file name without its extension into its port or testpoint and the kind of its events. ok is false
// if the name has another form.
func cutKind(base string) (_ string, k Kind, ok bool) {
	for i, extension := range extensions {
		if port, is := strings.CutSuffix(base, "_"+extension); is {
			_, _, ok = cutPort(port)
			return port, Kind(i), ok
		}
	}
	return "", 0, false
}

// seriesOf returns the series of a port. It creates the series if it is new.
func (f *Folder) seriesOf(series map[string]int32, base string, k Kind) int32 {
	if at, ok := series[sideOf(k)+base]; ok {
		return at
	}
	kernel, name, _ := cutPort(base)
	p := Port{Kernel: kernel, Name: name}
	s := Series{Name: base, To: p}
	switch k {
	case Out:
		s.From, s.To = p, Port{}
	case Point:
		s.Point, s.To = p, Port{}
	}
	at := int32(len(f.header.Series))
	f.header.Series = append(f.header.Series, s)
	series[sideOf(k)+base] = at
	return at
}

// sideOf returns the prefix that distinguishes the series of one port name.
func sideOf(k Kind) string {
	switch k {
	case Out:
		return "out "
	case Point:
		return "point "
	}
	return "in "
}

// cutPort splits the name of a port, without the kind, at its last _. ok is false if the name has another form. A port
// of an array, such as x[1], is x_1_ in a file name.
func cutPort(s string) (kernel, port string, ok bool) {
	suffix := strings.TrimSuffix(s, "_")
	at := strings.LastIndexByte(suffix, '_')
	if suffix != s && at > 0 {
		at = strings.LastIndexByte(suffix[:at], '_')
	}
	if at <= 0 || at == len(suffix)-1 {
		return "", s, false
	}
	return s[:at], s[at+1:], true
}

// Header implements Table.
func (f *Folder) Header() *Header { return &f.header }

// Count implements Table.
func (f *Folder) Count(s Stream) uint64 { return f.counts[s] }

// Close implements Table.
func (f *Folder) Close() error { return nil }

// Open implements Table.
func (f *Folder) Open(streams ...Stream) (Reader, error) {
	if len(streams) == 0 {
		streams = slices.DeleteFunc(all(f.header.Series), func(s Stream) bool { return f.paths[s] == "" })
	}
	var list []Reader
	for _, s := range streams {
		r := &folderReader{stream: s, bytes: f.header.Series[s.Series].Bytes}
		if path := f.paths[s]; path != "" {
			var err error
			if r.file, err = OpenTS(path); err != nil {
				for _, x := range list {
					err = errors.Join(err, x.Close())
				}
				return nil, err
			}
		}
		list = append(list, r)
	}
	return merge(list), nil
}

// folderReader is the reader of one file. It is empty if the port has no such events.
type folderReader struct {
	stream Stream
	file   *TSFile
	index  uint64
	bytes  uint64 // size of an element
}

// Read implements Reader.
func (r *folderReader) Read(events []Event) (int, error) {
	for n := range events {
		var time int64
		err := io.EOF
		if r.file != nil {
			time, err = r.file.Next()
		}
		if errors.Is(err, io.EOF) && n > 0 {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		events[n] = Event{Time: time, Index: r.index, Bytes: r.bytes, Series: r.stream.Series,
			Kind: r.stream.Kind}
		r.index++
	}
	return len(events), nil
}

// Close implements Reader.
func (r *folderReader) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
