package report

import (
	"fmt"
	"strings"
	"testing"
	clock "time"

	"xopt/bench/arena"
)

// The first table of the arena has the largest losses first, at most those that a page shows, and names their number.
// Published periods count as reached within their precision.
func TestArena(t *testing.T) {
	var rows []arena.Row
	for n := range 30 {
		gap := 0.01 * float64(n)
		rows = append(rows, arena.Row{Set: "s", Name: fmt.Sprint("i", n), Period: 1, Bound: 1 - gap, Gap: &gap,
			Published: 1 - 1e-6*float64(n), Scores: []arena.Score{{Method: "milp", Period: 1.05 - 0.01*float64(n)},
				{Method: "herad"}}})
	}
	tables := Arena(rows, clock.Second, 2)
	if n := len(tables[0].Rows); n != maxLosses || !strings.HasPrefix(tables[0].Title, "20 of the 24 instances") {
		t.Errorf("%d losses: %s", n, tables[0].Title)
	}
	if got := tables[0].Rows[0].Cells[0].Text; got != "i29" {
		t.Errorf("the largest loss is %s, expected i29", got)
	}
	cells := func(t *Table, row int) string {
		var list []string
		for _, c := range t.Rows[row].Cells {
			list = append(list, strings.TrimSpace(c.Text))
		}
		return strings.Join(list, "|")
	}
	// 5 wins, 1 tie, 24 losses; 10 of 30 published periods are less than 1e-5 below xopt's.
	if got := cells(tables[1], 0); !strings.Contains(got, "|10 of 30|0|5|1|24|") {
		t.Errorf("set: %s", got)
	}
	if got := cells(tables[2], 0); !strings.HasPrefix(got, "milp|30|24|1|5|") {
		t.Errorf("method: %s", got)
	}
	if got := cells(tables[2], 1); !strings.HasPrefix(got, "herad|0|-") {
		t.Errorf("method without results: %s", got)
	}
	if n := len(tables[3].Rows); n != len(rows) {
		t.Errorf("%d instances, expected %d", n, len(rows))
	}
}
