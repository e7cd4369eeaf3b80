package flow

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestMillionMoves changes mappings a million times and reverts a third. It compares the scorer with newly built
// networks on the way, and with a scorer without moves at the end.
func TestMillionMoves(t *testing.T) {
	moves, every := 1_000_000, 97
	if testing.Short() {
		moves /= 20
	}
	for i, o := range []randomOptions{
		{kernels: 8, sources: 1, resources: 4, links: 3},
		{kernels: 20, sources: 1, resources: 6, links: 4, joins: true},
		{kernels: 12, sources: 3, resources: 5, links: 3},
		{kernels: 14, sources: 4, resources: 5, links: 2, joins: true},
	} {
		t.Run(fmt.Sprintf("%+v", o), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(uint64(i), 71))
			p := randomProblem(rng, o)
			s, err := NewScorer(p, randomMapping(rng, p))
			if err != nil {
				t.Fatal(err)
			}
			feasible := 0
			for move := range moves {
				step(rng, s)
				if rng.IntN(3) == 0 {
					s.Throughput()
				}
				switch rng.IntN(6) {
				case 0, 1:
					s.Undo()
				case 2:
					s.Commit()
				}
				if move%every != 0 {
					continue
				}
				got, want := s.Throughput(), reference(t, p, s.Mapping())
				if !near(got, want, 0) {
					t.Fatalf("move %d: scorer %.15g, network %.15g", move, got, want)
				}
				if want > 0 {
					feasible++
				}
			}
			if feasible == 0 {
				t.Fatal("nothing was feasible")
			}
			fresh, err := NewScorer(p, s.Mapping())
			if err != nil {
				t.Fatal(err)
			}
			for c := range s.sum {
				if s.sum[c] != fresh.sum[c] {
					t.Fatalf("sum %d is %v after a million moves, %v anew", c, s.sum[c], fresh.sum[c])
				}
			}
			if s.Traffic() != fresh.Traffic() || s.Used() != fresh.Used() || s.Violations() != fresh.Violations() {
				t.Fatal("a million moves leave something behind")
			}
		})
	}
}
