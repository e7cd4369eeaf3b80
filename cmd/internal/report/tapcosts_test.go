package report

import (
	"slices"
	"testing"

	"xopt/bench/micro"
	"xopt/hdl/rtl"
)

// TestQueensSpeeds checks that a speed is compared with that without monitors in the same round, not with a median of
// all rounds.
func TestQueensSpeeds(t *testing.T) {
	table := QueensSpeeds([]micro.QueensSpeed{{What: "without", Cycles: 1000, Seconds: []float64{1, 2, 4}},
		{What: "with", Cycles: 2000, Seconds: []float64{2.5, 8, 16}}})
	var got []string
	for _, row := range table.Rows {
		if len(row.Cells) != len(table.Columns) {
			t.Fatalf("%d cells for %d columns", len(row.Cells), len(table.Columns))
		}
		for _, at := range []int{4, 5, 6} {
			got = append(got, row.Cells[at].Text)
		}
	}
	if want := []string{"1.00", "1.00", "1.00", "0.50", "0.50", "0.80"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestTapCostsOfOneTap checks that a single tap has an area, without a published one, and that clocks are shown for
// chains only.
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
