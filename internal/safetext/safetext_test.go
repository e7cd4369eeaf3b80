package safetext

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain text\n\tof two lines":        "plain text\n\tof two lines",
		"µs, 95 % − Größe …":                "µs, 95 % − Größe …",
		"\x1b[2J\x1b]0;title\a":             "?[2J?]0;title?",
		"over\rwritten, ends\r\n":           "over?written, ends\n",
		"a\u202eb\u2066c\u200bd\ufeff":      "a?b?c?d?",
		"a\U000e0000b\U000e0041c\U000e0100": "a?b?c?",
		"\xff\xfe\u009b31m\x7f\u2028\x00x":  "???31m???x",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
	if got := Line("two\nlines\x1b"); got != "two?lines?" {
		t.Errorf("Line gives %q", got)
	}
	if got := Cut("µµµµ", 2); got != "µµ…" {
		t.Errorf("Cut gives %q", got)
	}
	if got := Cut("µµ", 2); got != "µµ" {
		t.Errorf("Cut gives %q", got)
	}
}

// TestWriter writes text in pieces of every length. Split characters are restored, and only the program's own styles
// are forwarded.
func TestWriter(t *testing.T) {
	const in = "\x1b[1mbold\x1b[0m µ\u202e\x1b[8mred\x1b[2J 🙂\xff\x1b[1"
	const want = "\x1b[1mbold\x1b[0m µ??[8mred?[2J 🙂??"
	for n := 1; n <= len(in); n++ {
		var out bytes.Buffer
		w := NewWriter(&out)
		for rest := in; rest != ""; {
			part := rest[:min(n, len(rest))]
			rest = rest[len(part):]
			if k, err := w.Write([]byte(part)); k != len(part) || err != nil {
				t.Fatalf("Write returns %d, %v", k, err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Errorf("in pieces of %d: %q, want %q", n, out.String(), want)
		}
	}
}

// TestJSON checks that readers of the JSON find the same text, and that no byte of it controls a terminal.
func TestJSON(t *testing.T) {
	const text = "a\u202eb\u009b\x7f \U000e0001 µ \x1b[2J"
	var out bytes.Buffer
	if err := json.NewEncoder(NewWriter(&out).JSON()).Encode(text); err != nil {
		t.Fatal(err)
	}
	if got := Clean(out.String()); got != out.String() {
		t.Errorf("%q would be changed", out.String())
	}
	var back string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back != text {
		t.Errorf("read back: %q, %v", back, err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestWriterKeepsError(t *testing.T) {
	full := errors.New("no space left")
	w := NewWriter(failing{full})
	for range 2 {
		if n, err := w.Write([]byte("text")); n != 4 || err != nil {
			t.Errorf("Write returns %d, %v", n, err)
		}
	}
	if !errors.Is(w.Err(), full) || !errors.Is(w.Flush(), full) {
		t.Errorf("the error is %v", w.Err())
	}
}

func BenchmarkWriter(b *testing.B) {
	w := NewWriter(new(strings.Builder))
	line := []byte(strings.Repeat("a row of a table ", 8) + "\n")
	b.ReportAllocs()
	for b.Loop() {
		_, _ = w.Write(line)
	}
}
