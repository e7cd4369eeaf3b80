// Package flowtest helps tests to read X code and solve mappings.
package flowtest

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"xopt/configs"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/internal/testkit"
)

// X is the X code of a test: files, and additional code as text.
type X struct {
	Dir   string   // folder of the files
	Files []string // nil for app.x and arch.x
	// More is X code in a separate file after Files, such as a mapping.
	More string
	Set  map[string]string // configs, such as "top.n" -> "3"
	// From is the file system that contains Dir and the files; nil if they are on disk.
	From fs.FS
}

// Program reads the X code. An error in the code fails the test, which prints the line.
func (x X) Program(t testing.TB) *xlang.Program {
	t.Helper()
	files := x.Files
	if files == nil {
		files = []string{"app.x", "arch.x"}
	}
	var paths []string
	for _, f := range files {
		paths = append(paths, filepath.Join(x.Dir, f))
	}
	if x.More != "" {
		paths = append(paths, filepath.Join(testkit.Files(t, map[string]string{"more.x": x.More}), "more.x"))
	}
	o := xlang.Options{Library: configs.Library(), Set: x.Set}
	if x.From != nil {
		o.ReadFile = func(path string) ([]byte, error) { return fs.ReadFile(x.From, filepath.ToSlash(path)) }
	}
	p, source, err := xlang.Load(paths, o)
	if err != nil {
		t.Fatalf("reading %v: %s", files, Shown(err, source))
	}
	return p
}

// Design reads the X code and interprets its figures.
func (x X) Design(t testing.TB, o design.Options) *design.Design {
	t.Helper()
	d, err := design.New(x.Program(t), o)
	if err != nil {
		t.Fatalf("%v: %v", x.Files, err)
	}
	return d
}

// Shown formats an error about X code, with the lines to which the error refers.
func Shown(err error, source *xlang.Source) string {
	var all xlang.Diagnostics
	if !errors.As(err, &all) || source == nil {
		return err.Error()
	}
	var b strings.Builder
	all.Render(&b, source.Text)
	return b.String()
}

// Solve builds the flow network of a mapping and solves it.
func Solve(t testing.TB, p *flow.Problem, m *flow.Mapping) (*flow.Network, *flow.Solution) {
	t.Helper()
	n, s, err := p.Solve(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	return n, s
}
