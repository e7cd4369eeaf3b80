package xlang_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"xopt/flow/xlang"
	"xopt/internal/testkit"
)

// pipes is an application of hierarchical blocks, arrays and parameters.
const pipes = `
#include "std.x"
block Split { config UNSIGNED32 n; input UNSIGNED8[4*n] x; output UNSIGNED8[4] y[n]; };
block Stage { input UNSIGNED8[4] x; output UNSIGNED8[4] y; };
block Pipe { input UNSIGNED8[4] x; output UNSIGNED8[4] y; Stage a, b; x -> a.x; mid: a -> b; b.y -> y; };
block Join { config UNSIGNED32 n; input UNSIGNED8[4] x[n]; output UNSIGNED8 z; join x[*]; };
block G { config UNSIGNED32 n; output UNSIGNED8[4*n] y; };
block S { input UNSIGNED8 x; };
block top {
    config UNSIGNED32 pipes = 2, unused = pipes*(3-1)/2;
    G g (n=pipes); Split split (n=pipes); Pipe pipe[pipes]; Join join { n = pipes }; S s;
    g -> split.x;
    in: split.y[*] -> pipe[*].x;
    out: pipe[1..pipes].y -> join.x[1..pipes];
    join.z -> s;
};
use top;
`

func text(t *testing.T, source string) *xlang.Program {
	t.Helper()
	p, src, err := loadText(source)
	if err != nil {
		t.Fatal(render(err, src))
	}
	return p
}

// TestHierarchy flattens blocks of blocks, expands arrays and computes sizes.
func TestHierarchy(t *testing.T) {
	p := text(t, pipes)
	compare(t, "kernels", []string{"top.g G", "top.split Split", "top.pipe[1].a Stage", "top.pipe[1].b Stage",
		"top.pipe[2].a Stage", "top.pipe[2].b Stage", "top.join Join", "top.s S"}, kernels(p))
	compare(t, "edges", []string{
		"top.pipe[1].mid pipe[1].a.y pipe[1].b.x 4", "top.pipe[2].mid pipe[2].a.y pipe[2].b.x 4",
		"top.g->split.x g.y split.x 8",
		"top.in[1] split.y[1] pipe[1].a.x 4", "top.in[2] split.y[2] pipe[2].a.x 4",
		"top.out[1] pipe[1].b.y join.x[1] 4", "top.out[2] pipe[2].b.y join.x[2] 4",
		"top.join.z->s join.z s.x 1"}, edges(p))
	if j := p.Kernels[6].Joins; len(j) != 1 || !slices.Equal(j[0].Ports, []int{0, 1}) || !slices.Equal(j[0].Counts,
		[]float64{1, 1}) {
		t.Errorf("join is %v", j)
	}
	if v := p.TopConfig["unused"]; v.Number != 2 {
		t.Errorf("a default over another config is %v, want 2", v.Number)
	}
}

// TestParameters: a later use overrides, and the command line overrides both.
func TestParameters(t *testing.T) {
	if n := len(text(t, pipes+"use top (pipes=5);").Kernels); n != 4+2*5 {
		t.Errorf("%d kernels with five pipes, want 14", n)
	}
	p, src, err := xlang.Load([]string{"test.x"}, xlang.Options{Library: os.DirFS(library),
		Set: map[string]string{"top.pipes": "3"},
		ReadFile: func(path string) ([]byte, error) {
			if path != "test.x" {
				return nil, os.ErrNotExist
			}
			return []byte(pipes + "use top (pipes=5);"), nil
		}})
	if err != nil {
		t.Fatal(render(err, src))
	}
	if n := len(p.Kernels); n != 4+2*3 {
		t.Errorf("%d kernels with three pipes, want 10", n)
	}
}

