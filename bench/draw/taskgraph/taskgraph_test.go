package taskgraph_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"xopt/bench/apps/apptest"
	"xopt/bench/draw/taskgraph"
	"xopt/deploy/program"
	"xopt/flow/exchange/tgff"
)

// TestTaskGraph deploys drawn applications. Every edge must carry one element, of the size in the graph, for each of
// the source. The sink must receive the same bytes in every mapping.
func TestTaskGraph(t *testing.T) {
	t.Parallel()
	const elements = 300
	sizes := []int{7, 1, 23}
	if testing.Short() {
		sizes = sizes[:1]
	}
	for _, tasks := range sizes {
		g := taskgraph.Draw(uint64(tasks), tasks)
		if len(g.Times) != tasks || len(g.Sizes) != len(g.Graph.Arcs) {
			t.Fatalf("%d times and %d sizes for %d tasks and %d arcs", len(g.Times), len(g.Sizes), tasks,
				len(g.Graph.Arcs))
		}
		for i, s := range g.Times {
			if s < 18e-6 || s > 22e-6 {
				t.Errorf("task %d takes %g s, want 20 us within 10 %%", i, s)
			}
		}
		into := make(map[int]int) // bytes of an input of each task
		for i, a := range g.Graph.Arcs {
			if g.Sizes[i] < 1 || g.Sizes[i] > 64 || into[a.To] != 0 && into[a.To] != g.Sizes[i] {
				t.Errorf("arc %d carries %d bytes, another into the same task %d", i, g.Sizes[i], into[a.To])
			}
			into[a.To] = g.Sizes[i]
		}
		for i := range g.Times {
			g.Times[i] = 1e-6 // short
		}
		dir := t.TempDir()
		if err := g.Write(dir, taskgraph.Options{Speed: 500, Cores: 2}); err != nil {
			t.Fatal(err)
		}
		app := apptest.App{Dir: dir, Elements: elements}
		out, m := app.Deploy(t, "map { top } to proc[1];", program.Options{})
		for _, e := range m.Edges {
			if e.Elements != elements || e.Left != 0 {
				t.Errorf("%d tasks: an edge carried %d elements and left %d, want %d", tasks, e.Elements, e.Left,
					elements)
			}
		}
		if !strings.HasPrefix(string(out), fmt.Sprintf("%d ", elements)) {
			t.Errorf("%d tasks: the sink reports %q", tasks, out)
		}
		app.Agree(t, 2, out)
	}
}

// TestTaskGraphFile checks that an application that is written as a .tgff file and read again stays the same.
func TestTaskGraphFile(t *testing.T) {
	for seed := range uint64(30) {
		g := taskgraph.Draw(seed, 0)
		var b bytes.Buffer
		if err := g.File().Write(&b); err != nil {
			t.Fatal(err)
		}
		f, err := tgff.Read("app.tgff", &b)
		if err != nil {
			t.Fatal(err)
		}
		again, err := taskgraph.FromTGFF(f, 0, 1, seed)
		if err != nil {
			t.Fatal(err)
		}
		if len(again.Times) != len(g.Times) || len(again.Sizes) != len(g.Sizes) {
			t.Fatalf("seed %d: %d tasks and %d arcs, want %d and %d", seed, len(again.Times), len(again.Sizes),
				len(g.Times), len(g.Sizes))
		}
		for i := range g.Times {
			if math.Abs(again.Times[i]/g.Times[i]-1) > 1e-9 {
				t.Errorf("seed %d: task %d takes %g s, want %g", seed, i, again.Times[i], g.Times[i])
			}
		}
		for i := range g.Sizes {
			if again.Sizes[i] != g.Sizes[i] || again.Graph.Arcs[i].From != g.Graph.Arcs[i].From ||
				again.Graph.Arcs[i].To != g.Graph.Arcs[i].To {
				t.Errorf("seed %d: arc %d differs", seed, i)
			}
		}
	}
}

// TestFromTGFF checks that times and sizes come from the tables, in their units, and that others are drawn.
func TestFromTGFF(t *testing.T) {
	const text = `@COMMUN_QUANT 0 {
# type bits
0 80
}
@TASK_GRAPH 3 {
TASK a TYPE 0
TASK b TYPE 1
TASK c TYPE 9
ARC x FROM a TO b TYPE 0
ARC y FROM b TO c TYPE 5
}
@PROC 0 {
# type version task_time
0 0 15
1 0 2.5
}
`
	f, err := tgff.Read("x.tgff", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	g, err := taskgraph.FromTGFF(f, 3, 1e-6, 1)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(g.Times[0]-15e-6) > 1e-12 || math.Abs(g.Times[1]-2.5e-6) > 1e-12 || g.Times[2] < 18e-6 ||
		g.Times[2] > 22e-6 {
		t.Errorf("times are %v", g.Times)
	}
	if g.Sizes[0] != 10 || g.Sizes[1] < 1 || g.Sizes[1] > 64 {
		t.Errorf("sizes are %v", g.Sizes)
	}
	if g.First[0] == 0 || g.First[1] != 0 || g.Last[2] == 0 || g.Last[0] != 0 {
		t.Errorf("the source feeds %v, the sink takes %v", g.First, g.Last)
	}
	if _, err := taskgraph.FromTGFF(f, 0, 1, 1); err == nil || !strings.Contains(err.Error(),
		"task graph 0: the file contains the graphs 3") {
		t.Errorf("got %v", err)
	}
	if _, err := taskgraph.FromTGFF(f, 3, 1, 1); err == nil || !strings.Contains(err.Error(), "set the unit") {
		t.Errorf("got %v", err)
	}
}
