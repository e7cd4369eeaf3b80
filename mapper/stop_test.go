package mapper

import (
	"context"
	"math"
	"testing"
)

// TestStopAfterProposal checks that a chain checks its context after each slow proposal, not only when it polls.
func TestStopAfterProposal(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := &chain{proposed: true}
	c.tally.next = math.MaxUint64
	if c.stop(ctx) {
		t.Error("stops before the signal")
	}
	cancel()
	if c.stop(ctx) {
		t.Error("checks the context without a proposal")
	}
	if c.proposed = true; !c.stop(ctx) {
		t.Error("does not stop after a proposal")
	}
}
