package mapper

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"xopt/flow"
	"xopt/mapper/faults"
)

// Choice configures [Choose]: the numbers of mappings, the search time, and the seed.
type Choice struct {
	Best   int           // number of mappings from a search
	Random int           // number of random mappings, drawn as in Beard 2013 §4.4
	Search time.Duration // search time
	Seed   uint64        // seed of the search and of the random mappings
}

// Choose searches for the best mappings, and draws random mappings. No two of these mappings differ only in the names
// of equal resources. Choose may return fewer mappings than requested.
func Choose(ctx context.Context, p *flow.Problem, c *flow.Constraints, o Choice) (names []string,
	mappings []*flow.Mapping, err error) {
	s, err := newSpace(p, c)
	if err != nil {
		return nil, nil, fmt.Errorf("choosing mappings: %w", err)
	}
	seen := make(map[string]bool)
	add := func(name string, m *flow.Mapping) bool {
		key := keyOf(s, m.Place, func(int) []int { return nil })
		if seen[key] {
			return false
		}
		seen[key] = true
		names, mappings = append(names, name), append(mappings, m)
		return true
	}
	if o.Best > 0 {
		found, err := Search(ctx, p, c, Options{Seed: o.Seed,
			Threads: runtime.NumCPU(), MaxTime: o.Search, Top: o.Best})
		if err != nil {
			return nil, nil, fmt.Errorf("searching mappings: %w", err)
		}
		for i := range found.Candidates {
			add(fmt.Sprintf("best %d", i+1), found.Candidates[i].Mapping)
		}
	}
	rng := rand.New(rand.NewPCG(o.Seed, 0))
	const tries = 100
	for n, left := 0, tries*o.Random; n < o.Random && left > 0; left-- {
		m, err := RandomWalk(p, c, rng)
		if err != nil {
			return nil, nil, fmt.Errorf("drawing random mappings: %w", err)
		}
		if add(fmt.Sprintf("random %d", n+1), m) {
			n++
		}
	}
	if len(mappings) == 0 {
		return nil, nil, faults.NothingToRun.Errorf("no mappings to run (request mappings with --best or --random)")
	}
	return names, mappings, nil
}

// Mirrors returns, for each mapping, the index of the first mapping that equals it up to the names of equal resources.
func Mirrors(p *flow.Problem, c *flow.Constraints, mappings []*flow.Mapping) ([]int, error) {
	s, err := newSpace(p, c)
	if err != nil {
		return nil, fmt.Errorf("comparing mappings: %w", err)
	}
	first := make([]int, len(mappings))
	seen := make(map[string]int)
	for i, m := range mappings {
		route := m.Route
		if n, err := flow.NewNetwork(p, m); err == nil { // the mapping with default routes filled in
			route = n.Mapping.Route
		}
		key := keyOf(s, m.Place, func(e int) []int {
			if e < len(route) {
				return route[e]
			}
			return nil
		})
		if _, ok := seen[key]; !ok {
			seen[key] = i
		}
		first[i] = seen[key]
	}
	return first, nil
}

// OnOneCore returns the mapping with the highest throughput among those that place all kernels on one core; nil if
// there is none.
func OnOneCore(p *flow.Problem, c *flow.Constraints) (*Candidate, error) {
	s, err := newSpace(p, c)
	if err != nil {
		return nil, fmt.Errorf("placing all kernels on one core: %w", err)
	}
	var best *Candidate
	for _, r := range s.byClass {
		if len(r) == 0 || p.Architecture.Resources[r[0]].Sharing.Rule == flow.AreaOnly {
			continue
		}
		m := &flow.Mapping{Place: slices.Repeat(r[:1], len(p.Application.Kernels)),
			Route: make([][]int, len(p.Application.Edges))}
		if c != nil && len(c.Check(p, m)) > 0 {
			continue
		}
		x, err := CandidateFor(p, Goal{}, m)
		if err != nil {
			continue // the mapping violates a limit of the architecture
		}
		x.Mapping = m
		if best == nil || x.Throughput > best.Throughput {
			best = x
		}
	}
	return best, nil
}
