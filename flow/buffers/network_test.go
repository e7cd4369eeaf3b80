package buffers_test

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
	"xopt/queueing/maxplus"
)

// solve returns the network of a mapping and its solution.
func solve(t testing.TB, p *flow.Problem, m *flow.Mapping) (*flow.Network, *flow.Solution) {
	t.Helper()
	n, err := flow.NewNetwork(p, m)
	if err != nil {
		t.Fatal(err)
	}
	s, err := (flow.Fast{}).Solve(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	return n, s
}

// simulate runs a mapping with sizes; nil for no end.
func simulate(t testing.TB, n *flow.Network, s *flow.Solution, set buffers.Setting, sizes []int,
	o maxplus.Options) *buffers.Outcome {
	t.Helper()
	m, err := buffers.Network(n, s, set)
	if err != nil {
		t.Fatal(err)
	}
	sim, err := m.Simulator()
	if err != nil {
		t.Fatal(err)
	}
	out, err := sim.Run(context.Background(), sizes, o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// all returns the same size for every edge.
func all(n *flow.Network, size int) []int {
	list := make([]int, len(n.Problem.Application.Edges))
	for e := range list {
		list[e] = size
	}
	return list
}

// TestExamples: with buffers of many elements, the bundled examples reach the throughput of the flow
// model.
func TestExamples(t *testing.T) {
	examples := filepath.Join(testkit.Root(t), "configs/examples")
	for _, c := range []struct {
		dir   string
		files []string
	}{
		{"gayen-test1", []string{"app.x", "arch.x", "map1.x"}},
		{"gayen-test1", []string{"app.x", "arch.x", "map2.x"}},
		{"gayen-test1", []string{"app.x", "arch.x", "map3.x"}},
		{"gayen-test2", []string{"app.x", "arch.x", "map1.x"}},
		{"gayen-test2", []string{"app.x", "arch.x", "map2.x"}},
		{"beard-fig7", []string{"app.x", "arch.x", "map.x"}},
		{"lancaster-blastn", []string{"run1.x", "arch.x", "map.x"}},
		{"lancaster-blastn", []string{"run2.x", "arch.x", "map.x"}},
		{"gayen-veritas", []string{"arch.x", "mapA2.x"}},
		{"gayen-veritas", []string{"arch_slow.x", "mapB2.x"}},
		{"gayen-veritas", []string{"arch_proc.x", "map2a.x"}},
		{"gayen-veritas", []string{"arch_proc.x", "map3b.x"}},
	} {
		d := flowtest.X{Dir: filepath.Join(examples, c.dir), Files: c.files}.Design(t, design.Options{})
		n, s := solve(t, d.Problem, d.Mapping)
		for _, style := range []buffers.Style{buffers.CoreStyle, buffers.KernelStyle} {
			out := simulate(t, n, s, buffers.Setting{Style: style}, all(n, 1000), maxplus.Options{Events: 100_000})
			t.Logf("%s %v style %d: flow %.6g B/s, simulated %.6g ± %.2g %%, %d events %s", c.dir, c.files, style,
				s.Throughput, out.Throughput.Value,
				100*(out.Throughput.High/out.Throughput.Value-1), out.Events, out.Stopped)
			if r := out.Throughput.Value / s.Throughput; math.Abs(r-1) > .02 {
				t.Errorf("%s: %.6g of the flow bound", c.dir, r)
			}
		}
	}
}
