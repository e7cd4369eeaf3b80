package progress

import (
	"bytes"
	"testing"
	"time"
	"unicode/utf8"

	"xopt/internal/safetext"
)

// TestLongWork checks that a long command shows its step, on a terminal in one line and in a log periodically, and
// that a short one is silent.
func TestLongWork(t *testing.T) {
	for _, test := range []struct {
		terminal bool
		seconds  []int
		want     string
	}{
		{true, []int{1, 3, 4}, "\r\x1b[Kpredicting, 3 s\r\x1b[Kpredicting, 4 s"},
		{false, []int{1, 3, 14, 15, 16, 29, 31}, "predicting, 15 s elapsed\npredicting, 31 s elapsed\n"},
		{false, []int{1}, ""},
	} {
		var out bytes.Buffer
		s := &Work{w: &out, terminal: test.terminal, what: "reading"}
		s.At("predicting")
		for _, n := range test.seconds {
			s.show(time.Duration(n) * time.Second)
		}
		if out.String() != test.want {
			t.Errorf("terminal %t, after %v s: %q, want %q", test.terminal, test.seconds, out.String(), test.want)
		}
	}
	var out bytes.Buffer
	s := Start(safetext.NewWriter(&out), "reading")
	s.Stop()
	s.Stop()
	if out.Len() != 0 {
		t.Errorf("a command that ends at once says %q", out.String())
	}
}

// TestLongWorkBar checks that with known steps or a known end the line has a bar and the remaining time, and fits the
// terminal.
func TestLongWorkBar(t *testing.T) {
	steps := &Work{what: "searching point", width: 80}
	if got, want := steps.line(4*time.Second), "searching point, 4 s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	steps.Step(2, 12) // done before the start
	steps.Step(5, 12)
	want := "searching point 6 of 12  42% |████████            | 30 s, about 1m10s left"
	if got := steps.line(30 * time.Second); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	timed := &Work{what: "running", limit: 40 * time.Second}
	want = "running  25% |█████               | 10 s, at most 30s left"
	if got := timed.line(10 * time.Second); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	long := &Work{what: "measuring how kernels share a core of some platform", limit: time.Minute, width: 80}
	if got := utf8.RuneCountInString(long.line(time.Second)); got >= 80 {
		t.Errorf("%d columns in a terminal of 80", got)
	}
	var out bytes.Buffer
	elsewhere := &Work{w: &out, what: "running", limit: time.Minute}
	elsewhere.show(20 * time.Second)
	if got, want := out.String(), "running, 20 s elapsed, at most 40s left\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
