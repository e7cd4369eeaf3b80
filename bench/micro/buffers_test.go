package micro

import (
	"context"
	"testing"
	"time"

	"xopt/internal/testkit"
)

// TestBuffers: an application is run with its buffers sized in every way, and none hangs.
func TestBuffers(t *testing.T) {
	testkit.Long(t, "it measures the kernels of an application alone first")
	t.Parallel()
	cases, err := Buffers(context.Background(), BuffersOptions{Runs: 2, Window: 60 * time.Millisecond,
		Budget: 50 * time.Millisecond, Apps: []string{"test1"}})
	if err != nil || len(cases) != 1 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, c := range cases {
		if c.Fail != "" {
			t.Errorf("%s: %s", c.Name, c.Fail)
			continue
		}
		for w, name := range BuffersWays() {
			if y := &c.Ways[w]; y.Hung != "" || !(y.Rate.Value > 0) || !(y.Memory.Value > 0) || y.RateOver.N != 2 {
				t.Errorf("%s, %s: %+v", c.Name, name, y)
			}
		}
	}
}
