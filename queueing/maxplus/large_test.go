package maxplus

import (
	"math"
	"testing"
)

// TestLargeFirings checks firings and transfers with more elements than the initial limit of a channel. They must never
// stop the recursion, and its rate must be that of the event simulation.
func TestLargeFirings(t *testing.T) {
	for _, n := range []int{1000, 2049, 4096, 100_000} {
		net := &Network{
			Stations: []Station{{Name: "w", Service: Constant(1), Server: -1},
				{Name: "l", Server: -1, Bulk: n, PerElement: 0.1, Flush: math.Inf(1)},
				{Name: "r", Service: Constant(0.5), Server: -1}},
			Channels: []Channel{{From: 0, To: 1, Sends: Emission{PerFiring: 1}},
				{From: 1, To: 2, Sends: Emission{PerFiring: 1}}},
			Buffers: []Buffer{{Channels: []int{0, 1}, Size: 2*n + 2}},
		}
		events := int64(40 * n)
		fast := run(t, net, Options{Events: events, Seed: 1})
		slow := run(t, net, Options{Events: events, Seed: 1, Latency: true})
		if fast.Deadlock != nil || slow.Deadlock != nil {
			t.Fatalf("bulk of %d: stopped", n)
		}
		near(t, "rate", rate(fast, 0), rate(slow, 0), 0.1)
	}
}
