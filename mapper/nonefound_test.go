package mapper

import (
	"testing"

	"xopt/internal/fault"
	"xopt/mapper/faults"
)

// TestNoneFound checks that only a proof has the identifier of infeasibility.
func TestNoneFound(t *testing.T) {
	for proven, want := range map[bool]fault.ID{true: faults.Infeasible, false: faults.NoneFound} {
		if got := (&NoMappingError{Proven: proven}).FaultID(); got != want {
			t.Errorf("proven %v: %s, want %s", proven, got, want)
		}
	}
}
