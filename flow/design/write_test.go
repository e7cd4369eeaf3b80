package design

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"xopt/flow"
	"xopt/flow/xlang"
)

func TestWriteMapping(t *testing.T) {
	d := mustLower(t, Options{Purpose: ForMapping},
		figured+`map { top.src, top.mid } to proc[1]; map { top.sink } to proc[2]; map { top.e2 } to mem;`)
	var b strings.Builder
	if err := d.WriteMapping(&b, d.Mapping, map[int]int{1: 131}, "throughput 26.76 MB/s\nseed 1\n"); err != nil {
		t.Fatal(err)
	}
	want := `// throughput 26.76 MB/s
// seed 1

map { top.src, top.mid } to proc[1];
map { top.sink } to proc[2];
map { top.e2 } to mem;
buffer { top.e2 } = 131;
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("written mapping differs (-want +got):\n%s", diff)
	}
}

// TestWriteUnlabelled names edges without a label by their ends, in routes and buffers.
func TestWriteUnlabelled(t *testing.T) {
	src := strings.Replace(figured, "e2: mid.y -> sink.x;", "mid.y -> sink.x;", 1)
	d := mustLower(t, Options{}, src)
	var b strings.Builder
	if err := d.WriteMapping(&b, &flow.Mapping{Place: []int{0, 0, 1}, Route: [][]int{nil, {1}}}, map[int]int{1: 9},
		""); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"map { top.mid.y->sink.x } to mem;", "buffer { top.mid.y->sink.x } = 9;"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("written mapping has no %q:\n%s", want, b.String())
		}
	}
	again := mustLower(t, Options{Purpose: ForMapping}, src+b.String())
	if got := again.Mapping.Route[1]; !slices.Equal(got, []int{1}) || again.Buffers[1] != 9 {
		t.Errorf("read again, the route is %v and the buffer %d, want [1] and 9", got, again.Buffers[1])
	}
}

// TestWriteRoundTrip writes random mappings of random designs, reads them back
// with the same files, and gets the same mapping, buffers and throughput.
func TestWriteRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src, stages := randomDesign(t)
		d, err := New(readRapid(t, src), Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		m, ok := randomMapping(t, d)
		if !ok {
			return // no route between some resources; other draws have them
		}
		buffers := make(map[int]int)
		for e := range stages {
			if n := rapid.IntRange(0, 5000).Draw(t, "buffer"); n > 0 {
				buffers[e] = n
			}
		}
		var b strings.Builder
		if err := d.WriteMapping(&b, m, buffers, "seed 1"); err != nil {
			t.Fatal(err)
		}
		again, err := New(readRapid(t, src+b.String()), Options{Purpose: ForMapping})
		if err != nil {
			t.Fatalf("%v\n%s", err, src+b.String())
		}
		full := &flow.Mapping{Place: m.Place, Route: make([][]int, len(m.Route))}
		routes := flow.NewRoutes(&d.Problem.Architecture)
		for e, edge := range d.Problem.Application.Edges {
			full.Route[e] = m.Route[e]
			if from, to := m.Place[edge.From], m.Place[edge.To]; from != to && m.Route[e] == nil {
				full.Route[e] = routes.Between(from, to)[0]
			}
		}
		if diff := cmp.Diff(full, again.Mapping); diff != "" {
			t.Fatalf("mapping differs after writing and reading (-written +read):\n%s\n%s", diff, b.String())
		}
		if diff := cmp.Diff(buffers, again.Buffers); diff != "" {
			t.Fatalf("buffers differ (-written +read):\n%s", diff)
		}
		if g1, g2 := throughput(t, d.Problem, m), throughput(t, again.Problem, again.Mapping); g1 != g2 {
			t.Fatalf("throughput is %g before and %g after", g1, g2)
		}
	})
}

func throughput(t *rapid.T, p *flow.Problem, m *flow.Mapping) float64 {
	n, err := flow.NewNetwork(p, m)
	if err != nil {
		t.Fatal(err)
	}
	s, err := flow.Fast{}.Solve(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	return s.Throughput
}

func readRapid(t *rapid.T, src string) *xlang.Program {
	prog, err := readSource(src)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return prog
}

// randomDesign creates a pipeline with arrays and hierarchy, on processors that one to three links join in ways that
// overlap; it returns the source and the number of edges.
func randomDesign(t *rapid.T) (src string, edges int) {
	width := rapid.IntRange(1, 4).Draw(t, "width")
	procs := rapid.IntRange(1, 5).Draw(t, "procs")
	var b strings.Builder
	fmt.Fprintf(&b, `#include "std.x"
block SRC { output FLOAT32 y[%[1]d]; };
block MID { input FLOAT32 x; output FLOAT32[2] y; };
block LAST { input FLOAT32[2] x; output FLOAT32 y; };
block SINK { input FLOAT32 x[%[1]d]; };
block Pipe { input FLOAT32 x; output FLOAT32 y; MID mid; LAST last; x -> mid.x; %[3]smid.y -> last.x; last.y -> y; };
block top {
    SRC src; Pipe pipe[%[1]d]; SINK sink;
    %[4]ssrc.y[*] -> pipe[*].x;
    %[5]spipe[*].y -> sink.x[*];
};
resource proc[%[2]d] is C;
resource chip is C (sharing="equal");
route SRC.y[*] = 1/%[1]d;
`, width, procs, label(t, "inner: "), label(t, "in: "), label(t, "out: "))
	links := rapid.IntRange(1, 3).Draw(t, "links")
	for l := range links {
		ends := []string{"chip"}
		for p := range procs {
			if l == 0 || rapid.Bool().Draw(t, "end") {
				ends = append(ends, fmt.Sprintf("proc[%d]", p+1))
			}
		}
		if l > 0 && len(ends) > 2 && rapid.Bool().Draw(t, "without chip") {
			ends = ends[1:]
		}
		fmt.Fprintf(&b, "resource link%d is bus ({%s}, bandwidth=\"%dMbit/s\");\n", l, strings.Join(ends, ", "),
			rapid.IntRange(1, 1000).Draw(t, "bandwidth"))
	}
	for _, block := range []string{"SRC", "MID", "LAST", "SINK"} {
		fmt.Fprintf(&b, "impl %s on C (mu=\"%dMB/s\", gain=1);\n", block, rapid.IntRange(1, 100).Draw(t, "mu"))
	}
	return b.String(), 3 * width
}

// label returns the label of an edge, or none.
func label(t *rapid.T, text string) string {
	if rapid.Bool().Draw(t, text) {
		return text
	}
	return ""
}

// randomMapping places every kernel anywhere and sends every edge over any route.
func randomMapping(t *rapid.T, d *Design) (*flow.Mapping, bool) {
	app, arch := &d.Problem.Application, &d.Problem.Architecture
	m := &flow.Mapping{Route: make([][]int, len(app.Edges))}
	for range app.Kernels {
		m.Place = append(m.Place, rapid.IntRange(0, len(arch.Resources)-1).Draw(t, "place"))
	}
	routes := flow.NewRoutes(arch)
	for e, edge := range app.Edges {
		from, to := m.Place[edge.From], m.Place[edge.To]
		if from == to {
			continue
		}
		between := routes.Between(from, to)
		if len(between) == 0 {
			return nil, false
		}
		if i := rapid.IntRange(-1, len(between)-1).Draw(t, "route"); i >= 0 {
			m.Route[e] = slices.Clone(between[i])
		}
	}
	return m, true
}

// TestWriteCopies: a mapping with copies, written and read again, is the same, with the turns of the copies, their
// units, and the largest buffer of the edges that one became.
func TestWriteCopies(t *testing.T) {
	x := `#include "std.x"
block S { output FLOAT32 y; }; block W { input FLOAT32 x; output FLOAT32 y; emit y; stateless; };
block D { input FLOAT32 x; };
block top { S s; W a; W b; D d; sa: s -> a; ab: a -> b; bd: b -> d; }; use top;
resource p[3] is C;
resource mem is memory ({ p }, bandwidth="1GB/s");
resource bus2 is bus ({ p }, bandwidth="1GB/s");
impl S on C (mu="9MB/s"); impl W on C (mu="2MB/s"); impl D on C (mu="9MB/s");
`
	maps := `map { top.s, top.d } to p[1];
map { top.a, top.b } to 2 p[2] & p[3];
map { top.sa, top.bd } to mem;
buffer { top.sa } = 900;
buffer { top.ab } = 7;
`
	d := mustLower(t, Options{Purpose: ForMapping}, x+maps)
	var b strings.Builder
	sizes := map[int]int{}
	for e, n := range d.Buffers {
		sizes[e] = n
	}
	if err := d.WriteMapping(&b, d.Mapping, sizes, ""); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(maps, b.String()); diff != "" {
		t.Errorf("written mapping differs (-want +got):\n%s", diff)
	}
	again := mustLower(t, Options{Purpose: ForMapping}, x+b.String())
	if diff := cmp.Diff(d.Mapping, again.Mapping); diff != "" {
		t.Errorf("read again, the mapping differs:\n%s", diff)
	}
	scored, err := flow.NewNetwork(again.Problem, again.Mapping)
	if err != nil {
		t.Fatal(err)
	}
	s, err := (flow.Fast{}).Solve(context.Background(), scored)
	if err != nil {
		t.Fatal(err)
	}
	// The segment takes as long as 2 MB/s shared by two kernels, and p[2] takes two thirds of the stream.
	if want := 1e6 * 3 / 2 * flow.DefaultMaxUtilization; s.Throughput < want*(1-1e-9) || s.Throughput > want*(1+1e-9) {
		t.Errorf("throughput is %g, want %g", s.Throughput, want)
	}
}
