package unionfind

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestGroups compares the groups of random pairs with the numbers that each number reaches over the pairs.
func TestGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + rng.IntN(12)
		s, near := New(n), make([][]int, n)
		for range rng.IntN(n + 3) {
			x, y := rng.IntN(n), rng.IntN(n)
			s.Union(x, y)
			near[x], near[y] = append(near[x], y), append(near[y], x)
		}
		members, of := s.Groups()
		last := -1
		for g, list := range members {
			reached := []int{list[0]}
			for i := 0; i < len(reached); i++ {
				for _, y := range near[reached[i]] {
					if !slices.Contains(reached, y) {
						reached = append(reached, y)
					}
				}
			}
			slices.Sort(reached)
			if !slices.Equal(list, reached) || list[0] <= last {
				t.Fatalf("group %d is %v after %d, want %v", g, list, last, reached)
			}
			last = list[0]
			for _, x := range list {
				if of[x] != g || s.Find(x) != list[0] {
					t.Fatalf("%d: group %d, smallest member %d, want %d and %d", x, of[x], s.Find(x), g, list[0])
				}
			}
		}
		if total := len(slices.Concat(members...)); total != n {
			t.Fatalf("%d members, want %d", total, n)
		}
	}
}
