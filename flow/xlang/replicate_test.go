package xlang_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"xopt/configs"
	"xopt/flow/flowtest"
	"xopt/flow/xlang"
	"xopt/internal/testkit"
)

// copied is an application whose kernels may be copied, except last.
const copied = `#include "std.x"
block S { output UNSIGNED32[64] y; };
block A { input UNSIGNED32[64] x; output UNSIGNED32[64] y; emit 2 y; stateless; };
block B { input UNSIGNED32[64] x; output UNSIGNED32[64] y; join 3 x; emit y; stateless; };
block C { input UNSIGNED32[64] x; output UNSIGNED32[64] y; stateless by key x; };
block V { input UNSIGNED32[64] x; output UNSIGNED32[64] y; stateless; };
block D { input UNSIGNED32[64] x; };
block M { input UNSIGNED32[64] x, z; output UNSIGNED32[64] y; stateless; };
block M2 { input UNSIGNED32[64] x, z; output UNSIGNED32[64] y; join x, z; emit y; stateless; };
block Z { output UNSIGNED32[64] y; emit y; stateless; };
block N { output UNSIGNED32[64] y; stateless; };
block T { output UNSIGNED32[64] y; once y; };
block K { input UNSIGNED32[64] x, z; output UNSIGNED32[64] y; stateless by key z; };
platform C { impl S; };
resource p[6] is C;
resource mem is memory ({ p }, bandwidth="1GB/s");
`

const chainOfCopies = `block top { S s; A a; B b; D d; sa: s -> a; ab: a -> b; bd: b -> d; }; use top;
`

func replicate(t *testing.T, text string) (*xlang.Program, error) {
	t.Helper()
	p := flowtest.X{Dir: testkit.Files(t, map[string]string{"a.x": copied + text}), Files: []string{"a.x"}}.Program(t)
	return p.Replicate()
}

// edgesOf describes the edges of a program: their names, and their parts of a stream.
func edgesOf(p *xlang.Program) string {
	var all []string
	for _, e := range p.Edges {
		all = append(all, fmt.Sprintf("%s %s>%s %.3g%v", e.Name, p.Kernels[e.From].Name, p.Kernels[e.To].Name, e.Share,
			map[bool]string{true: "s"}[e.Shared]))
	}
	return strings.Join(all, "\n")
}

// TestReplicate: edges divide a stream by turns, stay inside a unit, and connect copies of two units where one ever
// consumes a batch of the other.
func TestReplicate(t *testing.T) {
	for _, c := range []struct{ maps, want string }{
		{"map { top.a } to p[1] & 3 p[2];", `top.sa#1 top.s>top.a#1 0.25s
top.sa#2 top.s>top.a#2 0.75s
top.ab#1 top.a#1>top.b 1
top.ab#2 top.a#2>top.b 1
top.bd top.b>top.d 1`},
		{"map { top.a, top.b } to p[2..3];", `top.sa#1 top.s>top.a#1 0.5s
top.sa#2 top.s>top.a#2 0.5s
top.ab#1 top.a#1>top.b#1 1
top.ab#2 top.a#2>top.b#2 1
top.bd#1 top.b#1>top.d 1
top.bd#2 top.b#2>top.d 1`},
		// a processes batches 0, 2, …, b 0, 3, …: of four batches of a#1 two are for b#1, and so on
		{"map { top.a } to p[1] & p[2]; map { top.b } to p[3] & p[4];", `top.sa#1 top.s>top.a#1 0.5s
top.sa#2 top.s>top.a#2 0.5s
top.ab#1.1 top.a#1>top.b#1 1s
top.ab#2.2 top.a#2>top.b#2 1s
top.bd#1 top.b#1>top.d 1
top.bd#2 top.b#2>top.d 1`},
	} {
		p, err := replicate(t, chainOfCopies+c.maps)
		if err != nil {
			t.Fatal(err)
		}
		if got := edgesOf(p); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.maps, got, c.want)
		}
		// A batch of a has 256 bytes an element: 32 firings fill 8 KiB; two elements of each make three of b.
		for _, k := range p.Kernels {
			if k.Replica != nil && k.Replica.Batch != 33 {
				t.Errorf("%s: a batch of %s has %d firings, want 33: b takes three of the two that a sends", c.maps,
					k.Name, k.Replica.Batch)
			}
		}
	}
}

