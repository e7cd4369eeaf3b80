package xlang_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"xopt/flow/faults"
	"xopt/flow/xlang"
)

// library is the folder of std.x.
const library = "../../configs/lib"

// load reads files with the real library.
func load(t *testing.T, set map[string]string, files ...string) *xlang.Program {
	t.Helper()
	p, src, err := xlang.Load(files, xlang.Options{Library: os.DirFS(library), Set: set})
	if err != nil {
		t.Fatal(render(err, src))
	}
	return p
}

func render(err error, src *xlang.Source) string {
	if d, ok := err.(xlang.Diagnostics); ok {
		var b strings.Builder
		d.Render(&b, src.Text)
		return b.String()
	}
	return err.Error()
}

// loadText reads one file that is not on disk.
func loadText(text string) (*xlang.Program, *xlang.Source, error) {
	return xlang.Load([]string{"test.x"}, xlang.Options{Library: os.DirFS(library), ReadFile: func(path string) ([]byte,
		error) {
		if path != "test.x" {
			return nil, os.ErrNotExist
		}
		return []byte(text), nil
	}})
}

func TestExamplesLoad(t *testing.T) {
	apps, err := filepath.Glob("../../configs/examples/*/app.x")
	if err != nil || len(apps) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, app := range apps {
		load(t, nil, app, filepath.Join(filepath.Dir(app), "arch.x"))
	}
}

// TestTwoMappings: two files with a mapping each are one mistake, which names both files.
func TestTwoMappings(t *testing.T) {
	dir := "../../configs/examples/gayen-veritas/"
	_, _, err := xlang.Load([]string{dir + "pipes2.x", dir + "arch_slow.x", dir + "map1.x", dir + "mapB2.x"},
		xlang.Options{Library: os.DirFS(library)})
	var found xlang.Diagnostics
	if !errors.As(err, &found) {
		t.Fatalf("%v, want diagnostics", err)
	}
	if len(found) != 1 || found[0].ID != faults.MappedTwice || !strings.HasSuffix(found[0].Pos.File, "mapB2.x") ||
		!strings.HasSuffix(found[0].Related.File, "map1.x") {
		t.Errorf("two mappings give %v, want one error of both files", found)
	}
}
