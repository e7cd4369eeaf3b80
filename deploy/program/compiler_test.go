package program

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"xopt/flow/xlang"
	"xopt/internal/testkit"
)

func TestSplitWords(t *testing.T) {
	for text, want := range map[string][]string{
		"gcc":                          {"gcc"},
		" ccache  gcc ":                {"ccache", "gcc"},
		"gcc -O1":                      {"gcc", "-O1"},
		`"/opt/my tools/cc" -DX='a b'`: {"/opt/my tools/cc", "-DX=a b"},
		`cc -DNAME=\"x\"`:              {"cc", `-DNAME="x"`},
		"cc '$HOME' `id`":              {"cc", "$HOME", "`id`"},
		"cc; rm -r x":                  nil,
		"cc > x":                       nil,
		`cc "-O1`:                      nil,
	} {
		got, err := splitWords(text)
		if !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%s: %q, %v; want %q", text, got, err, want)
		}
	}
}

// TestCompilerOfSeveralWords: CC may be a program with arguments, and needs no shell; the arguments are part of its
// identity.
func TestCompilerOfSeveralWords(t *testing.T) {
	gcc := testkit.Tool(t, "gcc", "gcc")
	dir := filepath.Join(t.TempDir(), "my tools")
	log := filepath.Join(dir, "log")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "wrap"), []byte("#!/bin/sh\necho \"$*\" >>'"+log+"'\nexec \"$@\" -O0\n"),
		0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CC", "'"+dir+"/wrap' "+gcc+" -O1")
	prog, err := New(context.Background(), load(t, "../../bench/apps/test1", "app.x arch.x",
		"map { top } to proc[1];"), Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := prog.Remove(); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(log)
	if err != nil || !strings.Contains(string(text), gcc+" -O1 -std=gnu11 ") {
		t.Errorf("the compiler was called with %q, %v", text, err)
	}
	if v := prog.CompilerVersion(); !strings.HasSuffix(v, " -O1") || !strings.Contains(v, "gcc") {
		t.Errorf("the compiler is said to be %q", v)
	}
	t.Setenv("CC", "gcc | true")
	if _, err := Compiler(); err == nil || !strings.Contains(err.Error(), "CC is ") {
		t.Errorf("got %v", err)
	}
}

// TestFlags: the flags of an implementation are split as by a shell. Characters with another meaning in a shell are
// rejected with their place.
func TestFlags(t *testing.T) {
	for text, want := range map[string][]string{
		"":                       {},
		"-O1  -g":                {"-O1", "-g"},
		`-DTEXT='a b' -DS=\"x\"`: {"-DTEXT=a b", `-DS="x"`},
		"-I'/opt/my headers'":    {"-I/opt/my headers"},
		"-DX=1; rm -r x":         nil,
		"-DX='1":                 nil,
	} {
		impl := &xlang.Impl{Attrs: xlang.Values{"flags": {Text: text, Pos: xlang.Pos{File: "app.x", Line: 3,
			Column: 9}}}}
		got, err := Flags(impl, "flags")
		if !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%s: %q, %v; want %q", text, got, err, want)
		}
		if input := (*InputError)(nil); err != nil && (!errors.As(err, &input) ||
			!strings.HasPrefix(err.Error(), "app.x:3:9: flags is ")) {
			t.Errorf("%s: %v, want the place", text, err)
		}
	}
}

// TestFlagWithBlank: a flag with a blank reaches the compiler in one piece.
func TestFlagWithBlank(t *testing.T) {
	testkit.Tool(t, "gcc", "gcc")
	const app = `#include "std.x"
block G { output UNSIGNED32 y; };
block S { input UNSIGNED32 x; };
block top { G g; S s; e: g -> s; };
use top;
platform C { impl G (src="g.c", flags="-DTEXT='(1 + 1)'"); impl S (src="s.c"); };
resource proc[1] is C;
map { top } to proc[1];
`
	dir := testkit.Copy(t, "../run/testdata/pipeline", map[string]string{"app.x": app, "g.c": `#include "X_G.h"
_Static_assert(TEXT == 2, "the flag is whole");
void X_G_init(X_G *d) { (void)d; }
int X_G_go(X_G *d) { *X_G_y(d, 1) = TEXT; X_G_y_send(d, 1); return 1; }
void X_G_destroy(X_G *d) { (void)d; }
`})
	prog, err := New(context.Background(), load(t, dir, "app.x", ""), Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := prog.Remove(); err != nil {
		t.Error(err)
	}
}
