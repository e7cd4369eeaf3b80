package result

import (
	"strings"
	"testing"
)

// TestWhyStopped: how sure it is that a mapping stops is told, and what is exact has no interval.
func TestWhyStopped(t *testing.T) {
	runs := WithBuffers{Throughput: 1, Edges: []BufferedEdge{{Edge: "e", Unlimited: 1.1}, {Edge: "f", Unlimited: 1}}}
	if runs.WhyStopped() != "" || !runs.Exact() || runs.Worst() != &runs.Edges[0] {
		t.Errorf("%q, %v, %v", runs.WhyStopped(), runs.Exact(), runs.Worst())
	}
	runs.Interval = &[2]Number{0.9, 1.2}
	if runs.Exact() || runs.Worst() != nil {
		t.Errorf("%v, %v with an interval", runs.Exact(), runs.Worst())
	}
	stops := WithBuffers{Stopped: "a waits for b"}
	if why := stops.WhyStopped(); stops.Exact() || !strings.HasSuffix(why, "proven to stop: a waits for b") {
		t.Error(why)
	}
	stops.Interval, stops.Events, stops.Seed = &[2]Number{}, 120, 7
	if why := stops.WhyStopped(); !strings.HasSuffix(why,
		"stopped in simulation, after 120 firings with seed 7: a waits for b") {
		t.Error(why)
	}
}
