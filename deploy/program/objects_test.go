package program

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"xopt/internal/cache"
	"xopt/internal/testkit"
)

// countingCC returns a quick C compiler that notes its arguments; the returned function counts the calls that
// compile, by their last argument, and forgets them.
func countingCC(t *testing.T) func() map[string]int {
	t.Helper()
	gcc := testkit.Tool(t, "gcc", "gcc")
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	script := fmt.Sprintf("#!/bin/sh\necho \"$*\" >>'%s'\nexec '%s' \"$@\" -O0\n", log, gcc)
	if err := os.WriteFile(filepath.Join(dir, "cc"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CC", filepath.Join(dir, "cc"))
	return func() map[string]int {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(log, 0); err != nil {
			t.Fatal(err)
		}
		calls := make(map[string]int)
		for line := range strings.Lines(string(text)) {
			if words := strings.Fields(line); slices.Contains(words, "-c") {
				calls[filepath.Base(words[len(words)-1])]++
			}
		}
		return calls
	}
}

// cached returns a context whose cache is a new folder.
func cached(t *testing.T) context.Context {
	t.Helper()
	kept := cache.New(cache.Settings{Dir: t.TempDir(), Note: func(s string) { t.Error(s) }})
	t.Cleanup(func() {
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
	})
	return cache.With(t.Context(), kept)
}

// lastRuntime is the last source of the runtime: a call that compiles all of it ends with this name.
const lastRuntime = "xrt.c"

// TestCompiledOnce: nine mappings compile each kernel and the runtime once; files that depend on the mapping
// are compiled for each.
func TestCompiledOnce(t *testing.T) {
	calls, ctx := countingCC(t), cached(t)
	const mappings = 9
	for i := range mappings {
		mapping := "map { top.gen1, top.gen2 } to proc[1]; map { top.sum, top.half, top.store } to proc[2];"
		if i%2 == 0 {
			mapping = fmt.Sprintf("map { top } to proc[1]; buffer { top.e1 } = %d;", i+10)
		}
		prog, err := New(ctx, load(t, "../../bench/apps/test1", "app.x arch.x", mapping), Options{}, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := prog.Remove(); err != nil {
			t.Error(err)
		}
	}
	got := calls()
	for what, want := range map[string]int{"generate.c": 1, "sum.c": 1, "half.c": 1, "store.c": 1, lastRuntime: 1,
		"main.c": mappings} {
		if got[what] != want {
			t.Errorf("%s was compiled %d times for %d mappings, want %d", what, got[what], mappings, want)
		}
	}
	if len(got) != 6 {
		t.Errorf("compiled %v", got)
	}
}

// keptApp is an application of a source whose kernel includes a header.
const keptApp = `#include "std.x"
block G { config SIGNED64 elements = 10; output UNSIGNED32 y; };
block S { input UNSIGNED32 x; };
block top { G g; S s; e1: g -> s; };
use top;
platform C { impl G (src="g.c", flags="FLAGS"); impl S (src="s.c"); };
resource proc[2] is C;
map { top } to proc[1];
`

// TestCompiledAgain: an object is recompiled exactly if one of its dependencies has changed, including an indirectly
// included header.
func TestCompiledAgain(t *testing.T) {
	calls, ctx, dir := countingCC(t), cached(t), t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const kernelG = "#include \"X_G.h\"\n#include \"a.h\"\nvoid X_G_init(X_G *d) { (void)d; }\n" +
		"int X_G_go(X_G *d) { (void)d; return A; }\nvoid X_G_destroy(X_G *d) { (void)d; }\n"
	write("app.x", strings.Replace(keptApp, "FLAGS", "", 1))
	write("g.c", kernelG)
	write("s.c", "#include \"X_S.h\"\nvoid X_S_init(X_S *d) { (void)d; }\n"+
		"void X_S_push(X_S *d) { X_S_x_release(d, X_S_x_avail(d)); }\nvoid X_S_destroy(X_S *d) { (void)d; }\n")
	write("a.h", "#define A 1\n")
	write("b.h", "#define A 1\n")
	var object string
	for _, c := range []struct {
		what, file, text string
		options          Options
		g, s, runtime    int // calls of the compiler
		other            bool
	}{
		{what: "the first time", g: 1, s: 1, runtime: 1, other: true},
		{what: "nothing has changed"},
		{what: "taps", options: Options{Taps: []Tap{{Kind: Occupancy}}}, runtime: 1},
		{what: "another style", options: Options{Style: PerKernel}},
		{what: "the value of a config", options: Options{Elements: 77}},
		{what: "a header", file: "a.h", text: "#define A 0\n", g: 1, other: true},
		{what: "a header as it was", file: "a.h", text: "#define A 1\n", other: true},
		{what: "a header that includes another", file: "a.h", text: "#include \"b.h\"\n", g: 1},
		{what: "that other", file: "b.h", text: "#define A 2\n", g: 1, other: true},
		{what: "that other as it was", file: "b.h", text: "#define A 1\n", other: true},
		{what: "its ports", file: "app.x", g: 1,
			text: strings.Replace(strings.Replace(keptApp, "elements = 10;", "elements = 10; config FLOAT32 z = 1;", 1),
				"FLAGS", "", 1)},
		{what: "its flags", file: "app.x", text: strings.Replace(keptApp, "FLAGS", "-DX=1", 1), g: 1},
		{what: "flags that name a file", file: "app.x", text: strings.Replace(keptApp, "FLAGS", "-include "+dir+"/b.h",
			1),
			g: 1},
		{what: "a time in it", file: "g.c", text: kernelG + "const char *made = __TIME__;\n", g: 1, other: true},
		{what: "a time in it, again", g: 1, other: true},
	} {
		if c.file != "" {
			write(c.file, c.text)
		}
		prog, err := New(ctx, load(t, dir, "app.x", ""), c.options, "")
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		code, err := os.ReadFile(prog.Object("G"))
		if err != nil {
			t.Fatal(err)
		}
		if other := string(code) != object; other != c.other && !strings.Contains(c.what, "time") {
			t.Errorf("%s: the object is another: %t", c.what, other)
		}
		object = string(code)
		if err := prog.Remove(); err != nil {
			t.Error(err)
		}
		if got := calls(); got["g.c"] != c.g || got["s.c"] != c.s || got[lastRuntime] != c.runtime ||
			got["main.c"] != 1 {
			t.Errorf("%s: compiled %v, want g.c %d, s.c %d and the runtime %d times", c.what, got, c.g, c.s, c.runtime)
		}
	}
}

// TestPrerequisites parses the output of compilers for make.
func TestPrerequisites(t *testing.T) {
	got := prerequisites("k_A.o: /a/b.c X_A.h \\\n /with\\ space/c\\#.h \\\n  /do$$ar.h\n\n/a/b.c:\n")
	if want := []string{"/a/b.c", "X_A.h", "/with space/c#.h", "/do$ar.h"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