// TestTurns: in every round a copy has the right number of batches, spread evenly. The shares of edges follow the
// turns, also from copies to copies.
func TestTurns(t *testing.T) {
	p, err := replicate(t, chainOfCopies+"map { top.a } to 2 p[1] & p[2]; map { top.b } to p[3] & 4 p[4] & 2 p[5];")
	if err != nil {
		t.Fatal(err)
	}
	into := make(map[string]float64)
	for _, k := range p.Kernels {
		if k.Name == "top.s" {
			into[k.Name] = 1
		}
	}
	for _, e := range p.Edges { // in the order of data
		if share := e.Share; share > 0 {
			into[p.Kernels[e.To].Name] += share * into[p.Kernels[e.From].Name]
		}
	}
	for name, want := range map[string]float64{"top.a#1": 2. / 3, "top.a#2": 1. / 3, "top.b#1": 1. / 7,
		"top.b#2": 4. / 7, "top.b#3": 2. / 7} {
		if math.Abs(into[name]-want) > 1e-12 {
			t.Errorf("%s gets %g of the stream, want %g", name, into[name], want)
		}
	}
	for _, k := range p.Kernels {
		if k.Name == "top.b#1" && fmt.Sprint(k.Replica.Turns) != "[1 2 1 0 1 2 1]" {
			t.Errorf("the turns of b are %v", k.Replica.Turns)
		}
	}
}

// TestRefusedCopies: impossible copies are refused, with a reason and a remedy.
func TestRefusedCopies(t *testing.T) {
	for _, c := range []struct{ app, maps, want string }{
		{"S s; D d; s -> d;", "map { top.d } to p[1] & p[2];", "kernel top.d may keep state"},
		{"S s; D d; s -> d;", "map { top.s } to p[1..2];", "kernel top.s is a source"},
		{"N n; D d; n -> d;", "map { top.n } to p[1..2];", "does not send one element in each firing"},
		{"Z z, y; M2 m; D d; z -> m.x; y -> m.z; m -> d;", "map { top.z, top.y, top.m } to p[1..2];",
			"copies receive data from copies of the sources top.z and top.y"},
		{"Z z; A a; S s; M2 m; D d; z -> m.x; s -> a; a -> m.z; m -> d;",
			"map { top.z, top.a, top.m } to p[1..2];", "the stream reaches the copies of"},
		{"S s; M m; D d; s -> m.x; s -> m.z; m -> d;", "map { top.m } to p[1..2];", "in the order of arrival"},
		{"T t; S s; K k; D d; t -> k.z; s -> k.x; k -> d;", "map { top.k } to p[1..2];",
			"by the key z, which is sent once"},
		{"S s; A a; A b; D d; s -> a.x; a -> b; b -> a.x (initial=9); b -> d;", "map { top.a } to p[1..2];",
			"in a loop"},
		{"S s; V v; B b; D d; s -> v; v -> b; b -> d;", "map { top.v } to p[1..2];",
			"declare the number of elements that a firing of V sends"},
		{"S s; A a; C c; D d; s -> a; a -> c; c -> d;", "map { top.a } to p[1..2]; map { top.c } to p[3..4];",
			"selects copies by key"},
		{"S s; C c; V v; D d; s -> c; c -> v; v -> d;", "map { top.c } to p[1..2]; map { top.v } to p[3..4];",
			"map both kernels in one statement"},
	} {
		_, err := replicate(t, "block top { "+c.app+" }; use top;\n"+c.maps)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: got %v, want %q", c.app, c.maps, err, c.want)
		}
	}
}

