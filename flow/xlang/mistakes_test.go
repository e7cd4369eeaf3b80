package xlang_test

import (
	"flag"
	"os"
	"strconv"
	"strings"
	"testing"

	"xopt/flow/xlang"
)

var update = flag.Bool("update", false, "write golden files anew")

// TestTwentyMistakes reports every mistake of a file, each on its line, and
// nothing that only follows from another.
func TestTwentyMistakes(t *testing.T) {
	for _, name := range []string{"mistakes20", "mistakes20b"} {
		file := "testdata/" + name + ".x"
		_, src, err := xlang.Load([]string{file}, xlang.Options{Library: os.DirFS(library)})
		d, ok := err.(xlang.Diagnostics)
		if !ok {
			t.Fatalf("%s: got %v", file, err)
		}
		lines := make(map[int]bool)
		for _, x := range d {
			if x.Pos.File != file {
				t.Errorf("error in %s", x.Pos.File)
			}
			lines[x.Pos.Line] = true
		}
		if len(d) != 20 || len(lines) != 20 {
			t.Errorf("%s: %d errors on %d lines, want 20 on 20", file, len(d), len(lines))
		}
		golden(t, "testdata/"+name+".golden", render(err, src))
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// pipeline declares blocks and an application to make mistakes in.
const pipeline = `#include "std.x"
block G { output UNSIGNED8 y; };
block F { input UNSIGNED8 x; output UNSIGNED8 y; };
block S { input UNSIGNED8 x; };
block P { config UNSIGNED32 n; output UNSIGNED8 y[n]; };
`

// mistake is one with its message. The place is line:column of the text after pipeline, whose first
// line is line 6.
type mistake struct{ name, text, at, message, hint string }

const mistakesApp = "block top { G g; F f; S s; e1: g -> f; e2: f -> s; }; use top;\n"

// mistakesOfApplications returns mistakes in the statements of applications.
func mistakesOfApplications() []mistake {
	const app = mistakesApp
	return []mistake{
		{"statement", "blok X { input UNSIGNED8 x; };", "6:1", "unknown statement 'blok'", "did you mean block?"},
		{"stray", app + "42;", "7:1", "unexpected '42'", "a statement begins with"},
		{"character", app + "§;", "7:1", "character '§' has no meaning here", ""},
		{"name of a copy", app + "map { top.g#1 } to one;", "7:12", "character '#' has no meaning here",
			"map the kernel to a resource for each copy"},
		{"open comment", app + "/* and", "7:1", "comment is not closed", "*/"},
		{"open string", app + "resource x is C (sharing=\"equal);", "7:26", "string is not closed", ""},
		{"open block", "block X {\n  input UNSIGNED8 x;\n" + app, "6:9", "the body of block X is not closed", ""},
		{"semicolon", "block X {\n input UNSIGNED8 x\n output UNSIGNED8 y;\n};\n" + app, "7:18", "missing ; after 'x'",
			"ports are declared as"},
		{"early end", app + "map { top.g }", "7:13", "statement ends too early", "map is written as"},
		{"include", `#include "nosuch.x"` + "\n" + app, "6:1", "cannot find 'nosuch.x'", "folder of test.x"},
		{"include nothing", "#include\n" + app, "6:1", "#include names no file", ""},
		{"block", "block top { G g; X x; g -> x; }; use top;", "6:18", "unknown block 'X'", "did you mean"},
		{"use", app + "use tip;", "7:1", "names 'tip', but an earlier one names 'top'", ""},
		{"two tops", "block a { G g; S s; g -> s; };\nblock b { G g; S s; g -> s; };", "7:1",
			"blocks 'a' and 'b' could both be the application", "use a;"},
		{"no ports", app + "block X { };", "7:1", "block 'X' has no ports", ""},
		{"twice", app + "block G { output UNSIGNED8 y; };", "7:1", "block 'G' is declared twice", ""},
		{"recursion", "block A { B b; }; block B { A a; }; use A;", "6:29", "block 'A' contains itself: A -> B -> A",
			""},
		{"unconnected", "block top { G g; F f; g -> f; }; use top;", "6:20",
			"output port 'y' of top.f is not connected", ""},
		{"type", "block T { input UNSIGNED16 x; };\nblock top { G g; T t; g -> t; }; use top;", "7:23",
			"of type UNSIGNED8 to t.x of type UNSIGNED16", ""},
		{"port", "block top { G g; S s; g.y -> s.z; }; use top;", "6:32", "block S has no port 'z'", "did you mean x?"},
		{"backwards", "block top { G g; S s; s.x -> g.y; }; use top;", "6:25", "starts at input port 'x'", ""},
		{"ambiguous port",
			"block D { output UNSIGNED8 a, b; };\nblock top { D d; S s, t; d -> s; d.b -> t; }; use top;", "7:26",
			"'d' has 2 output ports", "write d.a"},
		{"index", "block top { P p (n=2); S s, t; p.y[1] -> s; p.y[3] -> t; }; use top;", "6:47",
			"index [3] of 'y' is out of range", "y has the indices 1 to 2"},
		{"whole array", "block top { P p (n=2); S s; p.y -> s; }; use top;", "6:31", "'y' is an array", "y[*]"},
		{"counts", "block top { P p (n=2); S s[3]; p.y[*] -> s[*].x; }; use top;", "6:32",
			"edge cannot connect 2 output ports to 3 input ports", ""},
		{"config needed", "block top { P p; S s; p.y[*] -> s.x; }; use top;", "6:15",
			"top.p needs a value for config 'n'", "write (n=…)"},
		{"config unknown", "block top { P p (n=1, m=2); S s; p.y[*] -> s.x; }; use top;", "6:23",
			"top.p has no config 'm'", "did you mean n?"},
		{"config undeclared", "block top { P p (n=k+1); S s; p.y[*] -> s.x; }; use top;", "6:20",
			"config k is not declared here", ""},
		{"size", "block top { P p (n=0.5); S s; p.y[*] -> s.x; }; use top;", "5:51", "port array y has size 0.5",
			"whole number"},
		{"huge", "block top { G g[99999999]; S s; g[*].y -> s.x; }; use top;", "6:17", "array g has size 9.9999999e+07",
			""},
		{"join", "block J { input UNSIGNED8 a, b; join a, c; };\nblock top { G g, h; J j; g -> j.a; h -> j.b; }; " +
			"use top;", "6:41", "block J has no input port 'c'", ""},
		{"joined twice", "block J { input UNSIGNED8 a, b; join a, b, a; };\n" +
			"block top { G g, h; J j; g -> j.a; h -> j.b; }; use top;", "6:44", "port 'a' is joined twice", ""},
		{"through", "block H { input UNSIGNED8 x; output UNSIGNED8 y; F f; x -> f.x; };\n" +
			"block top { G g; H h; S s; g -> h.x; h.y -> s; }; use top;", "6:47",
			"port 'y' is not connected inside block H", ""},
		{"brackets of an edge", initialApp("initialy=4"), "7:54", "no attribute 'initialy'", "did you mean initial?"},
		{"edge config", initialApp("size=4"), "7:54", "an edge has no attribute 'size'", "write (initial=4)"},
		{"initial is empty", initialApp(""), "7:53", "the brackets of an edge are empty", "write (initial=4)"},
		{"initial is negative", initialApp("initial=1-4"), "7:62", "an edge has -3 initial elements",
			"expected a whole number from 0 to 536870912"},
		{"initial is not whole", initialApp("initial=0.5"), "7:62", "an edge has 0.5 initial elements", "whole"},
		{"initial is large", initialApp("initial=2147483649"), "7:62", "an edge has 2147483649 initial elements",
			"expected a whole number from 0 to 536870912"},
		{"initial is text", initialApp(`initial="all"`), "7:62", "initial is 'all'", "expected a number of elements"},
		{"initial twice", initialApp("initial=1, initial=2"), "7:65", "the edge sets initial twice", "keep one value"},
		{"values alone", initialApp(`values="none"`), "7:61", "values are given without initial elements",
			"write (initial=4)"},
		{"values are missing", initialApp(`initial=4, values="none.bin"`), "7:72",
			"cannot read the values of initial elements: none.bin: ", "relative to the X file"},
		{"values are a folder", initialApp(`initial=4, values="testdata"`), "7:72",
			"testdata is not a regular file but a folder", ""},
		{"values of a wrong size", initialApp(`initial=4, values="mistakes_test.go"`), "7:72",
			"expected 8 bytes", "4 elements of 2 bytes"},
		{"values without quotes", initialApp("initial=4, values=none"), "7:72", "values names no file", ""},
		{"initial at its own port", "block H { input UNSIGNED8 x; output UNSIGNED8 y; F f; x -> f.x (initial=1); " +
			"f.y -> y; };\nblock top { G g; H h; S s; g -> h.x; h.y -> s; }; use top;", "6:64",
			"an edge to a port of its own block cannot have initial elements", "on the edge outside block H"},
	}
}

// initialApp returns an application whose edge has something in brackets.
func initialApp(text string) string {
	return "block A { output UNSIGNED16 y; }; block B { input UNSIGNED16 x; };\n" +
		"block top { config UNSIGNED32 n=3; A a; B b; a -> b (" + text + "); }; use top;"
}

// mistakesOfArchitectures returns mistakes in resources, figures and mappings.
func mistakesOfArchitectures() []mistake {
	const app = mistakesApp
	const machine = "resource one is C; resource proc[2] is C; resource bus1 is bus ({ one, proc });\n"
	return []mistake{
		{"platform", app + "resource r is CC;", "7:1", "unknown platform or linktype 'CC'", "did you mean C?"},
		{"base", app + "platform Q : R;", "7:1", "unknown platform 'R'", ""},
		{"own base", app + "platform Q : Q;", "7:1", "platform 'Q' is its own base", ""},
		{"endpoints", app + "resource r is bus (bandwidth=1);", "7:1", "link 'r' connects no resources",
			"name the resources in braces"},
		{"endpoint", app + "resource r is bus ({ nobody });", "7:22", "unknown resource 'nobody'", ""},
		{"lists", app + "resource r[2] is C { (freq=1), (freq=2), (freq=3) };", "7:42",
			"resource 'r' has 2 elements but 3 lists of configs", ""},
		{"number", app + "resource r is C (freq=fast);", "7:18", "config 'freq' of resource r is a number, not 'fast'",
			""},
		{"attribute", app + machine + "impl F on one (muu=1);", "8:16", "unknown attribute 'muu'", "did you mean mu?"},
		{"impl where", app + machine + "impl F on two (mu=\"1MB/s\");", "8:11", "unknown resource or platform 'two'",
			"expected one of: C, HDL"},
		{"impl whom", app + machine + "impl X on one (mu=\"1MB/s\");", "8:6", "unknown block or instance 'X'", ""},
		{"rate without unit", app + machine + `impl F on one (mu="40");`, "8:16", "mu: 40 has no unit",
			`write mu="40MB/s", "40Mbit/s" or "40B/s"`},
		{"rate as a number", app + machine + "impl F on one (mu=2*20);", "8:16", "mu: 40 has no unit",
			`write mu="40MB/s"`},
		{"time without unit", app + machine + `impl F on one (time="6.6");`, "8:16", "time: 6.6 has no unit",
			`write time="6.6us", "6.6ms" or "6.6s"`},
		{"clock without unit", app + machine + `impl F on one (fmax=100);`, "8:16", "fmax: 100 has no unit",
			`write fmax="100MHz", "100GHz" or "100Hz"`},
		{"buffer in quotes", app + machine + `buffer { top.e1 } = "131";`, "8:21", `buffer size "131" has no unit`,
			`write 131 for elements, or a size such as "131B" or "131KiB"`},
		{"edge twice", "block top { P p (n=1); S s; p.y[1] -> s.x; t: p.y[*] -> s; }; use top;", "6:44",
			"two edges connect port y[1] of top.p to port x of top.s", "remove one of the two edges"},
		{"impl composite", app + machine + "impl top on one (mu=\"1MB/s\");", "8:6",
			"block 'top' contains instances and cannot have figures", ""},
		{"impl nowhere", app + "impl F (mu=\"1MB/s\");", "7:1", "impl outside a platform needs a resource or platform",
			""},
		{"route", app + "route F.z = 1;", "7:9", "block F has no output port 'z'", ""},
		{"fraction", app + "route F.y = 2;", "7:13", "routing fraction is 2", ""},
		{"map kernel", app + machine + "map { top.gg } to one;", "8:7", "unknown kernel 'top.gg'",
			"did you mean top.g?"},
		{"map short", app + machine + "map { g } to one;", "8:7", "unknown kernel 'g'", "did you mean top.g?"},
		{"map where", app + machine + "map { top.g } to nowhere;", "8:18", "unknown resource or link 'nowhere'", ""},
		{"map array", app + machine + "map { top.g } to proc;", "8:1", "map names 2 resources", "proc[1]"},
		{"map both", app + machine + "map { top.g } to proc[1];\nmap { top.g } to proc[2];", "9:1",
			"kernel top.g is mapped to proc[2], but is already mapped to proc[1]", ""},
		{"map copies, then one", app + machine + "map { top.g } to proc[1] & proc[2];\nmap { top.g } to proc[1];",
			"9:1",
			"kernel top.g is mapped to proc[1], but is already mapped to 2 copies, the first on proc[1]", ""},
		{"many turns", app + machine + "map { top.g } to 5000 proc[1] & proc[2];", "8:23",
			"batches of a copy is 5000", "from 1 to 4096"},
		{"map edge", app + machine + "map { top.e9 } to bus1;", "8:7", "unknown edge 'top.e9'", "did you mean top.e1?"},
		{"map kernel to link", app + machine + "map { top.g } to bus1;", "8:7", "'top.g' is a kernel, not an edge", ""},
		{"buffer", app + "buffer { top.g } = 3;", "7:10", "'top.g' is a kernel, not an edge", ""},
		{"together", app + "together { top.g, top.x };", "7:19", "unknown kernel 'top.x'", ""},
		{"nesting", app + "route F.y = " + strings.Repeat("(", 100) + "1" + strings.Repeat(")", 100) + ";", "7:61",
			"brackets are nested more than 48 levels deep", ""},
	}
}

// TestMessages makes one mistake at a time.
func TestMessages(t *testing.T) {
	for _, c := range append(mistakesOfApplications(), mistakesOfArchitectures()...) {
		t.Run(c.name, func(t *testing.T) {
			_, src, err := loadText(pipeline + c.text)
			d, ok := err.(xlang.Diagnostics)
			if !ok || len(d) != 1 {
				t.Fatalf("want one error, got:\n%s", render(err, src))
			}
			if at := place(d[0].Pos); at != c.at || !strings.Contains(d[0].Message, c.message) ||
				!strings.Contains(d[0].Hint, c.hint) {
				t.Errorf("got %s: %s (%s), want %s: %s (%s)", at, d[0].Message, d[0].Hint, c.at, c.message, c.hint)
			}
		})
	}
}

func place(p xlang.Pos) string { return strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column) }