// TestPlacement resolves wildcards, ranges, arrays, hierarchical blocks and
// platforms in every statement that places something.
func TestPlacement(t *testing.T) {
	p := text(t, pipes+`
resource proc[3] is C; resource fpga is HDL;
resource LAN is switch ({ proc }, bandwidth="1Gbit/s");
resource PCI is bus ({ proc[2..3], fpga }, bandwidth="1GB/s");
map { top.pipe[1] } to fpga;
map { top.pipe[2].a, top.g } to proc[1];
map { top.in[2] } to LAN;
map { top.in[1] } to LAN, PCI;
fix { top.pipe } to HDL;
forbid { top.pipe[*].b } to proc, fpga;
together { top.g, top.split };
apart { top.pipe[1..2].a };
buffer top.in[1] = 131;
buffer { top.out } = "64KiB";
route Split.y = 1;
route top.join.z = 1;
impl Stage on proc (mu="1MB/s", gain=1, from="published: there");
impl top.pipe[2].a on fpga (time="3us");
platform C { impl Stage (src="stage.c", flags="-O2"); };
`)
	name := func(k int) string { return strings.TrimPrefix(p.Kernels[k].Name, "top.") }
	var got []string
	for _, m := range p.Maps {
		if m.Edge < 0 {
			got = append(got, name(m.Kernel)+" "+p.Resources[m.Resource].Name)
			continue
		}
		s := p.Edges[m.Edge].Name
		for _, l := range m.Links {
			s += " " + p.Links[l].Name
		}
		got = append(got, s)
	}
	compare(t, "maps", []string{"pipe[1].a fpga", "pipe[1].b fpga", "g proc[1]", "pipe[2].a proc[1]", "top.in[2] LAN",
		"top.in[1] LAN PCI"}, got)
	if f := p.Fixes[0]; len(f.Kernels) != 4 || !slices.Equal(f.Resources, []int{3}) {
		t.Errorf("fix is %v", f)
	}
	if f := p.Forbids[0]; len(f.Kernels) != 2 || len(f.Resources) != 4 {
		t.Errorf("forbid is %v", f)
	}
	if len(p.Together[0].Kernels) != 2 || len(p.Separate[0].Kernels) != 2 {
		t.Errorf("together %v, apart %v", p.Together, p.Separate)
	}
	if len(p.Buffers) != 3 || p.Buffers[0].Value.Number != 131 || p.Buffers[1].Value.Text != "64KiB" {
		t.Errorf("buffers are %v", p.Buffers)
	}
	if len(p.Routes) != 3 || p.Routes[0].Fraction != 0.5 || p.Routes[0].Kernel != "Split" || !p.Routes[2].Instance {
		t.Errorf("routes are %v", p.Routes)
	}
	if len(p.Figures) != 4 || p.Figures[2].Resource != "proc[3]" || p.Figures[3].Block != "top.pipe[2].a" ||
		!p.Figures[3].Instance {
		t.Errorf("figures are %v", p.Figures)
	}
	if len(p.Impls) != 1 || p.Impls[0].Attrs["src"].Text != "stage.c" {
		t.Errorf("implementations are %v", p.Impls)
	}
	if v := p.Links[0].Config["bandwidth"]; v.Text != "1Gbit/s" || v.Type != "STRING" {
		t.Errorf("bandwidth is %v", v)
	}
}

// TestIncludes: a file is read once however often it is included, includes are
// relative to the including file, and a cycle is named.
func TestIncludes(t *testing.T) {
	files := map[string]string{
		"a.x":                        "#include \"d/b.x\"\n#include d/c.x\nblock top { G g; S s; g -> s; }; use top;",
		filepath.Join("d", "b.x"):    "#include \"base.x\"\nblock G { output UNSIGNED8 y; };",
		filepath.Join("d", "c.x"):    "#include \"base.x\"\nblock S { input UNSIGNED8 x; };",
		filepath.Join("d", "base.x"): "#include \"std.x\"\nresource one is C;",
		"loop.x":                     "#include \"loop2.x\"",
		"loop2.x":                    "#include \"loop.x\"",
	}
	open := func(path string) ([]byte, error) {
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, fmt.Errorf("open %s: %w", path, os.ErrNotExist)
	}
	p, src, err := xlang.Load([]string{"a.x"}, xlang.Options{Library: os.DirFS(library), ReadFile: open})
	if err != nil {
		t.Fatal(render(err, src))
	}
	if len(p.Files) != 5 || len(p.Resources) != 1 {
		t.Errorf("%d files, %d resources", len(p.Files), len(p.Resources))
	}
	_, src, err = xlang.Load([]string{"loop.x"}, xlang.Options{ReadFile: open})
	if err == nil || !strings.Contains(err.Error(), "file includes itself: loop.x -> loop2.x -> loop.x") {
		t.Errorf("a cycle gives %s", render(err, src))
	}
	if _, _, err := xlang.Load([]string{t.TempDir()}, xlang.Options{}); err == nil || !strings.Contains(err.Error(),
		"is not a regular file but a folder") {
		t.Errorf("a folder gives %v", err)
	}
}

