package validate

import "testing"

// TestResumedSteps checks that the runs of an interrupted validation count in the progress of the next call.
func TestResumedSteps(t *testing.T) {
	last, of := 0, 0
	at := steps{done: -1, all: 8, report: func(done, all, _ int) { last, of = done, all }}
	at.next() // predicts a mapping of which 2 of 3 runs are known
	at.ran(2, 3)
	at.next() // predicts a mapping with 5 runs, more than were requested
	at.ran(5, 3)
	at.next() // the third run of the first mapping
	if last != 7 || of != 8 {
		t.Errorf("step %d of %d, want 7 of 8", last, of)
	}
}
