package report

import (
	"strings"
	"testing"

	"xopt/mapper/result"
)

// TestTiedBottlenecks checks that equally used cores have one list of their main kernels.
func TestTiedBottlenecks(t *testing.T) {
	t.Parallel()
	m := &result.Measured{Used: []result.MeasuredUse{
		{Name: "core[1]", Utilization: 0.9, Busiest: "top.a", Sharers: 2},
		{Name: "core[2]", Utilization: 0.9, Busiest: "top.b", Sharers: 3}}}
	names, note := runBottleneck(m, nil)
	if names != "core[1] + core[2]" || strings.Count(note, "by ") != 1 || !strings.Contains(note, "top.a and top.b") {
		t.Errorf("%s: %s", names, note)
	}
}
