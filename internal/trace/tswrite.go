package trace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// TSFiles is the names of the files that WriteTS makes of a table, relative to its folder: those of times, .ts, and
// behind each that of the elements, .dat, if the table holds them. Of ports whose names give the same file name, it is
// an error.
func TSFiles(t Table) ([]string, error) {
	list, err := tsStreams(t.Header())
	var names []string
	for _, x := range list {
		names = append(names, x.name)
		held, herr := x.held(t)
		if held {
			names = append(names, datOf(x.name))
		}
		err = errors.Join(err, herr)
	}
	return names, err
}

// tsStream is a file, and the streams that are in it.
type tsStream struct {
	name    string
	streams []Stream
}

func tsStreams(h *Header) ([]tsStream, error) {
	var list []tsStream
	ports := make(map[string]Port) // by file
	for _, s := range all(h.Series) {
		p := h.Series[s.Series].End(s.Kind)
		if p.Kernel == "" {
			continue // an end that the trace does not know
		}
		name := filepath.Join(h.Folders[p.Kernel], FileName(p, s.Kind))
		if !filepath.IsLocal(name) {
			return nil, fmt.Errorf("the file %s would not be in the folder", name)
		}
		switch old, ok := ports[name]; {
		case !ok:
			ports[name] = p
			list = append(list, tsStream{name, h.At(p, s.Kind)})
		case old != p:
			return nil, fmt.Errorf("the files of %s and %s would have one name, %s: rename one of them", old, p, name)
		}
	}
	return list, nil
}

// WriteTS writes a table as the thesis has it: into a folder, a file for each port or testpoint and kind of event, and
// one for the elements that were sent or taken at a port, as far as the table holds them (Gayen 2008 §3.3.1).
func WriteTS(folder string, t Table) error {
	list, err := tsStreams(t.Header())
	if err != nil {
		return err
	}
	for _, x := range list {
		path := filepath.Join(folder, x.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("making a folder for traces: %w", err)
		}
		if err := writeTS(path, t, x.streams); err != nil {
			return err
		}
		held, err := x.held(t)
		if held && err == nil {
			err = writeDat(datOf(path), t, x.streams)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func writeTS(path string, t Table, streams []Stream) error {
	r, err := t.Open(streams...)
	if err != nil {
		return err
	}
	w, err := createTS(path, tsLines(t.Header(), streams))
	if err != nil {
		return errors.Join(err, r.Close())
	}
	if err := readAll(r, func(events []Event) error {
		for i := range events {
			if err := w.Put(events[i].Time); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Close()
}
