//go:build clp

package flow

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// compare checks that two solutions of one network agree. Flows are compared
// where they are determined: with one free source.
func compare(t *testing.T, seed uint64, n *Network, fast, full *Solution) {
	t.Helper()
	// CLP satisfies rows to about 1e-7, and throughput is a sum of them.
	const rows = 10
	if !near(fast.Throughput, full.Throughput, rows*fast.Throughput) {
		t.Fatalf("seed %d: throughput %.15g fast, %.15g full, relative difference %g",
			seed, fast.Throughput, full.Throughput, fast.Throughput/full.Throughput-1)
	}
	if n.Flows.Free > 1 {
		return
	}
	// CLP loses flows that contribute less than about 1e-9 to a kernel, such as one of several in-edges behind
	// gains of 1e-3 and 1e3.
	const lost = 5
	for e := range fast.EdgeFlow {
		if !near(fast.EdgeFlow[e], full.EdgeFlow[e], lost*fast.EdgeFlow[e]) {
			t.Fatalf("seed %d: flow on edge %d is %.15g fast, %.15g full", seed, e, fast.EdgeFlow[e], full.EdgeFlow[e])
		}
	}
	for i := range fast.Stations {
		if !near(fast.Stations[i].Share, full.Stations[i].Share, 1e-3) {
			t.Fatalf("seed %d: share of station %d is %.15g fast, %.15g full", seed, i, fast.Stations[i].Share,
				full.Stations[i].Share)
		}
	}
	if len(fast.Bottlenecks) == 0 || len(full.Bottlenecks) == 0 {
		t.Fatalf("seed %d: %d and %d bottlenecks", seed, len(fast.Bottlenecks), len(full.Bottlenecks))
	}
	for i := range min(len(fast.Bottlenecks), len(full.Bottlenecks)) {
		if a, b := fast.Bottlenecks[i], full.Bottlenecks[i]; !near(a.Throughput, b.Throughput, rows*a.Throughput) ||
			a.Limits[0] != b.Limits[0] {
			t.Fatalf("seed %d: bottleneck %d is %v fast, %v full", seed, i, a, b)
		}
	}
}

// TestFastEqualsCLP compares the fast solver with CLP, on larger networks than gonum's dense simplex can solve.
func TestFastEqualsCLP(t *testing.T) {
	for name, shape := range map[string]func(*rand.Rand) randomOptions{
		"small": anyShape,
		"large": func(rng *rand.Rand) randomOptions {
			sources := 1 + rng.IntN(6)
			return randomOptions{kernels: 2*sources + 20 + rng.IntN(40), sources: sources, resources: 4 + rng.IntN(10),
				links: 2 + rng.IntN(3), joins: rng.IntN(2) == 0}
		},
	} {
		t.Run(name, func(t *testing.T) {
			failed := 0 // networks whose flows differ so much that CLP finds only zero, or gives up
			forRandomNetworks(t, 1500, shape, func(t *testing.T, seed uint64, n *Network) {
				fast, err := Fast{}.Solve(context.Background(), n)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				full, err := FullLP{}.Solve(context.Background(), n)
				if (errors.Is(err, ErrInfeasible) || errors.Is(err, errCLP)) && failed < 3 {
					failed++
					return
				}
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				compare(t, seed, n, fast, full)
				if len(fast.Bottlenecks[0].Limits) > 1 || n.Flows.Free > 1 {
					return // prices are not unique
				}
				for i := range fast.Prices {
					if !near(fast.Prices[i].Elasticity, full.Prices[i].Elasticity, 1e-2) {
						t.Fatalf("seed %d: elasticity of %s is %g fast, %g CLP", seed, n.Stations[i].Name,
							fast.Prices[i].Elasticity, full.Prices[i].Elasticity)
					}
				}
			})
		})
	}
}

// TestTiesAgree: CLP names the same limits as the fast solver where several tie, with several
// free sources, too.
func TestTiesAgree(t *testing.T) {
	tied := 0
	forRandomNetworks(t, 150, anyShape, func(t *testing.T, seed uint64, n *Network) {
		// Every limit of the first bottleneck twice: a copy of a resource's row ties with it.
		for i := range n.Limits {
			if len(n.Limits) > 40 {
				return
			}
			copied := n.Limits[i]
			copied.Name += " again"
			n.Limits = append(n.Limits, copied)
		}
		fast, err := Fast{}.Solve(context.Background(), n)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		full, err := FullLP{}.Solve(context.Background(), n)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		a, b := fast.Limiting(n), full.Limiting(n)
		if len(a)%2 != 0 || len(a) == 0 {
			t.Fatalf("seed %d: %q tie, and each has a copy", seed, a)
		}
		for _, name := range b { // CLP may miss contributions below its tolerance
			if !slices.Contains(a, name) {
				t.Fatalf("seed %d: CLP names %q, the fast solver %q", seed, b, a)
			}
		}
		if n.Flows.Free > 1 && len(b) >= 2 {
			tied++
		}
	})
	if tied < 20 {
		t.Errorf("only %d networks with several sources have ties by CLP", tied)
	}
}
