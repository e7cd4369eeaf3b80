package cutbound

import (
	"math/rand/v2"
	"testing"
)

// Units are in one group only if every division that separates them loads some set of links above the target, by
// enumeration of all divisions. In at least half of the problems, some units are in one group.
func TestInseparable(t *testing.T) {
	grouped, alone := 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 5))
		p := &Problem{Units: 2 + rng.IntN(7)}
		for b := range p.Units {
			for a := range b {
				if rng.IntN(3) > 0 {
					p.Edges = append(p.Edges, Edge{a, b})
				}
			}
		}
		for range 1 + rng.IntN(2) {
			set := Set{Links: 1 + rng.Int64N(2)}
			for range p.Edges {
				set.Any = append(set.Any, rng.Int64N(One))
			}
			p.Sets = append(p.Sets, set)
		}
		group := p.Inseparable(One)
		some := false
		for v, g := range group {
			if group[g] != g || g > v {
				t.Fatalf("seed %d: groups %v", seed, group)
			}
			for u := range v {
				if group[u] != g {
					alone++
					continue
				}
				some = true
				if division := cheapDivision(p, u, v); division >= 0 {
					t.Fatalf("seed %d: units %d and %d are in one group, but division %b is possible", seed, u, v,
						division)
				}
			}
		}
		if some {
			grouped++
		}
	}
	if grouped < 150 || alone == 0 {
		t.Errorf("%d of 400 problems have groups, %d pairs are not in one group", grouped, alone)
	}
}

// cheapDivision returns a division of all units into two sides, as a set of bits, that separates two units and loads no
// set of links above One; -1 if there is none.
func cheapDivision(p *Problem, u, v int) int {
	for division := range 1 << p.Units {
		if division>>u&1 == division>>v&1 {
			continue
		}
		fits := true
		for _, set := range p.Sets {
			sum := int64(0)
			for e, edge := range p.Edges {
				if division>>edge.A&1 != division>>edge.B&1 {
					sum += set.Any[e]
				}
			}
			fits = fits && sum <= set.Links*One
		}
		if fits {
			return division
		}
	}
	return -1
}
