package predict

import (
	"testing"

	"xopt/mapper/result"
)

// TestMerged checks that bottlenecks within 0.01 % of the first are one step, with all their limits.
func TestMerged(t *testing.T) {
	step := func(rate float64, name string) result.Step {
		return result.Step{Throughput: result.Number(rate), Limits: []result.Limit{{Name: name}}}
	}
	got := merged([]result.Step{step(100, "a"), step(100.005, "b"), step(100.0099, "c"), step(100.02, "d"),
		step(120, "e")})
	want := []struct {
		rate   float64
		limits int
	}{{100, 3}, {100.02, 1}, {120, 1}}
	if len(got) != len(want) {
		t.Fatalf("%d steps, want %d: %v", len(got), len(want), got)
	}
	for i, w := range want {
		if float64(got[i].Throughput) != w.rate || len(got[i].Limits) != w.limits {
			t.Errorf("step %d has %v and %d limits, want %v and %d", i, got[i].Throughput, len(got[i].Limits), w.rate,
				w.limits)
		}
	}
	if got := merged(nil); len(got) != 0 {
		t.Errorf("of no steps: %v", got)
	}
}
