package build

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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

// TestCompilerOfSeveralWords: CC may be a program with arguments, and need no shell; what it is
// given always is part of what it is.
func TestCompilerOfSeveralWords(t *testing.T) {
	gcc := testkit.Tool(t, "gcc", "gcc")
	dir := filepath.Join(t.TempDir(), "my tools")
	log := filepath.Join(dir, "log")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "wrap"), []byte("#!/bin/sh\necho \"$*\" >>'"+log+"'\nexec \"$@\"\n"),
		0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CC", "'"+dir+"/wrap' "+gcc+" -O1")
	prog, err := New(context.Background(), load(t, "../../../bench/apps/test1", "app.x arch.x",
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
