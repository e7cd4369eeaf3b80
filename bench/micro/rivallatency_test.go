package micro

import (
	"math"
	"slices"
	"testing"
)

// TestHighLatency checks quantiles that were counted by hand: of 1,000 latencies, the first 200 are discarded and 8
// of the others are above the quantile.
func TestHighLatency(t *testing.T) {
	t.Parallel()
	list := make([]float64, 1000)
	for i := range list {
		list[i] = float64(i)
	}
	slices.Reverse(list[200:])
	if got, ok := highLatency(list); !ok || got != 991 {
		t.Errorf("the quantile is %g, %v; want 991", got, ok)
	}
	if got, ok := highLatency(list[:120]); ok {
		t.Errorf("96 latencies have the quantile %g", got)
	}
}

// TestSplitLatencies: latencies precede the counts, and a thread may print more of them after the counts.
func TestSplitLatencies(t *testing.T) {
	t.Parallel()
	list, counts, err := splitLatencies([]byte("0.000012000\n0.5\n12 0.080000000 20\n0.00"))
	if err != nil || counts != "12 0.080000000 20" || len(list) != 2 || math.Abs(list[0]-12e-6) > 1e-12 ||
		list[1] != 0.5 {
		t.Errorf("got %v, %q, %v", list, counts, err)
	}
	for _, wrong := range []string{"", "1\n", "x\n1 2 3\n"} {
		if _, _, err := splitLatencies([]byte(wrong)); err == nil {
			t.Errorf("%q is no error", wrong)
		}
	}
}
