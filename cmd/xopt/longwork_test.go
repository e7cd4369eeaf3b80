package main

import (
	"bytes"
	"io"
	"testing"
	"time"
)

// TestLongWork: a long command says what it is at, on a terminal in one line and elsewhere now
// and then; a short one says nothing.
func TestLongWork(t *testing.T) {
	for _, test := range []struct {
		terminal bool
		seconds  []int
		want     string
	}{
		{true, []int{1, 3, 4}, "\r\x1b[Kpredicting, 3 s\r\x1b[Kpredicting, 4 s"},
		{false, []int{1, 3, 14, 15, 16, 29, 31}, "predicting, 15 s so far\npredicting, 31 s so far\n"},
		{false, []int{1}, ""},
	} {
		var out bytes.Buffer
		s := &longWork{w: &out, terminal: test.terminal, what: "reading"}
		s.at("predicting")
		for _, n := range test.seconds {
			s.show(time.Duration(n) * time.Second)
		}
		if out.String() != test.want {
			t.Errorf("terminal %t, after %v s: %q, want %q", test.terminal, test.seconds, out.String(), test.want)
		}
	}
	var out bytes.Buffer
	s := newApp(io.Discard, &out).longWork("reading")
	s.end()
	s.end()
	if out.Len() != 0 {
		t.Errorf("a command that ends at once says %q", out.String())
	}
}
