package program

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"xopt/deploy"
	"xopt/flow/xlang"
	"xopt/internal/testkit"
)

// runtimeWords returns the identifiers of the runtime's files, without comments and strings.
func runtimeWords(t *testing.T, suffix string) []string {
	t.Helper()
	files, err := deploy.RuntimeFiles()
	if err != nil {
		t.Fatal(err)
	}
	choices, err := (&plan{program: &xlang.Program{}}).choicesH(sanitizers{})
	if err != nil {
		t.Fatal(err)
	}
	files["choices.h"] = regexp.MustCompile(`/\* no (\w+):.*`).ReplaceAllString(choices, "$1")
	aside := regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*|"(\\.|[^"\\\n])*"|'(\\.|[^'\\\n])*'`)
	word := regexp.MustCompile(`\b[A-Za-z_]\w*\b`)
	words := make(map[string]bool)
	for name, text := range files {
		if strings.HasSuffix(name, suffix) {
			for _, w := range word.FindAllString(aside.ReplaceAllString(text, " "), -1) {
				words[w] = true
			}
		}
	}
	if len(words) < 100 {
		t.Fatalf("only %d words are in the runtime", len(words))
	}
	return slices.Sorted(maps.Keys(words))
}

// TestRuntimeLeavesNames: no macro, constant, type, function or variable of the runtime begins like the names of
// blocks, ports and testpoints (X_OUT of a block OUT). The exception is the one function that kernels call.
func TestRuntimeLeavesNames(t *testing.T) {
	for _, suffix := range []string{".h", ".c"} {
		for _, w := range runtimeWords(t, suffix) {
			if strings.HasPrefix(w, "X_") && w != "X_fail" {
				t.Errorf("a *%s of the runtime has the name %s, which a block %s leads to", suffix, w, w[2:])
			}
		}
	}
}

