package fault

import (
	"errors"
	"fmt"
	"io"
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
	} {
		if got := Text(c.err); got != c.want {
			t.Errorf("Text = %q, want %q", got, c.want)
		}
	}
}
