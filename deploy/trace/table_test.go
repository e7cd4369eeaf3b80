package trace

import (
	"bytes"
	"errors"
	"testing"
)

// TableOf returns a table with the given events and elements by series until the end of the test.
func TableOf(t testing.TB, h *Header, list []Event, elements ...[]byte) Table {
	t.Helper()
	w, err := CreateTemp()
	if err != nil {
		t.Fatal(err)
	}
	err = w.Write(list)
	for series, x := range elements {
		err = errors.Join(err, w.Data(int32(series), bytes.NewReader(x)))
	}
	if err := errors.Join(err, w.Finish(h)); err != nil {
		t.Fatal(errors.Join(err, w.Abort()))
	}
	table, err := w.OpenTemp()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := table.Close(); err != nil {
			t.Error(err)
		}
	})
	return table
}
