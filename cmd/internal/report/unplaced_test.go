package report

import (
	"slices"
	"testing"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/xlang"
)

// TestGraphOfAnApplication checks that a drawing without a mapping has the blocks of kernels, the elements and routing
// of edges, no resources, and a mark where figures are missing.
func TestGraphOfAnApplication(t *testing.T) {
	d := &design.Design{Program: &xlang.Program{Top: "top", Kernels: []xlang.Kernel{{Name: "top.a", Block: "A"},
		{Name: "top.x.b", Block: "B"}, {Name: "top.x.c", Block: "C"}}}, Problem: &flow.Problem{}}
	d.Problem.Application.Edges = []flow.Edge{{Name: "top.ab", From: 0, To: 1, ElementBytes: 8, Routing: 0.25},
		{Name: "top.ac", From: 0, To: 2, ElementBytes: 8, Routing: 0.75}}
	d.Missing = []design.Missing{{Kernel: "top.x.c"}}
	x := GraphOf(d)
	g := x.Graph
	if x.Detail != Kernels || len(g.Nodes) != 3 || len(g.Groups)+len(g.Frames)+len(g.Links) != 0 {
		t.Fatalf("%s: %+v", x.Detail, g)
	}
	if !slices.Equal(g.Nodes[1].Lines, []string{"x.b", "B"}) || g.Nodes[1].Name != "top.x.b" {
		t.Errorf("node %+v", g.Nodes[1])
	}
	if e := g.Edges[0]; e.Name != "top.ab" || e.Label != "25 %, 8 B" {
		t.Errorf("edge %+v", e)
	}
	if g.Nodes[2].Look.Width != limitWidth || g.Nodes[1].Look.Width == limitWidth || len(x.Key()) != 1 {
		t.Errorf("borders %v and %v, legend %v", g.Nodes[1].Look, g.Nodes[2].Look, x.Key())
	}
	var levels []string
	for _, p := range x.Pictures(0) {
		levels = append(levels, string(p.Detail))
	}
	if !slices.Equal(levels, []string{"blocks", "kernels"}) {
		t.Errorf("levels %v", levels)
	}
	d.Missing = nil
	if key := GraphOf(d).Key(); key != nil {
		t.Errorf("legend %v", key)
	}
}
