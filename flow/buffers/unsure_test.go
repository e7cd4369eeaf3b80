package buffers

import "testing"

// TestUnsure: a size that a simulation finds too small is not said to keep anything.
func TestUnsure(t *testing.T) {
	sizes := []Size{{Level: Heuristic, Reason: "keeps 99 % while times vary: variance 8"},
		{Level: Certified, Reason: "certified"}}
	unsure(sizes, "but a simulation loses more than 1 % with it")
	if got, want := sizes[0].Reason,
		"to keep 99 % while times vary: variance 8; but a simulation loses more than 1 % with it"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if sizes[1].Reason != "certified" {
		t.Errorf("%q of a certified size", sizes[1].Reason)
	}
}