// syntaxOnly runs a compiler on files without generating code, and returns its output.
func syntaxOnly(dir string, args ...string) (string, error) {
	cmd := exec.Command(args[0], append(args[1:], "-fsyntax-only", "-I.")...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// compiled reads C and C++ that include headers; "" where both take them.
func compiled(t *testing.T, dir, includes string) string {
	t.Helper()
	output := ""
	for name, args := range map[string][]string{"all.c": {"gcc", "-std=gnu11"}, "all.cpp": {"g++"}} {
		testkit.Write(t, filepath.Join(dir, name), includes)
		if out, err := syntaxOnly(dir, append(args, name)...); err != nil {
			output += args[0] + ": " + out
		}
	}
	return output
}

// TestBlocksNamedAsTheRuntime: an application compiles if its blocks, testpoints and configs have the names in the
// headers of the runtime, without and with the prefixes XRT_ and x_. It compiles in every form of the runtime.
func TestBlocksNamedAsTheRuntime(t *testing.T) {
	testkit.Tools(t, "gcc", "g++")
	t.Parallel()
	used := []string{"x", "y", "fail", "top", "input", "output", "once", "config", "misc", "join", "emit", "stateless"}
	var list []string // except names with another meaning in the application
	for _, w := range append(runtimeWords(t, ".h"), "OUT", "IN", "POINT", "AVAILABLE", "H", "EVENTS", "FILE") {
		for _, w := range []string{w, strings.TrimPrefix(strings.TrimPrefix(w, "XRT_"), "x_")} {
			if !slices.Contains(used, w) && !slices.Contains(list, w) {
				list = append(list, w)
			}
		}
	}
	var blocks, top, impls, edges strings.Builder
	before := "s.y"
	for i, name := range list {
		config := list[(i+1)%len(list)]
		if notMember(config, true) != "" {
			config = "n"
		}
		fmt.Fprintf(&blocks, "block %s { input UNSIGNED8 x; output UNSIGNED8 y; config UNSIGNED32 %s = 1; "+
			"misc { testpoint \"%s\"; }; };\n", name, config, list[(i+2)%len(list)])
		fmt.Fprintf(&top, "%s k%d; ", name, i)
		fmt.Fprintf(&impls, "impl %s (src=\"k.c\"); ", name)
		fmt.Fprintf(&edges, "%s -> k%d.x; ", before, i)
		before = fmt.Sprintf("k%d.y", i)
	}
	app := "#include \"std.x\"\n" + blocks.String() + "block FirstOfAll { output UNSIGNED8 y; };\n" +
		"block LastOfAll { input UNSIGNED8 x; };\nblock top { FirstOfAll s; LastOfAll t; " + top.String() +
		edges.String() + before + " -> t.x; };\nuse top;\nplatform C { impl FirstOfAll (src=\"s.c\"); " +
		"impl LastOfAll (src=\"t.c\"); " + impls.String() + "};\nresource proc is C;\n"
	d := load(t, testkit.Files(t, map[string]string{"app.x": app}), "app.x", "map { top } to proc;")
	for _, o := range []Options{{}, {Events: true, Taps: StandardTaps(d.Program, 1)}} {
		p, err := newPlan(d, o)
		if err != nil {
			t.Fatal(err)
		}
		files, err := deploy.RuntimeFiles()
		if err != nil {
			t.Fatal(err)
		}
		if files["main.c"], err = p.mainC(); err != nil {
			t.Fatal(err)
		}
		includes := ""
		for _, b := range p.blocks() {
			if files["X_"+b+".h"], err = Header(p.program, b); err != nil {
				t.Fatal(err)
			}
			includes += "#include \"X_" + b + ".h\"\n"
		}
		dir := testkit.Files(t, files)
		if output := compiled(t, dir, includes); output != "" {
			t.Errorf("%d headers: %.2000s", len(list), output)
		}
		for _, form := range [][]string{nil, {"-DXRT_EVENTS=1"}, {"-DXRT_GUARD=1", "-DXRT_VIRTUAL=1", "-DXRT_TAPS=1"}} {
			if out, err := syntaxOnly(dir, append([]string{"gcc", "-std=gnu11", "main.c"}, form...)...); err != nil {
				t.Errorf("main.c with %v: %.2000s", form, out)
			}
		}
	}
}

// drawNames makes blocks whose names, ports, testpoints and configs are drawn from those that may clash.
func drawNames(r *rand.Rand) *xlang.Program {
	pick := func(from []string, n int) (list []string) {
		for _, i := range r.Perm(len(from))[:n] {
			list = append(list, from[i])
		}
		return list
	}
	p := new(xlang.Program)
	blocks := []string{"A", "A_in", "A_x_avail", "A_point", "A_SRC", "A_init", "B", "fail", "C", "D", "E", "F", "G"}
	ports := []string{"in", "x", "x_avail", "x_room", "init", "point", "SRC", "testpoint", "go", "push", "firings",
		"a", "b", "c", "d", "e", "f", "g", "h"}
	for _, name := range pick(blocks, 2) {
		k := xlang.Kernel{Name: "top." + name, Block: name, Config: xlang.Values{}}
		names := pick(ports, 3)
		for i, port := range names {
			x := xlang.Port{Name: port, Type: "UNSIGNED8"}
			if r.IntN(4) == 0 {
				x.Name += "[1]"
			}
			if i == 0 && r.IntN(2) == 0 {
				k.Outputs = append(k.Outputs, x)
			} else {
				k.Inputs = append(k.Inputs, x)
			}
		}
		if r.IntN(4) == 0 { // a source
			k.Outputs, k.Inputs = append(k.Outputs, k.Inputs...), nil
		}
		for _, point := range pick([]string{"src", "plain2", "point2", "init"}, r.IntN(3)) {
			if !slices.Contains(names, point) {
				k.Testpoints = append(k.Testpoints, xlang.Testpoint{Name: point})
			}
		}
		for _, c := range pick([]string{"n", "linux", "NULL", "int", "noexcept", "INT8_MAX", "bool", "state"},
			r.IntN(3)) {
			if c == "n" || c == "state" || r.IntN(8) == 0 {
				k.Config[c] = xlang.Value{Type: "FLOAT64", Number: 1, IsNumber: true}
			}
		}
		p.Kernels = append(p.Kernels, k)
	}
	return p
}

// TestNameFaults: names are refused exactly where a compiler of C or C++ refuses the headers of the blocks.
func TestNameFaults(t *testing.T) {
	testkit.Tools(t, "gcc", "g++")
	t.Parallel()
	draws := 150
	if testing.Short() {
		draws = 25
	}
	files, err := deploy.RuntimeFiles()
	if err != nil {
		t.Fatal(err)
	}
	dir := testkit.Files(t, files)
	r := rand.New(rand.NewPCG(1, 23))
	good, bad := 0, 0
	for range draws {
		p := drawNames(r)
		impls, includes := make(map[string]*xlang.Impl), ""
		for i := range p.Kernels {
			name := p.Kernels[i].Block
			impls[name] = &xlang.Impl{Block: name, Attrs: xlang.Values{"src": {Text: "k.cpp"}}}
			text, err := Header(p, name)
			if err != nil {
				t.Fatal(err)
			}
			testkit.Write(t, filepath.Join(dir, "X_"+name+".h"), text)
			includes += "#include \"X_" + name + ".h\"\n"
		}
		faults, output := NameFaults(p, impls), compiled(t, dir, includes)
		if (len(faults) > 0) != (output != "") {
			t.Errorf("%+v: faults %v, compilers: %.1000s", p.Kernels, faults, output)
		}
		if output == "" {
			good++
		} else {
			bad++
		}
	}
	if good < draws/10 || bad < draws/10 {
		t.Errorf("%d draws compile, %d do not: these draws show nothing", good, bad)
	}
}

// TestNameFaultTexts: the error for a rejected name contains both places where it comes from.
func TestNameFaultTexts(t *testing.T) {
	app := func(text string) string {
		return "#include \"std.x\"\n" + text + "block S { output UNSIGNED8 y; };\nblock T { input UNSIGNED8 x; };\n" +
			"platform C { impl S (src=\"s.c\"); impl T (src=\"t.c\"); };\nresource proc is C;\nuse top;\n"
	}
	two := func(one, other string) string {
		return app("block K {" + one + "};\n" + other + "block top { S s; K k; T t; s -> k; k -> t; };\n" +
			"platform C { impl K (src=\"k.cpp\"); };\n")
	}
	for _, c := range []struct{ app, want string }{
		{two("input UNSIGNED8 init; output UNSIGNED8 y;", ""), "the function init of every kernel of block K and " +
			"port init of block K would have the same name in C: X_K_init (rename one of them)"},
		{two("input UNSIGNED8 x; output UNSIGNED8 x_avail;", ""), "port x of block K and port x_avail of block K " +
			"would have the same name in C: X_K_x_avail (rename one of them)"},
		{two("input UNSIGNED8 SRC; output UNSIGNED8 y; misc { testpoint \"src\"; };", ""), "port SRC of block K and " +
			"testpoint src of block K would have the same name in C: X_K_SRC (rename one of them)"},
		{two("input UNSIGNED8 x; output UNSIGNED8 y; config FLOAT32 linux = 1;", ""),
			"config linux of block K is a macro of C (rename the config)"},
		{two("input UNSIGNED8 x; output UNSIGNED8 y; config FLOAT32 for = 1;", ""),
			"config for of block K is a reserved word of C (rename the config)"},
		{two("input UNSIGNED8 x; output UNSIGNED8 y; config FLOAT32 XRT_GUARD = 1;", ""),
			"config XRT_GUARD of block K is the name of a macro of the runtime (rename the config)"},
		{two("input UNSIGNED8 x; output UNSIGNED8 y; config FLOAT32 __x = 1;", ""),
			"config __x of block K is reserved for the C compiler (rename the config)"},
		{app("block fail { input UNSIGNED8 x; output UNSIGNED8 y; };\nblock top { S s; fail f; T t; s -> f; " +
			"f -> t; };\n" +
			"platform C { impl fail (src=\"f.c\"); };\n"), "the function X_fail of X.h and block fail would have " +
			"the same name in C: X_fail (rename one of them)"},
		{app("block T_x { input UNSIGNED8 z; };\nblock top { S s; T t; T_x u; s -> t; s -> u; };\n" +
			"platform C { impl T_x (src=\"u.c\"); };\n"), "port x of block T and block T_x would have " +
			"the same name in C: X_T_x (rename one of them)"},
	} {
		dir := testkit.Files(t, map[string]string{"app.x": c.app})
		_, err := newPlan(load(t, dir, "app.x", "map { top } to proc;"), Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
