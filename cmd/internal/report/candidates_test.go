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

// TestDerivedRates checks that a rate derived from a measured one is shown beside the measured one.
func TestDerivedRates(t *testing.T) {
	c := &result.Candidate{Stations: []result.Station{{Name: "top.a", Origin: "measured", ServiceRate: 3e9},
		{Name: "top.b", Origin: "stated", ServiceRate: 1e9, Factors: []result.Factor{{Name: "clock", Times: 0.5}}}}}
	if note := stations(c).Note; note != "" {
		t.Errorf("no derived rates: %s", note)
	}
	c.Stations[0].Factors = []result.Factor{{Name: "clock", Times: 1.5}}
	if note := stations(c).Note; !strings.Contains(note, "top.a 2 GB/s × 1.5 (clock)") ||
		strings.Contains(note, "top.b") {
		t.Errorf("a derived rate: %s", note)
	}
}
