package trace

import (
	"errors"
	"io"
)

// Copy writes a table, with the elements that it holds, into a file in the format of this package.
func Copy(path string, t Table) error {
	w, err := Create(path)
	if err != nil {
		return err
	}
	r, err := t.Open()
	if err != nil {
		return errors.Join(err, w.Abort())
	}
	if err := readAll(r, w.Write); err != nil {
		return errors.Join(err, w.Abort())
	}
	for i := range t.Header().Series {
		if err := copyData(w, t, int32(i)); err != nil {
			return errors.Join(err, w.Abort())
		}
	}
	h := *t.Header()
	h.Frequency = 0 // readers give ps
	return errors.Join(w.Finish(&h), w.Abort())
}

// copyData copies the elements of an edge, as far as the table has them.
func copyData(w *FileWriter, t Table, series int32) error {
	r, _, err := elementsOf(t, series)
	if r == nil {
		return err
	}
	return errors.Join(w.Data(series, r), r.Close())
}

// readAll gives all events of a reader to a function, some at a time, and closes the reader.
func readAll(r Reader, take func([]Event) error) error {
	buf := make([]Event, readAhead)
	for {
		n, err := r.Read(buf)
		if taken := take(buf[:n]); taken != nil {
			return errors.Join(taken, r.Close())
		}
		if errors.Is(err, io.EOF) {
			return r.Close()
		}
		if err != nil {
			return errors.Join(err, r.Close())
		}
	}
}
