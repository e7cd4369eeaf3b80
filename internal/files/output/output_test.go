package output

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// expect compares an error with the expected text; "" for none.
func expect(t *testing.T, what string, err error, want string) {
	t.Helper()
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("%s: %v, want %q", what, err, want)
	}
}

// TestFile checks that only files with the mark of their kind are replaced, and that a folder must exist.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("mine"), "years of work")
	write(t, at("ours"), "{\n  \"schema\": 1,\n  \"tool\": \"xopt\",")
	write(t, at("late"), strings.Repeat(" ", headBytes)+`"schema": 1, "tool": "xopt"`)
	if err := errors.Join(os.Symlink(at("ours"), at("link")), os.Symlink(at("nothing"), at("dangling")),
		os.Mkdir(at("folder"), 0o755)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, want, forced string }{
		{"new", "", ""},
		{"ours", "", ""},
		{"mine", "mine exists and is not a result file that xopt wrote", ""},
		{"late", "is not a result file", ""},
		{"link", "is not a result file", ""},
		{"dangling", "is a broken link", ""},
		{"folder", "folder is a folder: name a file in it", "is a folder"},
		{"folder/", "is a folder", "is a folder"},
		{"none/new", "does not exist", "does not exist"},
		{"mine/new", "not a directory", "not a directory"},
	} {
		for force, want := range map[bool]string{false: c.want, true: c.forced} {
			p := Plan{Force: force}
			p.File("--save", dir+"/"+c.name, Result())
			expect(t, c.name, p.Err(), want)
		}
	}
	p := Plan{}
	p.File("--a", at("mine"), Result())
	p.File("--b", at("folder"), Page())
	if err := p.Err(); err == nil || !strings.Contains(err.Error(), "--a: ") || !strings.Contains(err.Error(),
		"--b: ") {
		t.Errorf("not everything is told: %v", err)
	}
	if left, err := filepath.Glob(at(".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// TestFolder checks that tables and plots are recognized by their checksums.
func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "tables")
	check := func(force bool) error {
		p := Plan{Force: force}
		p.Folder("--csv", dir, "a.csv", "statement_*.csv")
		return p.Err()
	}
	expect(t, "a folder that is not there", check(false), "")
	write(t, filepath.Join(dir, "notes"), "mine")
	write(t, filepath.Join(dir, "a.csv"), "a,b\n")
	write(t, filepath.Join(dir, "statement_1.csv"), "a,b\n")
	expect(t, "files of others", check(false), "xopt would replace 2 files in "+dir+
		" that it did not write, such as ")
	write(t, filepath.Join(dir, "a.csv"), TablesMark+" 1.0\na,b\n")
	expect(t, "a file of others by a pattern", check(false), "statement_1.csv exists and was not written by xopt")
	expect(t, "with --force", check(true), "")
	if err := Record(dir, []string{"a.csv", "statement_1.csv"}); err != nil {
		t.Fatal(err)
	}
	expect(t, "our files", check(false), "")
	write(t, filepath.Join(dir, "a.csv"), "a,b,c\n")
	expect(t, "a file that was changed", check(false), "a.csv exists and was changed since xopt wrote it")
	if err := errors.Join(os.Remove(filepath.Join(dir, "a.csv")), Record(dir, nil)); err != nil {
		t.Fatal(err)
	}
	if list := readList(dir); len(list) != 1 || list["statement_1.csv"] == "" {
		t.Errorf("the list has %v", list)
	}
}

// TestBuild checks that a folder of a generated program is recognized by its Makefile.
func TestBuild(t *testing.T) {
	dir := t.TempDir()
	check := func(name string, force bool) error {
		p := Plan{Force: force}
		p.Build("--keep", filepath.Join(dir, name))
		return p.Err()
	}
	write(t, filepath.Join(dir, "mine", "Makefile"), "all:\n")
	write(t, filepath.Join(dir, "ours", "Makefile"), buildMark+" make builds ./app\n")
	write(t, filepath.Join(dir, "file"), "")
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"new": "", "a/b/new": "", "empty": "", "ours": "",
		"mine": "was not written by xopt", "file": "is not a readable folder", "file/new": "not a directory"} {
		expect(t, name, check(name, false), want)
	}
	expect(t, "with --force", check("mine", true), "")
}

// TestUnwritable checks that an unwritable folder is reported before the work.
func TestUnwritable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	p := Plan{}
	p.File("-o", filepath.Join(dir, "r.json"), Result())
	p.Folder("--csv", dir, "a.csv")
	p.Build("--keep", filepath.Join(dir, "kept"))
	if err := p.Err(); err == nil || strings.Count(err.Error(), "permission denied") != 3 {
		t.Errorf("told is %v", err)
	}
}

// TestWriteFile checks that a failure leaves the file unchanged, without temporary files.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	write(t, path, "before")
	failure := errors.New("no space")
	err := WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, "half")
		return errors.Join(err, failure)
	})
	if !errors.Is(err, failure) {
		t.Errorf("the error is %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "before" {
		t.Errorf("the file is %q, %v", text, err)
	}
	if err := WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w,
			"after")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	entries, err2 := os.ReadDir(dir)
	if errors.Join(err, err2) != nil || string(text) != "after" || len(entries) != 1 {
		t.Errorf("the file is %q among %d, %v, %v", text, len(entries), err, err2)
	}
}

// TestRemoveEmpty checks that folders that a plan created are removed if nothing was written into them.
func TestRemoveEmpty(t *testing.T) {
	there, home := t.TempDir(), t.TempDir()
	var made Folders
	p := Plan{Made: &made}
	empty, used := filepath.Join(home, "a", "empty"), filepath.Join(home, "b", "used")
	for _, folder := range []string{empty, used, there} {
		p.Into("--report", folder, nil)
	}
	if err := p.Err(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(used, "page.html"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	made.RemoveEmpty()
	for path, want := range map[string]bool{filepath.Dir(empty): false, used: true, there: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: %v, want existing %t", path, err, want)
		}
	}
}

// TestExportedAgain checks that a graph of xopt export may be replaced: it starts with the comment of flow/exchange.
func TestExportedAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.tgff")
	text := "# Exported by xopt from top; one time unit is 1 ns\n\n@TASK_GRAPH 0 {\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if !Wrote(path, Exported()) {
		t.Errorf("xopt does not recognize its own file: %s", text)
	}
}
