package build

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"xopt/configs"
	"xopt/internal/design"
	"xopt/internal/xlang"
)

// load reads an application with a map given as text.
func load(t *testing.T, dir, files, mapping string) *design.Design {
	t.Helper()
	path := filepath.Join(t.TempDir(), "map.x")
	if err := os.WriteFile(path, []byte(mapping), 0o644); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range strings.Fields(files) {
		names = append(names, filepath.Join(dir, f))
	}
	p, src, err := xlang.Load(append(names, path), xlang.Options{Library: configs.Library()})
	if err != nil {
		t.Fatal(err, src)
	}
	d, err := design.New(p, design.Options{Purpose: design.ForCheck})
	if err != nil {
		t.Fatal(err)
	}
	return d
}
