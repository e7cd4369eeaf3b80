package measure_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"xopt/deploy/measure"
	"xopt/deploy/timetrial"
)

// twoCopies runs the nine kernels of the chain in two copies. The second one gets two of three batches.
const twoCopies = "map { top.source, top.sink } to core[1]; map { top.pass[1..9] } to core[1] & 2 core[2];"

// TestStatementsAtCopies: a statement at a copy, or at an edge of one, measures only that copy. The sum over
// copies equals the measurement without copies, and the counts of the run's edges and kernels.
func TestStatementsAtCopies(t *testing.T) {
	a, v, m := deployChain(t, twoCopies, `
in1: measure rate at e1#1
in2: measure rate at top.e1#2
reader1: measure rate at pass[1]#1
inside2: measure rate at pass[4]#2.y -> pass[5]#2.x
out1: measure rate at e10#1
out2: measure rate at pass[9]#2.y
busy1: measure util at pass[1]#1
busy2: measure util at e1#2
full2: measure backpressure at e5#2
held: measure max occupancy at e5#2
late: measure sum latency at e5#1
tail: measure trace(100000) value at e10#2
through: measure sum latency at pass[1]#2.y ... pass[9]#2.x
odd: measure sum value at e10#1 when occupancy at e5#1 >= 0
a1: assert rate at e1#1 < 1 ktps
a2: assert value at e10#2 >= 0 & latency at e5#1 >= 0`, measure.Options{Every: 1}, 20*time.Millisecond)
	counted := func(label string) float64 { return a[label].Total.Number * m.Seconds }
	for _, pair := range [][2]string{{"in1", "in2"}, {"out1", "out2"}} {
		if sum := counted(pair[0]) + counted(pair[1]); math.Abs(sum-elements) > 1e-6*elements {
			t.Errorf("%s and %s: %g elements, want %d", pair[0], pair[1], sum, elements)
		}
	}
	nearly(t, "what the first copy takes at its kernel", counted("reader1"), counted("in1"))
	nearly(t, "what the second copy hands on", counted("inside2"), counted("in2"))
	for e, edge := range m.Edges { // each edge has its own count
		if name := []string{"in1", "in2"}; e < 2 && math.Abs(counted(name[e])-float64(edge.Elements)) > 1e-6*elements {
			t.Errorf("%s: %g elements, and the edge of the run has %d", name[e], counted(name[e]), edge.Elements)
		}
	}
	tail := a["tail"].Entries
	if len(tail) != int(math.Round(counted("out2"))) {
		t.Errorf("a trace of %d values, and %g elements", len(tail), counted("out2"))
	}
	for i := 1; i < len(tail); i++ {
		if tail[i].Value <= tail[i-1].Value {
			t.Fatalf("value %d is %g, behind %g", i, tail[i].Value, tail[i-1].Value)
		}
	}
	// A mark without space on an edge is dropped; the next one represents its element too, the last one none.
	if n, all := a["through"].Total.Summary.Weight, math.Round(counted("in2")); n > all || n < 0.99*all {
		t.Errorf("the path through the second copy has %g elements, want %g", n, all)
	}
	for _, label := range []string{"busy1", "busy2", "held", "late", "odd"} {
		if !(a[label].Total.Number > 0) {
			t.Errorf("%s is %g", label, a[label].Total.Number)
		}
	}
	if a1, a2 := v["a1"], v["a2"]; a1.IsMet() || !a2.IsMet() || a2.Tested == 0 {
		t.Errorf("a1 %+v, a2 %+v", a1, a2)
	}
}

// TestRefusedAtCopies: statements that are impossible where a stream divides among copies are refused before
// anything is built. The error has the position and the nearest possible statement. The name of a copied kernel
// causes an error that lists its copies.
func TestRefusedAtCopies(t *testing.T) {
	d := load(t, twoCopies)
	const nearest, name = "instead: measure rate at top.e1#1", "name one of these"
	for _, c := range []struct{ statement, want, hint string }{
		{"measure mean latency at e1#1", "top.e1#1 also carries data", nearest},
		{"measure hist occupancy at e1#1", "occupancy at e1#1: top.e1#1 also carries", nearest},
		{"measure value at pass[1]#1.x", "value at pass[1]#1.x: top.e1#1 also carries", nearest},
		{"measure mean latency at e1#1 when rate at e1#1 > 0", "latency at e1#1", nearest},
		{"measure rate at e1#1 when occupancy at e5#1 > 0", "rate at e1#1", "instead: omit the condition"},
		{"measure mean latency at e5#1 when occupancy at e1#1 > 0", "occupancy at e1#1", nearest},
		{"measure mean latency at source.y ... pass[3]#1.x", "pass[3]#1.x: top.e1#1 also carries", nearest},
		{"assert occupancy at e1#1 < 10", "occupancy at e1#1", nearest},
		{"measure rate at e1", "e1 has several edges: top.e1#1, top.e1#2", name},
		{"measure rate at top.e5", "several edges: top.e5#1, top.e5#2", name},
		{"measure util at pass[3]", "several edges: top.e3#1, top.e3#2", name},
		{"measure mean latency at source.y ... sink.x", "several paths lead from source.y to",
			"name a port on the path"},
		{"measure rate at e1#3", "unknown edge, port or kernel e1#3", "did you mean"},
		{"measure states at pass[3]", "the name pass[3]: top.pass[3]#1, top.pass[3]#2", name},
		{"measure states at pass[3]#2", "the mapping places it on a core", "instead: measure util"},
	} {
		q, err := timetrial.Parse("test", c.statement, d.Program)
		if err == nil {
			_, err = measure.New(q, d.Program, nil, measure.Options{})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.hint) ||
			!strings.HasPrefix(err.Error(), "test:1:") {
			t.Errorf("%s: got %v, want %q and %q", c.statement, err, c.want, c.hint)
		}
	}
	q, err := timetrial.Parse("test", "measure rate at e1#1", d.Program)
	if err != nil {
		t.Fatal(err)
	}
	_, err = measure.New(q, d.Program, nil, measure.Options{Frame: 100})
	if err == nil || !strings.Contains(err.Error(), "in time frames") {
		t.Errorf("frames of elements where a stream divides: %v", err)
	}
}
