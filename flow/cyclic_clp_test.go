//go:build clp

package flow

import (
	"context"
	"testing"
)

// TestCyclicCLP compares the fast solver with CLP on applications with cycles.
func TestCyclicCLP(t *testing.T) {
	forCyclicNetworks(t, 300, func(t *testing.T, seed uint64, n *Network, fast *Solution) {
		full, err := FullLP{}.Solve(context.Background(), n)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		compare(t, seed, n, fast, full)
	})
}
