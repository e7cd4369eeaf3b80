package infile

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestOpen checks that paths other than regular files are rejected at once, with their names.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	pipe, link, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "link"), filepath.Join(dir, "file")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		pipe:                       "pipe is not a regular file but a pipe",
		link:                       "link is not a regular file but a pipe",
		"/dev/zero":                "/dev/zero is not a regular file but a device",
		dir:                        "is not a regular file but a folder",
		filepath.Join(dir, "none"): "none: no such file or directory",
	} {
		if f, err := Open(path); err == nil || f != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
	if text, err := Read(file, 3); err != nil || string(text) != "tex" {
		t.Errorf("got %q, %v", text, err)
	}
}
