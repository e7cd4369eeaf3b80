package flow

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// slowly builds and solves a new network for a changed problem.
func slowly(t *testing.T, p *Problem, m *Mapping) float64 {
	t.Helper()
	n, err := NewNetwork(p, m)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Fast{}.Solve(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	return s.Throughput
}

// varied returns the problem in which stations of its network serve at times their rate.
func varied(p *Problem, n *Network, stations []int, times func(int) float64) *Problem {
	q := *p
	q.Figures = slices.Clone(p.Figures)
	q.Architecture.Links = slices.Clone(p.Architecture.Links)
	link := make(map[int]bool)
	for _, s := range stations {
		st := &n.Stations[s]
		if st.Kind == LinkStation {
			if !link[st.Link] {
				q.Architecture.Links[st.Link].Bandwidth *= times(s)
			}
			link[st.Link] = true
			continue
		}
		q.Figures[st.Kernel] = slices.Clone(q.Figures[st.Kernel])
		q.Figures[st.Kernel][st.Resource].ServiceRate *= times(s)
	}
	return &q
}

// TestVariations compares every kind of change with a newly solved network.
func TestVariations(t *testing.T) {
	solved := 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 7))
		p := randomProblem(rng, randomOptions{kernels: 4 + rng.IntN(20), sources: 1 + rng.IntN(4),
			resources: 1 + rng.IntN(5), links: 2 + rng.IntN(2), joins: seed%2 == 0})
		m := randomMapping(rng, p)
		n, err := NewNetwork(p, m)
		if err != nil {
			continue // an area is exceeded
		}
		if _, err := (Fast{}).Solve(context.Background(), n); err != nil {
			continue
		}
		solved++
		v := NewVariations(n)
		all := make([]int, len(n.Stations))
		groups := make(map[string][]int)
		for i := range all {
			all[i] = i
			st := &n.Stations[i]
			if st.Kind == KernelStation {
				groups[fmt.Sprint("kernel ", i)] = []int{i}
				groups[fmt.Sprint("resource ", st.Resource)] = append(groups[fmt.Sprint("resource ", st.Resource)], i)
			} else {
				groups[fmt.Sprint("link ", st.Link)] = append(groups[fmt.Sprint("link ", st.Link)], i)
			}
		}
		groups["all"], groups["none"] = all, nil
		for what, stations := range groups {
			for _, factor := range []float64{1.1, 1.0 / 16, 16} {
				times := func(int) float64 { return factor }
				want := slowly(t, varied(p, n, stations, times), m)
				got, err := v.Throughput(stations, times)
				if err != nil || math.Abs(got-want) > 1e-9*want {
					t.Fatalf("seed %d, %s %g times as fast: %.12g, %v; solved anew %.12g", seed, what, factor, got, err,
						want)
				}
			}
		}
	}
	if solved < 200 {
		t.Fatalf("only %d problems had a solution", solved)
	}
}
