package micro_test

import (
	"context"
	"testing"

	"xopt/bench/micro"
)

// TestQueuesReplay compares the taps of the queue, element by element, with a replay of arrivals and departures.
// Coinciding events are excluded, because the trace does not contain their order.
func TestQueuesReplay(t *testing.T) {
	t.Parallel()
	cases, err := micro.Queues(context.Background(), micro.QueuesOptions{Elements: 5000, OneCore: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) != 4 {
		t.Fatalf("%d queues", len(cases))
	}
	for _, c := range cases {
		if c.Samples != 5000 || c.Replay != c.Ties {
			t.Errorf("%s: %d of %d elements found another queue than their replay, %d of them with a departure at once",
				c.Name, c.Replay, c.Samples, c.Ties)
		}
	}
}

// TestQueuesTwoCores checks the queues across cores. The order of two close events is unknown, and the rest must agree.
func TestQueuesTwoCores(t *testing.T) {
	t.Parallel()
	cases, err := micro.Queues(context.Background(), micro.QueuesOptions{Elements: 5000})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if c.Samples != 5000 || c.Replay > c.Samples/4 {
			t.Errorf("%s: %d of %d elements found another queue than their replay", c.Name, c.Replay, c.Samples)
		}
	}
}
