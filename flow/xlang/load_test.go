package xlang_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
