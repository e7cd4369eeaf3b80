package trace

import (
	"errors"
	"fmt"
	"path/filepath"

	"xopt/deploy/faults"
	"xopt/internal/files/output"
)

// TSFiles returns the names of the files that WriteTS writes, relative to its folder. Each file of times (.ts) is
// followed by its file of elements (.dat) if the table contains the elements. TSListName comes last. It returns an
// error if two ports have the same file name.
func TSFiles(t Table) ([]string, error) {
	list, err := tsStreams(t.Header())
	var names []string
	for _, x := range list {
		names = append(names, x.name)
		stored, herr := x.hasElements(t)
		if stored {
			names = append(names, datOf(x.name))
		}
		err = errors.Join(err, herr)
	}
	if len(names) > 0 {
		names = append(names, TSListName)
	}
	return names, err
}

// tsStream is a .ts file with the streams of its events.
type tsStream struct {
	name    string
	streams []Stream
}

func tsStreams(h *Header) ([]tsStream, error) {
	var list []tsStream
	ports := make(map[string]Port) // by file
	for _, s := range all(h.Series) {
		p := h.Series[s.Series].Port(s.Kind)
		if p.Kernel == "" {
			continue // the trace lacks one end
		}
		name := filepath.Join(h.Folders[p.Kernel], FileName(p, s.Kind))
		if !filepath.IsLocal(name) {
			return nil, fmt.Errorf("cannot write %s: the folder of kernel %s is outside the trace folder (write "+
				"a single file, such as .csv)", name, p.Kernel)
		}
		switch old, ok := ports[name]; {
		case !ok:
			ports[name] = p
			list = append(list, tsStream{name, h.At(p, s.Kind)})
		case old != p:
			return nil, faults.SameFileName.Errorf("the files of %s and %s would have the same name, %s: rename "+
				"a kernel or a port", old, p, name)
		}
	}
	return list, nil
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

// TSWriter writes times in ps to a .ts file. The file exists after Close.
type TSWriter struct{ out *output.Pending }

// CreateTS creates a .ts file whose ticks are ps since the start of the run.
func CreateTS(path string) (*TSWriter, error) { return createTS(path, nil) }

// createTS creates a .ts file with additional header lines.
func createTS(path string, other map[string]string) (*TSWriter, error) {
	out, err := output.Create(path)
	if err != nil {
		return nil, err
	}
	w := &TSWriter{out}
	h := TSHeader{Frequency: PerSecond, Other: other}
	if _, err := out.Write(h.Text()); err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	return w, nil
}

// Put writes a time in ps.
func (w *TSWriter) Put(ps int64) error { return w.out.Uint64(uint64(ps)) }

// Close moves the file to its final path.
func (w *TSWriter) Close() error { return w.out.Appear() }

// Abort discards the output and removes the file.
func (w *TSWriter) Abort() error { return w.out.Abort() }
