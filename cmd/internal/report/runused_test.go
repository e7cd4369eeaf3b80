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

// TestFaultBlamed checks that the core of a kernel whose fault ended the run names this kernel, not the busiest before.
func TestFaultBlamed(t *testing.T) {
	t.Parallel()
	m := &result.Measured{Fault: "hang", FaultOf: "top.disc", Partial: "no element has moved for 2s: top.disc hangs",
		Place: []result.Placement{{Kernel: "top.disc", Resource: "core[2]"}, {Kernel: "top.a", Resource: "core[1]"}},
		Used: []result.MeasuredUse{{Name: "core[1]", Sharers: 2, Busiest: "top.a"},
			{Name: "core[2]", Sharers: 5, Busiest: "top.corr[3]"}}}
	table := runUsed(m, nil)
	at := table.column("busiest")
	if a, b := table.Rows[0].Cells[at].Text, table.Rows[1].Cells[at].Text; a != "top.a" || b != "top.disc" {
		t.Errorf("busiest %q and %q", a, b)
	}
}