// TestLimits: inputs made to take memory or time end soon, with an error.
func TestLimits(t *testing.T) {
	doubling := "block B0 { input UNSIGNED8 x; };\n"
	empty := ""
	for i := 1; i <= 40; i++ {
		doubling += fmt.Sprintf("block B%d { B%d a, b; };\n", i, i-1)
		empty += fmt.Sprintf("block B%d { B%d a, b; };\n", i, i-1)
	}
	for name, source := range map[string]string{
		"doubling blocks":  doubling + "use B40;",
		"doubling nothing": empty + "use B40;",
		"deep blocks":      strings.Repeat("block A { block ", 50000),
		"nested arrays":    "block A { input UNSIGNED8 x; }; block B { A a[60000]; }; block C { B b[60000]; }; use C;",
		"huge element":     "block A { input UNSIGNED8[1e300] x; }; block T { A a; }; use T;",
		"infinite":         "block A { input UNSIGNED8[1e308*1e308] x; }; block T { A a; }; use T;",
		"parentheses":      "route A.x = " + strings.Repeat("(", 100000),
		"minus signs":      "route A.x = " + strings.Repeat("-", 100000) + "1;",
		"long name":        "block " + strings.Repeat("a", 100000) + " { }; use a;",
		"many edges": "block A { output UNSIGNED8 y; }; block B { input UNSIGNED8 x; }; block T { A a; B " +
			"b[60000]; " + strings.Repeat("a -> b[*].x;", 200) + "}; use T;",
		"many ends": "block A { input UNSIGNED8 x; output UNSIGNED8 y; }; block T { A a[10000]; " +
			strings.Repeat("a[*] -> a[*];", 20000) + "}; use T;",
		"many references": "block A { output UNSIGNED8 y; }; block B { input UNSIGNED8 x; }; block T { A a; B " +
			"b[60000]; a -> b[*].x; }; use T; apart { " + strings.Repeat("T.b,", 2000) + " };",
		"many resources": "#include \"std.x\"\n" + strings.Repeat("resource r[60000] is C;", 3),
		"errors only":    strings.Repeat("x;", 1<<20),
		"one line":       strings.Repeat("block ", 1<<18),
		"too long":       strings.Repeat(" ", 9<<20),
		"semicolons":     strings.Repeat(";", 4<<20) + "x",
		"strange":        strings.Repeat("@", 4<<20),
		"unclosed texts": strings.Repeat("\"\n", 1<<20),
		"bad blocks":     strings.Repeat("block b { foo bar baz };\n", 1<<16),
		"open blocks":    strings.Repeat("block a {\n", 1<<16),
		"long sum":       "block A { input UNSIGNED8[" + strings.Repeat("1+", 1<<20) + "1] x; }; block T { A a; };",
		"many configs":   "#include \"std.x\"\nresource p is C(" + strings.Repeat("a=1,", 1<<18) + "b=1);",
		"many ports": "block A { output UNSIGNED8 y[65536]; }; block B { input UNSIGNED8 x[65536]; }; block T " +
			"{ A a[65536]; B b[65536]; a[*].y[*] -> b[*].x[*]; };",
		"unknown names": "#include \"std.x\"\nblock A { output UNSIGNED8 y; }; block B { input UNSIGNED8 x; }; " +
			"block T { A a; B b; a -> b; };\n" +
			"resource p is C; map { T.a" + strings.Repeat(", T.c", 1<<17) + "} to p;",
	} {
		t.Run(name, func(t *testing.T) {
			if name == "many edges" {
				testkit.Long(t, "many ends exceed the same limit")
			}
			start := testkit.CPUTime(t)
			_, _, err := loadText(source)
			if err == nil {
				t.Error("it is accepted")
			} else if len(err.Error()) > 1<<20 {
				t.Errorf("the error is %d bytes long", len(err.Error()))
			}
			if reported := strings.Count(fmt.Sprint(err), "\n") + 1; reported > xlang.MaxDiagnostics {
				t.Errorf("%d mistakes are reported", reported)
			}
			if d := testkit.CPUTime(t) - start; d > 20*time.Second {
				t.Errorf("it took %v of processor time", d)
			}
		})
	}
}

