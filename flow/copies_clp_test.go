//go:build clp

package flow_test

import (
	"math"
	"testing"

	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/flow/flowtest"
)

// TestCopiesAgree: with copies, the fast path and the linear program over all edges agree on throughput, flows,
// shadow prices and bottlenecks. So do the recommended sizes of buffers, which follow from their solutions.
func TestCopiesAgree(t *testing.T) {
	t.Parallel()
	near := func(a, b, floor float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b))+floor }
	forCopies(t, 300, func(t *testing.T, seed uint64, d *design.Design) {
		n, fast := flowtest.Solve(t, d.Problem, d.Mapping)
		full, err := flow.FullLP{}.Solve(t.Context(), n)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !near(fast.Throughput, full.Throughput, 0) {
			t.Errorf("seed %d: throughput %.15g fast, %.15g full", seed, fast.Throughput, full.Throughput)
		}
		for e := range fast.EdgeFlow {
			if !near(fast.EdgeFlow[e], full.EdgeFlow[e], 1e-8*fast.Throughput) {
				t.Errorf("seed %d: flow on %s is %.15g fast, %.15g full", seed, d.Program.Edges[e].Name,
					fast.EdgeFlow[e], full.EdgeFlow[e])
			}
		}
		if a, b := fast.Bottlenecks[0], full.Bottlenecks[0]; !near(a.Throughput, b.Throughput, 0) ||
			len(a.Limits) == 1 && a.Limits[0] != b.Limits[0] {
			t.Errorf("seed %d: the bottleneck is %v fast, %v full", seed, a, b)
		}
		if len(fast.Bottlenecks[0].Limits) > 1 {
			return // prices are not unique
		}
		for i := range fast.Prices {
			if math.Abs(fast.Prices[i].Elasticity-full.Prices[i].Elasticity) > 1e-6 {
				t.Errorf("seed %d: elasticity of %s is %g fast, %g full", seed, n.Stations[i].Name,
					fast.Prices[i].Elasticity, full.Prices[i].Elasticity)
			}
		}
		a, err := buffers.Recommend(t.Context(), d.Problem, n.Flows, flow.NewOperation(n, fast))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		b, err := buffers.Recommend(t.Context(), d.Problem, n.Flows, flow.NewOperation(n, full))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for e := range a {
			if math.Abs(a[e].Elements-b[e].Elements) > 1 { // they are rounded up
				t.Errorf("seed %d: the size of %s is %g fast, %g full", seed, d.Program.Edges[e].Name, a[e].Elements,
					b[e].Elements)
			}
		}
	})
}
