package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"xopt/cmd/internal/options"
)

// TestForeignSettings checks that the settings file of a folder is rejected if another user owns it or a link to it,
// or may write to it. The command must end before it does anything.
func TestForeignSettings(t *testing.T) {
	t.Chdir(t.TempDir())
	const stranger = 54321
	for _, c := range []struct {
		name   string
		change func() error
		want   string
	}{
		{"another user's", func() error { return os.Chown(options.FileName, stranger, -1) },
			"belongs to another user (uid 54321)"},
		{"open to all", func() error { return os.Chmod(options.FileName, 0o666) }, "is writable by every user"},
		{"another user's link", func() error {
			return errors.Join(os.Rename(options.FileName, "mine.yaml"), os.Symlink("mine.yaml", options.FileName),
				os.Lchown(options.FileName, stranger, -1))
		}, "belongs to another user (uid 54321)"},
		{"another user's behind a link", func() error {
			return errors.Join(os.Rename(options.FileName, "theirs.yaml"), os.Symlink("theirs.yaml", options.FileName),
				os.Chown("theirs.yaml", stranger, -1))
		}, "belongs to another user (uid 54321)"},
	} {
		if strings.Contains(c.name, "another") && os.Geteuid() != 0 {
			continue // only root can change the owner
		}
		if err := errors.Join(os.RemoveAll(options.FileName),
			os.WriteFile(options.FileName, []byte("seed: 7\n"), 0o600),
			c.change()); err != nil {
			t.Fatal(err)
		}
		var out, notes bytes.Buffer
		if code := run(context.Background(), []string{"config", "show"}, &out, &notes); code != exitUsage ||
			!strings.Contains(notes.String(), c.want) || out.Len() > 0 {
			t.Errorf("%s: code %d, %q, %q", c.name, code, notes.String(), out.String())
		}
		notes.Reset()
		named := []string{"config", "show", "--config", options.FileName}
		code := run(context.Background(), named, &out, &notes)
		if code != 0 || !strings.Contains(out.String(), "seed") {
			t.Errorf("%s, named: code %d, %s", c.name, code, notes.String())
		}
	}
}