// FuzzLoad: no input panics or hangs, and accepted input is consistent.
func FuzzLoad(f *testing.F) {
	paths, err := filepath.Glob(papers + "*.x")
	if err != nil {
		f.Fatal(err)
	}
	more, err := filepath.Glob("../../configs/examples/*/*.x")
	if err != nil {
		f.Fatal(err)
	}
	for _, p := range append(append(paths, more...), "testdata/mistakes20.x") {
		text, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(pipes)
	f.Add(strings.Replace(pipes, "mid: a -> b;", "mid: a -> b (initial=2*2-1, values=\"start.bin\");", 1))
	f.Add(strings.Replace(pipes, "join.z -> s;", "end: join.z -> s (initial=pipes) out2: join.z -> s { initial 3 };",
		1))
	f.Add("block S { output UNSIGNED8 y[2], z; emit 2 y, 3 z; };\nblock T { input UNSIGNED8 x; };\n" +
		"block top { S s; T a, b, c; s.y[1] -> a; s.y[2] -> b; s.z -> c; }; use top;")
	f.Fuzz(func(t *testing.T, source string) {
		start := testkit.CPUTime(t)
		p, src, err := loadText(source)
		if d := testkit.CPUTime(t) - start; d > 5*time.Second {
			t.Fatalf("%d bytes took %v of processor time", len(source), d)
		}
		if err != nil {
			render(err, src)
			return
		}
		for _, e := range p.Edges {
			from, to := p.Kernels[e.From].Outputs[e.FromPort], p.Kernels[e.To].Inputs[e.ToPort]
			if from.Type != to.Type || !(from.ElementBytes > 0) {
				t.Errorf("edge %s joins %v to %v", e.Name, from, to)
			}
			if e.Initial < 0 || e.Initial > math.MaxInt32 {
				t.Errorf("edge %s holds %d elements at the start", e.Name, e.Initial)
			}
		}
		for _, m := range p.Maps {
			if m.Kernel >= 0 && (m.Resource < 0 || m.Resource >= len(p.Resources)) {
				t.Errorf("map %v", m)
			}
		}
	})
}

// BenchmarkLoad reads an application of a thousand kernels on 64 resources.
func BenchmarkLoad(b *testing.B) {
	source := "#include \"std.x\"\nblock G { output UNSIGNED8 y; };\nblock F { input UNSIGNED8 x; output UNSIGNED8 " +
		"y; };\nblock S { input UNSIGNED8 x; };\n" +
		"block top { G g; F f[998]; S s; g -> f[1].x; f[1..997].y -> f[2..998].x; f[998].y -> s; }; use top;\n" +
		"resource proc[64] is C; resource mem is memory ({ proc }, bandwidth=\"10GB/s\"); impl F on proc " +
		"(mu=\"1MB/s\", gain=1);\n"
	for b.Loop() {
		if _, _, err := loadText(source); err != nil {
			b.Fatal(err)
		}
	}
}
