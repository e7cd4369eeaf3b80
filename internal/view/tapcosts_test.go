package view

import (
	"testing"

	"xopt/bench/micro"
	"xopt/internal/rtl"
)

// TestTapCostsOfOneTap: a tap alone has an area, and no published one; the clocks are of the chains only.
func TestTapCostsOfOneTap(t *testing.T) {
	areas, clocks := TapCosts([]micro.TapCost{
		{Name: "chain", Theirs: &rtl.Area{LUT: 7}, TheirClock: 1e8, Area: map[string]rtl.Area{"xc7": {LUT: 5}}},
		{Name: "alone", Module: "m", Area: map[string]rtl.Area{"xc7": {LUT: 300, FF: 400}, "ice40hx": {LUT: 600}}}})
	if len(areas.Rows) != 2 || len(clocks.Rows) != 1 {
		t.Fatalf("%d areas and %d clocks, want 2 and 1", len(areas.Rows), len(clocks.Rows))
	}
	row := areas.Rows[1].Cells
	if len(row) != len(areas.Columns) || row[1].Text != "300" || row[2].Text != "400" || row[4].Text != "600" ||
		row[7].Text != "-" || row[9].Text != "-" {
		t.Errorf("%+v", row)
	}
}
