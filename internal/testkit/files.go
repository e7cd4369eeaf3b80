// Package testkit contains helpers for the tests of several packages. Only tests import it.
package testkit

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Files writes texts, by file name, to files in a new folder and returns the folder.
func Files(t testing.TB, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		Write(t, filepath.Join(dir, name), text)
	}
	return dir
}

// Copy copies the files of a folder to a new folder and returns the new folder. Each entry of texts, by file name,
// replaces or adds a file.
func Copy(t testing.TB, dir string, texts map[string]string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	for name, text := range texts {
		Write(t, filepath.Join(to, name), text)
	}
	return to
}

// Read returns the content of a file as text.
func Read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Write writes a file and creates its parent folders.
func Write(t testing.TB, path, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err := errors.Join(err, os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// App returns the folder of an application in bench/apps, regardless of the working folder.
func App(t testing.TB, name string) string {
	t.Helper()
	dir := filepath.Join(Root(t), "bench", "apps", name)
	if _, err := os.Stat(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// packageDir is the folder of the package under test. go test starts in this folder, but a test may change the working
// folder.
var packageDir, errPackageDir = os.Getwd()

// Root returns the folder of the module: the closest parent folder of the package under test that contains go.mod.
func Root(t testing.TB) string {
	t.Helper()
	if errPackageDir != nil {
		t.Fatal(errPackageDir)
	}
	for at := packageDir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			t.Fatalf("no go.mod above %s", packageDir)
		}
	}
}

// Tool returns the path of a program that a Debian package contains. It skips the test if the program is not installed.
func Tool(t testing.TB, name, debian string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed (Debian: %s)", name, debian)
	}
	return path
}

// Tools skips the test if one of the programs is not installed. Each Debian package must have the name of its program.
func Tools(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		Tool(t, name, name)
	}
}
