package report

import "testing"

// TestTopOfComparisons checks that a shortened comparison shows the rows with the largest errors and says so, and that
// no table leaves out a single row.
func TestTopOfComparisons(t *testing.T) {
	for _, c := range []struct {
		rows, maximum, shown int
		ranking, which       string
	}{
		{6, 5, 6, "", ""},
		{7, 5, 5, "", "the 5 busiest of 7 rows"},
		{7, 5, 5, "largest errors", "the 5 of 7 rows with the largest errors"},
	} {
		table := &Table{Ranking: c.ranking}
		for i := range c.rows {
			table.add(integer(i)).Load = float64(i + 1)
		}
		top, which := table.Top(c.maximum)
		if len(top.Rows) != c.shown || which != c.which {
			t.Errorf("%d rows: %d are shown, %q", c.rows, len(top.Rows), which)
		}
	}
	unranked := &Table{Rows: make([]Row, 15)}
	if _, which := unranked.Top(8); which != "the first 8 of 15 rows" {
		t.Errorf("unranked: %q", which)
	}
	if x := Comparisons("", "measured", nil); x.Ranking != "largest errors" {
		t.Errorf("comparisons are ranked by %q", x.Ranking)
	}
}
