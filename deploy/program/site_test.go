package program

import (
	"path/filepath"
	"strings"
	"testing"

	"xopt/flow/flowtest"
	"xopt/internal/testkit"
)

const (
	siteG = "#include \"X_G.h\"\n#include \"a.h\"\nvoid X_G_init(X_G *d) { (void)d; }\n" +
		"int X_G_go(X_G *d) { (void)d; return A; }\nvoid X_G_destroy(X_G *d) { (void)d; }\n"
	siteS = "#include \"X_S.h\"\nvoid X_S_init(X_S *d) { (void)d; }\n" +
		"void X_S_push(X_S *d) { X_S_x_release(d, X_S_x_avail(d)); }\nvoid X_S_destroy(X_S *d) { (void)d; }\n"
)

// TestCopiesShare: a copy of an application in another folder reuses the objects of the first. The exceptions are
// objects that depend on the folder, and a file beside the source that replaces another.
func TestCopiesShare(t *testing.T) {
	elsewhere := testkit.Files(t, map[string]string{"o.h": "#define O 1\n", "sub/p.h": "#define P 1\n"})
	include := "-I" + elsewhere
	for _, c := range []struct {
		what, flags, g string
		second         map[string]string // in the second folder
		compiled       bool              // for the second folder
	}{
		{what: "a copy", g: siteG},
		{what: "a name in a macro of the system's", g: "#include <assert.h>\n" + siteG +
			"void f(int x) { assert(x); }\n", compiled: true},
		{what: "a macro of the system's that is not used", g: "#include <assert.h>\n" + siteG},
		{what: "its own path", g: siteG + "const char *f(void) { return __FILE__; }\n", compiled: true},
		{what: "the length of its own path", g: siteG + "int f(void) { return sizeof __FILE__; }\n", compiled: true},
		{what: "debug information", flags: "-g", g: siteG, compiled: true},
		{what: "debug information, compressed", flags: "-ggdb -gz", g: siteG, compiled: true},
		{what: "a sanitizer", flags: "-fsanitize=undefined", g: siteG + "int f(int x) { return x << x; }\n",
			compiled: true},
		{what: "another header", g: siteG, second: map[string]string{"a.h": "#define A 1\n"}, compiled: true},
		{what: "from elsewhere", flags: include, g: "#include \"o.h\"\n" + siteG},
		{what: "beside, not from elsewhere", flags: include, g: "#include \"o.h\"\n" + siteG,
			second: map[string]string{"o.h": "#define O 2\n"}, compiled: true},
		{what: "beside, not from a folder elsewhere", flags: include, g: "#include \"sub/p.h\"\n" + siteG,
			second: map[string]string{"sub/p.h": "#define P 2\n"}, compiled: true},
		{what: "beside what is included", flags: include, g: "#include \"inc/i.h\"\n" + siteG,
			second: map[string]string{"inc/o.h": "#define O 2\n"}, compiled: true},
	} {
		calls, ctx := countingCC(t), cached(t)
		for i := range 3 {
			texts := map[string]string{"app.x": strings.Replace(keptApp, "FLAGS", c.flags, 1), "g.c": c.g, "s.c": siteS,
				"a.h": "#define A 0\n", "inc/i.h": "#include \"o.h\"\n"}
			if i > 0 {
				for name, text := range c.second {
					texts[name] = text
				}
			}
			dir := testkit.Files(t, texts)
			program := flowtest.X{Dir: dir, Files: []string{"app.x"}}.Program(t)
			object, err := CompileBlock(ctx, program, "G", &program.Impls[0])
			if err != nil {
				t.Fatalf("%s: %v", c.what, err)
			}
			if len(object) == 0 {
				t.Errorf("%s: no object", c.what)
			}
			want := 0
			if i == 0 || c.compiled && (i == 1 || c.second == nil) {
				want = 1
			}
			if got := calls()["g.c"]; got != want {
				t.Errorf("%s: folder %d compiled it %d times, want %d", c.what, i, got, want)
			}
		}
	}
}

// TestSite: the folder of a source is replaced where it is one, and comes back.
func TestSite(t *testing.T) {
	for _, dir := range []string{"/a/b", "/"} {
		s := site(dir)
		words := []string{filepath.Join(dir, "g.c"), "X_G.h", "-I" + dir, filepath.Join(dir, "../c/x.h")}
		for i, w := range s.without(words) {
			if got := s.expand(w); filepath.Clean(got) != filepath.Clean(words[i]) {
				t.Errorf("%s: %q becomes %q and then %q", dir, words[i], w, got)
			}
		}
	}
	if got := site("/a/b").without([]string{"/a/bc/g.c"}); got[0] != "/a/bc/g.c" {
		t.Errorf("a folder of a similar name is %q", got)
	}
	if got := site("").expand("/a/g.c"); got != "/a/g.c" {
		t.Errorf("without a folder a path is %q", got)
	}
}
