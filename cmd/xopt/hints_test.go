package main

import (
	"os"
	"testing"
)

// TestUnknownRouting checks that an unstated routing fraction is reported as unknown, not as 0.
func TestUnknownRouting(t *testing.T) {
	t.Chdir(t.TempDir())
	const text = "\xef\xbb\xbf" + `#include "std.x"
block G { output UNSIGNED8 y, z; };
block S { input UNSIGNED8 x; };
block top { G g; S s, t; a: g.y -> s; b: g.z -> t; };
use top;
resource proc is C;
` // a byte order mark, as some editors write it, has no meaning
	if err := os.WriteFile("app.x", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out, _ := typedLine(t, 0, "check", "app.x", "--full")
	has(t, "check", out, "top.g.y  top.s  UNSIGNED8      1        ?", "top.g.z  top.t  UNSIGNED8      1        ?",
		"!0 a")
}

// TestConnectHint checks that the message on an unconnected port shows how to connect it, with a free and compatible
// port if there is one.
func TestConnectHint(t *testing.T) {
	t.Chdir(t.TempDir())
	const text = `#include "std.x"
block G { output UNSIGNED8 y, z; };
block S { input UNSIGNED8 x; };
block P { input UNSIGNED8 x, w; S s; x -> s.x; };
block top { G g; P p; S s; a: g.y -> p.x; };
use top;
`
	if err := os.WriteFile("app.x", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	_, errs := typedLine(t, 2, "check", "app.x")
	has(t, "check", errs, "connect it inside top: g.z -> s.x;", "connect it inside block P: w -> INSTANCE.PORT;")
}
