package trace

import (
	"errors"

	"xopt/internal/files/output"
)

// TSWriter writes a .ts file of times in ps. The file is there when Close has returned.
type TSWriter struct{ out *output.Pending }

// CreateTS begins a .ts file whose ticks are ps since the start of the run.
func CreateTS(path string) (*TSWriter, error) { return createTS(path, nil) }

// createTS has further lines in the header.
func createTS(path string, other map[string]string) (*TSWriter, error) {
	out, err := output.Begin(path)
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

// Close puts the file in its place.
func (w *TSWriter) Close() error { return w.out.Appear() }

// Abort leaves no file.
func (w *TSWriter) Abort() error { return w.out.Abort() }
