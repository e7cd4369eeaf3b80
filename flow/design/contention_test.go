package design

import (
	"testing"

	"xopt/flow"
)

// TestContention: cores that a link of the linktype memory joins share it, where contention was
// measured, and no others.
func TestContention(t *testing.T) {
	const machines = `#include "std.x"
block A { output FLOAT32 y; };
block B { input FLOAT32 x; };
block top { A a; B b; a.y -> b.x; };
use top;
platform C { impl A (src="a.c"); impl B (src="b.c"); };
linktype fast : memory;
resource proc[5] is C;
resource near is fast ({ proc[1], proc[2] }, bandwidth="1GB/s");
resource far is memory ({ proc[3], proc[2] }, bandwidth="1GB/s");
resource net is bus ({ proc }, bandwidth="1GB/s");
map { top.a } to proc[1];
map { top.b } to proc[2];
`
	figures := kernelFigures{ServiceRate: 1e6, Gain: 1, ServiceSCV: 1}
	p := &measured{kernels: make(map[string]kernelFigures)}
	fill := func() {
		for _, r := range []string{"1", "2", "3", "4", "5"} {
			p.kernels["A proc["+r+"]"], p.kernels["B proc["+r+"]"] = figures, figures
		}
	}
	fill()
	d := mustLower(t, Options{Profile: p.source()}, machines)
	for _, r := range d.Problem.Architecture.Resources {
		if r.Memory != "" {
			t.Errorf("%s has memory %q without contention", r.Name, r.Memory)
		}
	}
	figures.Contention = &flow.Contention{Pressure: 5, Curve: []flow.Slowdown{{Level: 10, Times: 1.5}}}
	fill()
	d = mustLower(t, Options{Profile: p.source()}, machines)
	for r, want := range []string{"memory of proc[1]", "memory of proc[1]", "memory of proc[1]", "", ""} {
		if got := d.Problem.Architecture.Resources[r].Memory; got != want {
			t.Errorf("core %d has memory %q, want %q", r+1, got, want)
		}
	}
	if got := d.Problem.Figures[0][0].Contention; got == nil || got.Pressure != 5 {
		t.Errorf("contention is %v", got)
	}
}
