package design

import (
	"math"
	"strings"
	"testing"

	"xopt/flow"
)

// emitApp returns a source that emits on two ports, a kernel that takes 4 and emits 3, and a sink, with
// more statements.
func emitApp(more string) string {
	return `
#include "std.x"
block S { output UNSIGNED8 y; output UNSIGNED16 z; emit 3 y, z; };
block F { input UNSIGNED8 x; output UNSIGNED16 y; join 4 x; emit 3 y; };
block T { input UNSIGNED16 a, b; };
block top { S s; F f; T t; s.y -> f.x; f.y -> t.a; s.z -> t.b; };
use top;
resource p is C;
impl S on p (time="5us");
impl F on p (mu="40MB/s");
impl T on p (mu="40MB/s");
map { top.s, top.f, top.t } to p;
` + more
}

// TestEmit: gain, routing and the size of a source's firing follow from emit and join.
func TestEmit(t *testing.T) {
	d := mustLower(t, Options{}, emitApp(""))
	app := &d.Problem.Application
	for e, want := range []struct {
		emits   int
		routing float64
	}{{3, 0.6}, {3, 1}, {1, 0.4}} {
		edge := &app.Edges[e]
		if edge.Emits != want.emits || math.Abs(edge.Routing-want.routing) > 1e-12 {
			t.Errorf("%s: emits %d, routing %g, want %+v", edge.Name, edge.Emits, edge.Routing, want)
		}
	}
	f := &app.Kernels[1]
	if f.Gain != 1.5 || f.GainOrigin != flow.Derived || f.GainNote != "a firing consumes 4 bytes and emits 6 bytes" {
		t.Errorf("gain %g, %v: %s", f.Gain, f.GainOrigin, f.GainNote)
	}
	if rate := d.Problem.Figures[0][0].ServiceRate; math.Abs(rate/1e6-1) > 1e-12 {
		t.Errorf("the source sends %g bytes/s, want 5 bytes in 5 us", rate)
	}
	flows, err := flow.NewFlows(app, 0)
	if err != nil {
		t.Fatal(err)
	}
	if rate := flows.FiringRate(0, 0); math.Abs(rate*5-1) > 1e-12 {
		t.Errorf("the source fires %g times for a byte, want once for 5", rate)
	}
	if g := flows.Grain(0); g.Brings != 3 || g.Consumes != 4 {
		t.Errorf("grain %+v", g)
	}
	mustLower(t, Options{}, emitApp("impl F on p (gain=1.5);\nroute S.y = 0.6; route S.z = 0.4;"))
}

// TestEmitRefuses: figures that contradict what follows, and what cannot be emitted.
func TestEmitRefuses(t *testing.T) {
	for more, want := range map[string]string{
		"impl F on p (gain=2);": "gain of top.f is stated as 2, but a firing consumes 4 bytes and emits 6 bytes",
		"route S.y = 0.5;":      "of top.s.y is stated as 0.5, but a firing emits 3 bytes on this port and 5 bytes in",
	} {
		prog, err := readSource(emitApp(more))
		if err == nil {
			_, err = New(prog, Options{})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", more, err, want)
		}
	}
	for _, c := range []struct{ from, to, want string }{
		{"emit 3 y, z;", "emit 3 q;", "block S has no output port 'q'"},
		{"emit 3 y, z;", "emit y, y;", "port 'y' is listed twice in emit"},
		{"emit 3 y, z;", "emit 0 y;", "expected a whole number of elements from 1 to"},
		{"emit 3 y, z;", "emit 1.5 y;", "emit 1.5 y"},
		{"emit 3 y, z;", "once y, z; emit y;", "block 'S' sends once, and cannot have an emit"},
		{"emit 3 y, z;", "emmit 3 y;", "did you mean emit?"},
		{"emit 3 y, z;", "emit -3 y;", "an emit is written as: emit y, 3 z;"},
		{"S s; F f;", "emit y; S s; F f;", "block 'top' contains instances and cannot have an emit"},
	} {
		if _, err := readSource(strings.Replace(emitApp(""), c.from, c.to, 1)); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.to, err, c.want)
		}
	}
}

// TestEmitPart: where one port emits nothing that is known, gain and routing are as without.
func TestEmitPart(t *testing.T) {
	source := strings.Replace(emitApp("route S.y = 0.9; route S.z = 0.1; "),
		"emit 3 y, z;", "emit 3 y;", 1)
	d := mustLower(t, Options{}, strings.Replace(source, `time="5us"`, `mu="1MB/s"`, 1))
	if e := &d.Problem.Application.Edges[0]; e.Emits != 3 || e.Routing != 0.9 {
		t.Errorf("%+v", e)
	}
}

// TestEmitArrays: an emit names a port of an array, some, or all.
func TestEmitArrays(t *testing.T) {
	for emit, want := range map[string][4]int{"emit 2 y;": {2, 2, 2, 0}, "emit y[2], 5 z;": {0, 1, 0, 5},
		"emit 4 y[1..2], y[3]; emit z;": {4, 4, 1, 1}, "emit 3 y[*], 2 z;": {3, 3, 3, 2}} {
		prog := read(t, "block S { output UNSIGNED8 y[3], z; "+emit+" };\nblock T { input UNSIGNED8 x; };\n"+
			"block top { S s; T a[3], b; s.y[*] -> a[*].x; s.z -> b; }; use top;")
		var got [4]int
		for i, e := range prog.Kernels[0].Emits {
			got[i] = e.Elements
		}
		if got != want {
			t.Errorf("%s: %v, want %v", emit, got, want)
		}
	}
}
