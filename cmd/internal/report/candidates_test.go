package report

import (
	"strings"
	"testing"

	"xopt/mapper/result"
)

// TestCandidatesAsGiven checks that mappings from files keep their order, and are compared with the fastest.
func TestCandidatesAsGiven(t *testing.T) {
	r := &result.Result{Candidates: []result.Candidate{{Name: "a.x", Throughput: 80e6},
		{Name: "b.x", Throughput: 60e6}, {Name: "c.x", Throughput: 100e6}}}
	table := candidateTable(r)
	if table.Title != "Candidates, as given" || table.column("moved vs c.x") < 0 {
		t.Errorf("the title is %q, the columns are %v", table.Title, table.Columns)
	}
	var below []string
	for _, row := range table.Rows {
		below = append(below, row.Cells[table.column("below the best")].Text)
	}
	if got := strings.Join(below, ", "); got != "-20, -40, 0" {
		t.Errorf("below the best: %s", got)
	}
	r.Candidates = r.Candidates[:2]
	if table := candidateTable(r); table.Title != "Candidates, best first" {
		t.Errorf("in the order of their throughput they have the title %q", table.Title)
	}
}
