package opponents

import (
	"math"
	"testing"

	"xopt/bench/arena"
)

// check reports a placement that breaks a rule of the cost model.
func check(t *testing.T, p *arena.Problem, placement arena.Placement) {
	t.Helper()
	if len(placement) != len(p.Tasks) {
		t.Fatalf("%s: %d tasks are placed, want %d", p.Name, len(placement), len(p.Tasks))
	}
	for i, shares := range placement {
		sum, seen := 0.0, make(map[int]bool)
		for _, s := range shares {
			if s.Core < 0 || s.Core >= len(p.Cores) || seen[s.Core] {
				t.Errorf("%s: task %d has core %d twice, or there is no such core", p.Name, i, s.Core)
				return
			}
			seen[s.Core] = true
			sum += s.Part
			if s.Part <= 0 || math.IsInf(p.Tasks[i].Work[p.Cores[s.Core]], 1) {
				t.Errorf("%s: task %d has a part of %v on core %d", p.Name, i, s.Part, s.Core)
			}
		}
		if math.Abs(sum-1) > 1e-9 || !p.Tasks[i].Replicable && len(shares) != 1 {
			t.Errorf("%s: task %d has %d shares with a sum of %v", p.Name, i, len(shares), sum)
		}
	}
}
