package flow

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// agreement is the allowed relative difference between two methods.
const agreement = 1e-9

// near reports whether a and b agree relatively, or to absolute when both are
// small against scale.
func near(a, b, scale float64) bool {
	return a == b || math.Abs(a-b) <= agreement*math.Max(scale, math.Max(math.Abs(a), math.Abs(b)))
}

// forRandomNetworks calls f with random feasible networks.
func forRandomNetworks(t *testing.T, count int, o func(*rand.Rand) randomOptions, f func(t *testing.T, seed uint64,
	n *Network)) {
	t.Helper()
	feasible := 0
	for seed := uint64(0); feasible < count; seed++ {
		if seed > uint64(count)*100 {
			t.Fatalf("only %d feasible networks in %d", feasible, seed)
		}
		rng := rand.New(rand.NewPCG(seed, 1))
		p := randomProblem(rng, o(rng))
		if err := p.Validate(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		n, err := NewNetwork(p, randomMapping(rng, p))
		if err != nil {
			if errors.Is(err, ErrInfeasible) {
				continue
			}
			t.Fatalf("seed %d: %v", seed, err)
		}
		feasible++
		f(t, seed, n)
	}
}

func anyShape(rng *rand.Rand) randomOptions {
	sources := 1 + rng.IntN(4)
	return randomOptions{kernels: 2*sources + rng.IntN(10), sources: sources, resources: 2 + rng.IntN(4),
		links: 2 + rng.IntN(2), joins: rng.IntN(2) == 0}
}

// TestShadowPricesPredictImprovement raises each service rate a little and
// solves again.
func TestShadowPricesPredictImprovement(t *testing.T) {
	forRandomNetworks(t, 200, anyShape, func(t *testing.T, seed uint64, n *Network) {
		before, err := Fast{}.Solve(context.Background(), n)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		const step = 1e-6
		for i := range n.Stations {
			st := &n.Stations[i]
			if st.Kind != KernelStation {
				continue
			}
			fig := &n.Problem.Figures[st.Kernel][st.Resource]
			saved := *fig
			fig.ServiceRate *= 1 - step // downwards: where limits tie, a loss is certain and a gain is not
			worse, err := NewNetwork(n.Problem, n.Mapping)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			after, err := Fast{}.Solve(context.Background(), worse)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			*fig = saved
			loss := (before.Throughput - after.Throughput) / before.Throughput / step
			if math.Abs(loss-before.Prices[i].Elasticity) > 1e-3 {
				t.Fatalf("seed %d: station %s loses %g%% per percent, price says %g", seed, st.Name, loss,
					before.Prices[i].Elasticity)
			}
			if want := before.Prices[i].Elasticity * before.Throughput / st.ServiceRate; !near(before.Prices[i].Shadow,
				want, 1e-12) {
				t.Fatalf("seed %d: shadow price %g does not match elasticity %g", seed, before.Prices[i].Shadow,
					before.Prices[i].Elasticity)
			}
		}
	})
}

// TestSolutionIsConsistent checks conservation, routing and limits at every
// solution, from the definitions.
func TestSolutionIsConsistent(t *testing.T) {
	forRandomNetworks(t, 500, anyShape, func(t *testing.T, seed uint64, n *Network) {
		s, err := Fast{}.Solve(context.Background(), n)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		app := &n.Problem.Application
		into := make([]float64, len(app.Kernels))
		for _, src := range s.Sources {
			into[src.Kernel] = src.Rate
		}
		for e, f := range s.EdgeFlow {
			into[app.Edges[e].To] += f
		}
		for e, f := range s.EdgeFlow {
			edge := app.Edges[e]
			if want := into[edge.From] * app.Kernels[edge.From].Gain * edge.Routing; !near(f, want, 1e-3*s.Throughput) {
				t.Fatalf("seed %d: edge %s carries %g, want %g", seed, edge.Name, f, want)
			}
		}
		for k := range app.Kernels {
			for _, j := range app.Kernels[k].Joins {
				first := -1.0
				for _, port := range j.Ports {
					sum := 0.0
					for _, e := range port.Edges {
						sum += s.EdgeFlow[e] / port.Bytes
					}
					if first >= 0 && !near(sum, first, 0) {
						t.Fatalf("seed %d: join of %s gets %g and %g firings/s", seed, app.Kernels[k].Name, first, sum)
					}
					first = sum
				}
			}
		}
		binds := false
		for i := range n.Limits {
			l := &n.Limits[i]
			sum := 0.0
			for j, m := range l.Members {
				sum += s.Stations[m].ArrivalRate * l.Weight[j]
			}
			for _, c := range l.Costs {
				if c.Edge < 0 {
					sum += s.Stations[l.Members[c.Member]].ArrivalRate * c.Weight
				} else {
					sum += s.EdgeFlow[c.Edge] * c.Weight
				}
			}
			if sum > DefaultMaxUtilization*(1+agreement) {
				t.Fatalf("seed %d: %s is utilized %g", seed, l.Name, sum)
			}
			binds = binds || sum > DefaultMaxUtilization*(1-agreement)
		}
		if !binds {
			t.Fatalf("seed %d: nothing binds", seed)
		}
		for i := range s.Stations {
			if rho := s.Stations[i].Utilization; rho > 1 || math.IsNaN(rho) {
				t.Fatalf("seed %d: station %s has utilization %g", seed, n.Stations[i].Name, rho)
			}
		}
	})
}
