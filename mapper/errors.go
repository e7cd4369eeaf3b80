package mapper

import (
	"strings"

	"xopt/flow"
)

// NoMappingError says why no mapping was found.
type NoMappingError struct {
	// Proven tells that none exists, rather than that none was found.
	Proven bool
	// Bound is a throughput that no mapping exceeds, in bytes/s, where that is the reason; else 0.
	Bound  float64
	Faults []flow.Fault
}

// Error joins the reasons.
func (e *NoMappingError) Error() string {
	texts := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		texts[i] = f.Text
	}
	head := "no mapping was found that meets the constraints"
	if e.Proven {
		head = "no mapping can meet the constraints"
	}
	if len(texts) == 0 {
		return head
	}
	return head + ": " + strings.Join(texts, "; ")
}

// Is reports whether target is flow.ErrInfeasible.
func (e *NoMappingError) Is(target error) bool { return target == flow.ErrInfeasible }
