package profile

import (
	"testing"
	"time"
)

// TestObserve: the observation of the machine is plausible.
func TestObserve(t *testing.T) {
	before := time.Now()
	s := Observe().Stop()
	switch {
	case s.Began.Before(before) || s.Ended.Before(s.Began):
		t.Errorf("from %v to %v", s.Began, s.Ended)
	case s.Cores < 1 || s.Others < 0 || s.Taken < 0:
		t.Errorf("%d cores, %v and %v of them used", s.Cores, s.Others, s.Taken)
	case s.Nice < -20 || s.Nice > 19:
		t.Errorf("nice %d", s.Nice)
	case s.Spins[0].N != referenceSpins || s.Spins[1].N != referenceSpins || s.Spins[0].Value <= 0 ||
		s.Spins[1].Value <= 0:
		t.Errorf("spins %+v", s.Spins)
	}
}
