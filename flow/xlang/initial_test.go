package xlang_test

import (
	"os"
	"path/filepath"
	"testing"

	"xopt/flow/xlang"
)

// TestInitial: edges have the initial elements in their brackets, each edge of an array the same number. A loop may
// be inside a block; values are found beside the X file.
func TestInitial(t *testing.T) {
	dir := t.TempDir()
	app := filepath.Join(dir, "app.x")
	for path, text := range map[string]string{
		filepath.Join(dir, "start.bin"): "12345678",
		app: `#include "std.x"
block G { output UNSIGNED8 y; };
block Add { input UNSIGNED8 x; input UNSIGNED16 back; output UNSIGNED8 y; output UNSIGNED16 z; join x, back; };
block Delay { input UNSIGNED16 x; output UNSIGNED16 y; };
block Filter { config UNSIGNED32 taps; input UNSIGNED8 x; output UNSIGNED8 y; Add add; Delay delay;
    x -> add.x;  add.y -> y;
    loop: add.z -> delay
    back: delay -> add.back (initial=taps*2, values="start.bin"); };
block S { input UNSIGNED8 x; };
block top { config UNSIGNED32 n = 2; G g[2]; Filter filter[2] (taps=n); S s[2];
    g[*] -> filter[*].x (initial=3);  out: filter[*].y -> s[*].x (initial=0); };
use top;
`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, src, err := xlang.Load([]string{app}, xlang.Options{Library: os.DirFS(library)})
	if err != nil {
		t.Fatal(render(err, src))
	}
	values := filepath.Join(dir, "start.bin")
	want := map[string]xlang.Edge{
		"top.filter[1].loop": {}, "top.filter[1].back": {Initial: 4, InitialValues: values},
		"top.filter[2].loop": {}, "top.filter[2].back": {Initial: 4, InitialValues: values},
		"top.g[*]->filter[*].x[1]": {Initial: 3}, "top.g[*]->filter[*].x[2]": {Initial: 3}, "top.out[1]": {},
		"top.out[2]": {},
	}
	for _, e := range p.Edges {
		w, ok := want[e.Name]
		if delete(want, e.Name); !ok || e.Initial != w.Initial || e.InitialValues != w.InitialValues {
			t.Errorf("edge %s holds %d of %q", e.Name, e.Initial, e.InitialValues)
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}
