package bench_test

import (
	"context"
	"testing"
	"time"

	"xopt/bench"
)

// TestQueuesReplay: where nothing happens at once, what the taps say of the queue
// is, element by element, what a replay of arrivals and departures says.
func TestQueuesReplay(t *testing.T) {
	cases, err := bench.Queues(context.Background(), bench.QueuesOptions{Elements: 5000, OneCore: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) != 4 {
		t.Fatalf("%d queues", len(cases))
	}
	for _, c := range cases {
		if c.Samples != 5000 || c.Replay != 0 {
			t.Errorf("%s: %d of %d elements found another queue than their replay", c.Name, c.Replay, c.Samples)
		}
	}
}

// TestQueuesTwoCores: across cores the order of two events that are close is not
// known; the rest agrees.
func TestQueuesTwoCores(t *testing.T) {
	cases, err := bench.Queues(context.Background(), bench.QueuesOptions{Elements: 5000})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if c.Samples != 5000 || c.Replay > c.Samples/4 {
			t.Errorf("%s: %d of %d elements found another queue than their replay", c.Name, c.Replay, c.Samples)
		}
	}
}

// TestSharing runs one small pipeline in every way to share a core; how well that
// goes is for the benchmark to say.
func TestSharing(t *testing.T) {
	cases, err := bench.Sharing(context.Background(), bench.SharingOptions{Runs: 1, Window: 120 * time.Millisecond,
		Pipelines: [][]float64{{1, 2}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) != 6 {
		t.Fatalf("%d cases", len(cases))
	}
	for _, c := range cases {
		if c.Fail != "" && c.Scheduler != "rr" { // rr needs a privilege
			t.Errorf("a process for each %s, %s, %s: %s", c.Style, c.Wait, c.Scheduler, c.Fail)
		}
		if !(c.Conserving > 0) || !(c.Equal > 0) || c.Conserving < c.Equal*0.5 {
			t.Errorf("the models say %g and %g", c.Conserving, c.Equal)
		}
	}
}
