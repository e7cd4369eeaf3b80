package flow

import (
	"math"
	"testing"
)

// TestTurns: the outputs of a source's copies are in the ratio of their turns, whatever the others could send. That
// includes one slow copy, and a join with another source.
func TestTurns(t *testing.T) {
	p := turnsProblem()
	n, s := solve(t, p, &Mapping{Place: []int{0, 1, 2, 3}, Route: make([][]int, 3)})
	// Two to one; the second sends at most 10 bytes/s, the first 30, so that both send 30.
	if n.Flows.Free != 1 || math.Abs(s.Throughput-30*n.Problem.maxUtilization()) > 1e-9 {
		t.Errorf("throughput %g with %d free sources, want 30 with one", s.Throughput, n.Flows.Free)
	}
	for e, want := range []float64{20, 10, 30} {
		if math.Abs(s.EdgeFlow[e]-want*n.Problem.maxUtilization()) > 1e-9 {
			t.Errorf("flow %g on edge %d, want %g", s.EdgeFlow[e], e, want)
		}
	}
	p.Application.Kernels[1].Turns = 0
	if _, s := solve(t, p, &Mapping{Place: []int{0, 1, 2, 3}, Route: make([][]int, 3)}); s.Throughput < 39 {
		t.Errorf("throughput %g without turns, want 40", s.Throughput)
	}
	p.Application.Kernels[0].Turns, p.Application.Kernels[2].Turns = 2, 1
	if err := p.Validate(); err == nil {
		t.Error("turns are accepted of a kernel that is not a source")
	}
}

// turnsProblem returns a problem with two copies of a source, with two turns and one. The first could send 30 bytes/s
// and the second 10.
func turnsProblem() *Problem {
	p := &Problem{
		Application: Application{
			Kernels: []Kernel{{Name: "s#1", Gain: 1, Turns: 2}, {Name: "s#2", Gain: 1, Turns: 1},
				{Name: "a", Gain: 1}, {Name: "b", Gain: 1}},
			Edges: []Edge{{Name: "1", From: 0, To: 2, ElementBytes: 1, Routing: 1},
				{Name: "2", From: 1, To: 2, ElementBytes: 1, Routing: 1},
				{Name: "3", From: 2, To: 3, ElementBytes: 1, Routing: 1}}},
		Architecture: Architecture{Resources: cores(Conserving, 4),
			Links: []Link{{Name: "l", Endpoints: []int{0, 1, 2, 3}, Bandwidth: 1e9}}},
		Figures: figures(4, 30, 10, 1000, 1000)}
	return p
}
