package predict

import (
	"context"
	"strings"
	"testing"
)

// TestCauseOfEnd checks that a warning about a step that ended early names either a signal or the time, not both.
func TestCauseOfEnd(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	late, interrupted := (&Ending{Interrupted: t.Context()}).cause(), (&Ending{Interrupted: ended}).cause()
	if strings.Contains(late, "interrupted") || strings.Contains(interrupted, "time") {
		t.Errorf("after the time %q, after a signal %q", late, interrupted)
	}
}
