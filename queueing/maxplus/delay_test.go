package maxplus

import (
	"fmt"
	"testing"

	"xopt/queueing"
)

// TestJitter compares latencies with jitter in order with package queueing's model of a Poisson process. A source with
// exponential gaps that never waits is one.
func TestJitter(t *testing.T) {
	for _, rate := range []float64{.05, 1, 20, 400} {
		n := tandem(0, Exponential(1/rate), nil)
		n.Channels[0].Latency, n.Channels[0].Jitter = 3, 2
		r := run(t, n, Options{Events: 600_000, Seed: 4, Latency: true})
		q := queueing.InOrder{Jitter: 2, Rate: rate}
		near(t, fmt.Sprintf("mean latency at %g elements/s", rate), r.Latency.Mean, 3+q.Mean(), .005)
		if r.Latency.Max > 5 || r.Latency.Max < 4.9 {
			t.Errorf("%g elements/s: the latest takes %g s, want at most 5", rate, r.Latency.Max)
		}
		low, high := 3., 5. // the quantile of the distribution
		for high-low > 1e-9 {
			if middle := (low + high) / 2; q.Below(middle-3) < .99 {
				low = middle
			} else {
				high = middle
			}
		}
		near(t, fmt.Sprintf("99 %% at %g elements/s", rate), r.Latency.P99, low, .03) // within a bin
	}
}

// TestJitterAround checks that with one element in a loop, or one place in a buffer, each cycle takes the mean of the
// latencies. It covers both events and the recursion.
func TestJitterAround(t *testing.T) {
	loop := &Network{Stations: []Station{{Server: -1, Service: Constant(1)}, {Server: -1, Service: Constant(2)}},
		Channels: []Channel{{From: 0, To: 1, Sends: Emission{PerFiring: 1}, Latency: .5, Jitter: 3},
			{From: 1, To: 0, Sends: Emission{PerFiring: 1}, Initial: 1, Jitter: 1}}}
	window := tandem(1, Constant(1), Constant(2))
	window.Channels[0].Latency, window.Channels[0].Jitter = .5, 3
	window.Buffers[0].Jitter = 1
	for _, n := range []*Network{loop, window} {
		for _, events := range []bool{false, true} {
			r := run(t, n, Options{Events: 100_000, Seed: 8, Occupancy: events})
			near(t, fmt.Sprintf("turns a second (by events: %v)", events), rate(r, 0), 1/5.5, .005)
		}
	}
}
