package output

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestSink checks that kernels' output replaces any file, is sent to pipes and devices, and otherwise needs a folder.
func TestSink(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("old"), "years of work")
	if err := errors.Join(syscall.Mkfifo(at("pipe"), 0o600), os.Mkdir(at("folder"), 0o755),
		os.Symlink("new", at("link")), os.Symlink("none/new", at("astray"))); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		at("new"):      "",
		at("old"):      "",
		at("pipe"):     "",
		at("link"):     "",
		"/dev/null":    "",
		at("none/new"): "the folder " + at("none") + " does not exist",
		at("astray"):   "the folder " + at("none") + " does not exist",
		at("folder"):   "it is a folder",
		dir + "/new/":  "does not exist",
		at("old/new"):  "not a directory",
	} {
		p := Plan{}
		p.Sink("--sink", path)
		expect(t, path, p.Err(), want)
	}
	if _, err := os.Stat(at("new")); err == nil {
		t.Error("the check has made the file")
	}
}
