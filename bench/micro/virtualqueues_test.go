package micro

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"xopt/internal/testkit"
)

// TestVirtualQueuesOnCores checks that the estimates of queues on cores are accurate, and that the model is not
// rejected.
func TestVirtualQueuesOnCores(t *testing.T) {
	t.Parallel()
	checkVirtualQueues(t, VirtualQueuesOptions{Elements: 30_000, Ways: []string{OnCores}, Seed: 1})
}

// TestVirtualQueues checks estimates from cores to an FPGA and back, over a bus with bulks. They must be close to the
// true values, and correlated sources must be rejected in both directions (Lancaster 2011, Figs. 5.13 to 5.15).
func TestVirtualQueues(t *testing.T) {
	testkit.Long(t, "it compiles simulations of FPGAs, and simulates every cycle")
	testkit.Tools(t, "verilator", "g++")
	t.Parallel()
	checkVirtualQueues(t, VirtualQueuesOptions{Elements: 10_000, Bulks: []int{64}, Seed: 1})
}

func checkVirtualQueues(t *testing.T, o VirtualQueuesOptions) {
	t.Helper()
	cases, err := VirtualQueues(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	var refuted []string
	for i := range cases {
		c := &cases[i]
		if (len(c.Refuted) > 0) != c.Correlated {
			t.Errorf("%s, %s, bulks of %d, correlated %t: refuted by %q", c.Way, c.Server, c.Bulk, c.Correlated,
				c.Refuted)
		}
		if c.Correlated {
			refuted = append(refuted, c.Way)
			if !strings.Contains(strings.Join(c.Refuted, "; "), "times between insertions") {
				t.Errorf("%s: refuted by %q", c.Way, c.Refuted)
			}
			continue
		}
		// The model does not include the delay of an FPGA's own queue.
		if math.Abs(c.Mean-c.TrueMean) > .15*c.TrueMean+.3 || c.Distance > .12 {
			t.Errorf("%s, %s, bulks of %d: the mean is %.4g, simulated %.4g, at a distance of %.3g", c.Way, c.Server,
				c.Bulk,
				c.Mean, c.TrueMean, c.Distance)
		}
	}
	if len(o.Bulks) > 0 && !slices.Equal(refuted, []string{ToFPGA, ToCore}) {
		t.Errorf("correlated sources of the ways %q", refuted)
	}
}
