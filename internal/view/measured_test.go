package view

import (
	"testing"

	"xopt/internal/result"
)

// TestClock: a frequency is printed only where it is known.
func TestClock(t *testing.T) {
	for want, c := range map[string]result.Clock{"TSC": {Name: "TSC"}, "TSC at 2.5 GHz": {Name: "TSC", Hertz: 2.5e9}} {
		if got := clockName(&c); got != want {
			t.Errorf("%v: %q, want %q", c, got, want)
		}
	}
}
