package report

import (
	"fmt"
	"math"
	"testing"

	"xopt/mapper/result"
)

// TestGantt checks the rows, the window and the causes of stalls of the chart of the first firings: a writer waits for
// space in a full queue, its reader for input, and a kernel beside another one that works does not count as stalled.
func TestGantt(t *testing.T) {
	const ms = 1e-3
	r := &result.Result{Architecture: []result.Resource{{Name: "core[1]"}, {Name: "core[2]"}},
		Edges: []result.Edge{{Name: "e", From: "a", To: "b"}, {Name: "f", From: "b", To: "c"}},
		Measured: &result.Measured{Place: []result.Placement{{Kernel: "b", Resource: "core[2]"},
			{Kernel: "a", Resource: "core[1]"}, {Kernel: "c", Resource: "core[2]"}},
			Kernels: []result.MeasuredKernel{
				{Kernel: "a", Log: []result.Logged{{Time: 1 * ms, Value: 1 * ms}, {Time: 5 * ms, Value: 1 * ms}}},
				{Kernel: "b", Log: []result.Logged{{Time: 3 * ms, Value: 1 * ms}, {Time: 6 * ms, Value: 1 * ms}}},
				{Kernel: "c", Log: []result.Logged{{Time: 5 * ms, Value: 2 * ms}, {Time: 9 * ms, Value: 1 * ms}}}},
			Edges: []result.MeasuredEdge{{Edge: "e", Capacity: 2, Log: []result.Logged{{Time: 1 * ms},
				{Time: 5 * ms, Value: 1}}}, {Edge: "f", Capacity: 9, Log: []result.Logged{{Time: 3 * ms}}}}}}
	charts := gantt(r)
	if len(charts) != 2 || charts[0].ID != ganttID || len(charts[0].Series) != 3 {
		t.Fatalf("%+v", charts)
	}
	c := charts[0]
	if got := fmt.Sprint(c.Y.Categories); got != "[c on core[2] b on core[2] a on core[1]]" {
		t.Errorf("rows %s", got)
	}
	for i, want := range []string{"3-5@0 2-3@1 0-1@2 4-5@2", "1-4@2", "0-3@0 0-2@1"} {
		got := ""
		for j := range c.Series[i].X {
			s := &c.Series[i]
			got += fmt.Sprintf(" %g-%g@%g", math.Round(s.X[j]), math.Round(s.Top[j]), s.Y[j])
		}
		if got != " "+want {
			t.Errorf("%s:%s, want %s", c.Series[i].Name, got, want)
		}
	}
	fills := ""
	for _, s := range charts[1].Series { // the fullest first, until the end of the window
		fills += fmt.Sprintf("%s %.0f %.0f;", s.Name, s.X, s.Y)
	}
	if want := "e [1 5 5] [50 100 100];f [3 5] [11 11];"; fills != want || charts[1].ID != fillsID ||
		charts[0].X.Window != charts[1].X.Window {
		t.Errorf("%s has %s, want %s", charts[1].ID, fills, want)
	}
	r.Measured.Kernels[0].Log, r.Measured.Kernels[1].Log, r.Measured.Kernels[2].Log = nil, nil, nil
	if c := gantt(r); len(c) != 0 {
		t.Errorf("without records: %+v", c)
	}
}