// TestSourceCopies: the stream of a source in copies begins there. Its edges have the number of elements in a batch,
// if that is declared and an integer.
func TestSourceCopies(t *testing.T) {
	p, err := replicate(t, "block top { Z z; A a; B b; V v; D d; z -> a; a -> b; b -> v; v -> d; }; use top;\n"+
		"map { top.z, top.a, top.b, top.v } to 2 p[1] & p[2]; map { top.d } to p[3];")
	if err != nil {
		t.Fatal(err)
	}
	if got := edgesOf(p); !strings.Contains(got, "top.z#1>top.a#1 1\n") {
		t.Errorf("edges\n%s", got)
	}
	// 256 bytes an element, 64 in 16 KiB; a sends two for each, b takes three of these: 66 firings.
	batches := map[string]int{"top.z#1": 66, "top.a#1": 132, "top.b#1": 44, "top.v#1": 0}
	for _, e := range p.Edges {
		if n, ok := batches[p.Kernels[e.From].Name]; ok && e.Batch != n {
			t.Errorf("a batch has %d elements on the edge from %s, want %d", e.Batch, p.Kernels[e.From].Name, n)
		}
	}
	for _, k := range p.Kernels {
		if k.Replica == nil {
			continue
		}
		if own := k.Replica.Own(); own != 2-k.Replica.Index || k.Replica.Entry != (k.Replica.Of == "top.z") {
			t.Errorf("%s takes %d batches of a round, entry %v", k.Name, own, k.Replica.Entry)
		}
	}
}

// TestCopiesMisread: invalid statements about copies are mistakes with a place.
func TestCopiesMisread(t *testing.T) {
	for text, want := range map[string]string{
		"map { top.a } to 0 p[1] & p[2];":                         "of a copy is 0",
		"map { top.a } to 4 p[1];":                                "omit the number of batches",
		"map { top.a } to 2 p[3..3];":                             "the number 2 has no effect",
		"map { top.a } to 0 p[1];":                                "of a copy is 0",
		"map { top.a } to 1.5 p[1] & p[2];":                       "of a copy is 1.5",
		"map { top.a } to 5000 p[1] & p[2];":                      "of a copy is 5000",
		"map { top.a } to 4000 p[1..3];":                          "process 12000 batches in one round of turns",
		"map { top.a } to p[1..9];":                               "out of range",
		"map { top.a } to p[1], p[2];":                            "write & between the resources for a copy on each",
		"map { top.a } to p[1], p[2] & p[3];":                     "separates resources by commas and by &",
		"map { top.ab } to p[1] & p[2];":                          "is an edge, not a kernel",
		"map { top.ab } to 2 mem;":                                "copies cannot run on mem, which is a link",
		"map { top.a } to p[1] & p[2]; map { top.a } to p[1..2];": "mapped twice",
		"forbid { top.a } to 2 p[1];":                             "cannot state the number of copies",
		"map { top.a } to p[1] & mem;":                            "copies cannot run on mem, which is a link",
		"fix { top.a } to p[1] & p[2];":                           "cannot state the number of copies",
		"map { top.a } to p[1..2]; map { top.a } to p[3];":        "is mapped",
		"block X { output FLOAT32 y; stateless by key y; };":      "has no inputs",
		"block X { input FLOAT32 x; stateless by key x; };":       "cannot be a key",
		"block X { input UNSIGNED8 x; stateless by key z; };":     "has no input port 'z'",
		"block X { input UNSIGNED8 x; stateless; stateless; };":   "stateless twice",
	} {
		dir := testkit.Files(t, map[string]string{"a.x": copied + chainOfCopies + text})
		_, _, err := xlang.Load([]string{dir + "/a.x"}, xlang.Options{Library: configs.Library()})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
