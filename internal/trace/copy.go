package trace

import (
	"errors"
	"io"
)

// Copy writes a table into a file in the format of this package.
func Copy(path string, t Table) error {
	w, err := Create(path)
	if err != nil {
		return err
	}
	r, err := t.Open()
	if err != nil {
		return errors.Join(err, w.Abort())
	}
	buf := make([]Event, readAhead)
	for {
		n, err := r.Read(buf)
		if werr := w.Write(buf[:n]); werr != nil {
			return errors.Join(werr, w.Abort(), r.Close())
		}
		if errors.Is(err, io.EOF) {
			h := *t.Header()
			h.Frequency = 0 // readers give ps
			return errors.Join(w.Finish(&h), w.Abort(), r.Close())
		}
		if err != nil {
			return errors.Join(err, w.Abort(), r.Close())
		}
	}
}
