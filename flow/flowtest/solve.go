package flowtest

import (
	"testing"

	"xopt/flow"
)

// Solve builds the flow network of a mapping and solves it.
func Solve(t testing.TB, p *flow.Problem, m *flow.Mapping) (*flow.Network, *flow.Solution) {
	t.Helper()
	n, err := flow.NewNetwork(p, m)
	if err != nil {
		t.Fatal(err)
	}
	s, err := flow.Fast{}.Solve(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return n, s
}
