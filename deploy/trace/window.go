package trace

import "io"

// Window returns the events of a table between two times, in ps: from the first, up to before the second. The elements
// themselves are not part of it. To close it closes the table.
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
		if err == nil && n > 0 && events[n-1].Time >= r.of.to { // the rest is later
			err = io.EOF
		}
		if kept > 0 || err != nil || len(events) == 0 {
			return kept, err
		}
	}
}
