package flowtest_test

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/flow/xlang"
	"xopt/internal/testkit"
)

const app = `#include "std.x"
block G { config UNSIGNED32 n = 3; output UNSIGNED8 y; };
block S { input UNSIGNED8 x; };
block top { config UNSIGNED32 n = 3; G g (n=n); S s; e: g -> s; };
use top;
platform C { impl G (src="g.c"); impl S (src="s.c"); };
resource proc[2] is C;
resource mem is memory ({ proc }, bandwidth="1GB/s");
`

// TestX: X code is read from a folder, from a file system, or from text alone, with configs set, and its design has the
// mapping that is given as text.
func TestX(t *testing.T) {
	dir := testkit.Files(t, map[string]string{"app.x": app})
	for name, x := range map[string]flowtest.X{
		"folder":      {Dir: dir, Files: []string{"app.x"}},
		"file system": {Dir: "a", Files: []string{"app.x"}, From: fstest.MapFS{"a/app.x": {Data: []byte(app)}}},
		"text":        {Files: []string{}, More: app},
	} {
		x.Set = map[string]string{"top.n": "7"}
		p := x.Program(t)
		if n := len(p.Kernels); n != 2 {
			t.Errorf("%s: %d kernels", name, n)
		}
		if got := p.Kernels[0].Config["n"].Number; got != 7 {
			t.Errorf("%s: n is %g", name, got)
		}
	}
	placed := flowtest.X{Dir: dir, Files: []string{"app.x"},
		More: "map { top.g } to proc[2]; map { top.s } to proc[1];"}
	d := placed.Design(t, design.Options{Purpose: design.ForCheck})
	if got := d.Mapping.Place; got[0] != 1 || got[1] != 0 {
		t.Errorf("the mapping is %v", got)
	}
}

// TestShown: an error about X code shows its line.
func TestShown(t *testing.T) {
	dir := testkit.Files(t, map[string]string{"wrong.x": "block G {\n  outptu UNSIGNED8 y;\n};\n"})
	path := filepath.Join(dir, "wrong.x")
	_, source, err := xlang.Load([]string{path}, xlang.Options{})
	if err == nil {
		t.Fatal("it is read")
	}
	if got := flowtest.Shown(err, source); !strings.Contains(got, "outptu UNSIGNED8 y;") {
		t.Errorf("got %s", got)
	}
}
