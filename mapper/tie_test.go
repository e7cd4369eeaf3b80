package mapper

import (
	"testing"

	"xopt/flow"
)

// TestTie: a mapping ties with the best where it has the same throughput; not where it has less, nor
// where the goal or a kernel's place forbids it.
func TestTie(t *testing.T) {
	p, rivals := twoRivals(0.99e6, 1.01e6) // both are limited to 1 MB/s, by a or by b alone
	s, err := flow.NewScorer(p, rivals[1].Mapping)
	if err != nil {
		t.Fatal(err)
	}
	best := Candidate{Mapping: rivals[1].Mapping, Throughput: s.Throughput()}
	if c, ok := Tie(p, nil, Goal{}, rivals[1].Mapping, &best); !ok || !same(c.Throughput, best.Throughput) {
		t.Errorf("the best does not tie with itself: %+v", c)
	}
	if _, ok := Tie(p, nil, Goal{}, rivals[0].Mapping, &best); ok {
		t.Error("a mapping that shares a core, and has less throughput, ties")
	}
	if _, ok := Tie(p, nil, Goal{MinThroughput: 2e6}, rivals[1].Mapping, &best); ok {
		t.Error("a mapping below the least throughput that is asked for ties")
	}
	p.Figures[1][1].Available = false
	if _, ok := Tie(p, nil, Goal{}, rivals[1].Mapping, &best); ok {
		t.Error("a mapping whose kernel cannot run where it is ties")
	}
}
