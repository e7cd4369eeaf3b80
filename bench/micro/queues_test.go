package micro_test

import (
	"context"
	"testing"

	"xopt/bench/micro"
)

// TestQueuesReplay: what the taps say of the queue is, element by element, what a replay of arrivals
// and departures says, but where both come at once: then the trace does not tell which was first.
func TestQueuesReplay(t *testing.T) {
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

// TestQueuesTwoCores: across cores the order of two events that are close is not
// known; the rest agrees.
func TestQueuesTwoCores(t *testing.T) {
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
