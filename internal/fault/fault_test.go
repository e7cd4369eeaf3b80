package fault

import (
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
