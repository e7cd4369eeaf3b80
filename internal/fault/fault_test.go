package fault

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"
	"testing"
)

func TestOf(t *testing.T) {
	const inner, outer ID = "no-input", "no-profile"
	cause := inner.Errorf("reading: %w", io.EOF)
	for _, c := range []struct {
		name string
		err  error
		want ID
	}{
		{"none", io.EOF, ""},
		{"nil", nil, ""},
		{"own", cause, inner},
		{"wrapped", fmt.Errorf("app.x: %w", cause), inner},
		{"outermost", outer.Errorf("app.x: %w", cause), outer},
	} {
		if got := Of(c.err); got != c.want {
			t.Errorf("%s: Of = %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTagged(t *testing.T) {
	for _, c := range []struct {
		text string
		id   ID
		want string
	}{
		{"no file", "", "no file"},
		{"no file", "no-file", "no file [no-file]"},
		{"to continue: xopt search a.x --resume", "", "to continue:\n    xopt search a.x --resume"},
		{"app.x:1: no file\n  x\n", "no-file", "app.x:1: no file [no-file]\n  x\n"},
	} {
		if got := Tagged(c.text, c.id); got != c.want {
			t.Errorf("Tagged(%q, %q) = %q, want %q", c.text, c.id, got, c.want)
		}
	}
}

func TestText(t *testing.T) {
	one, two := ID("no-file").Errorf("a"), fmt.Errorf("--csv: %w", ID("no-folder").Errorf("b"))
	for _, c := range []struct {
		err  error
		want string
	}{
		{io.EOF, "EOF"},
		{two, "--csv: b [no-folder]"},
		{Usage(errors.Join(one, two, io.EOF)), "a [no-file]\n--csv: b [no-folder]\nEOF"},
		{fmt.Errorf("x: %w", errors.Join(one, two)), "x: a [no-file]\n--csv: b"},
		{fmt.Errorf("--input: %w", &fs.PathError{Op: "stat", Path: "a.bin", Err: syscall.ENOENT}),
			"--input: a.bin: the file does not exist [no-file]"},
		{fmt.Errorf("cannot read a.x: %w", &fs.PathError{Op: "open", Path: "a.x", Err: syscall.ENOENT}),
			"cannot read a.x: the file does not exist [no-file]"},
		{ID("bad").Errorf("--csv: %w (try again)", &fs.PathError{Op: "open", Path: "b", Err: syscall.EACCES}),
			"--csv: b: permission denied (try again) [bad]"},
	} {
		if got := Text(c.err); got != c.want {
			t.Errorf("Text = %q, want %q", got, c.want)
		}
	}
}

// TestCommand checks that a command at the end of a message can be copied: it has a line of its own without the
// identifier, unless it is a part of the sentence.
func TestCommand(t *testing.T) {
	for text, want := range map[string]string{
		"no profile: measure: xopt calibrate a.x":      "no profile: measure: [id]\n    xopt calibrate a.x",
		"no profile: xopt calibrate a.x\nmore":         "no profile: [id]\n    xopt calibrate a.x\nmore",
		"see: xopt calibrate a.x, or state the rates":  "see: xopt calibrate a.x, or state the rates [id]",
		"no file (write one: xopt machine -o arch.x)":  "no file (write one: xopt machine -o arch.x) [id]",
		"the command xopt calibrate a.x measures more": "the command xopt calibrate a.x measures more [id]",
	} {
		if got := Tagged(text, "id"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
