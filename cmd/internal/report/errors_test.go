package report

import (
	"strings"
	"testing"

	"xopt/deploy/validate"
	"xopt/mapper/result"
)

// TestErrors checks that the errors of a table are those of the summary, and that every dash is explained.
func TestErrors(t *testing.T) {
	v := &result.Validation{Unranked: true}
	var cases []validate.Case
	for _, x := range []struct{ predicted, measured float64 }{{110, 100}, {105, 120}, {60, 60}, {50, 40}, {80, 80}} {
		e := result.ValidatedEdge{Predicted: x.predicted, Equal: x.predicted / 2, Measured: x.measured}
		cases = append(cases, validate.Case{Predicted: x.predicted, Equal: x.predicted / 2, Measured: x.measured,
			Edges: []result.ValidatedEdge{e}})
		p, q := result.Number(x.predicted), result.Number(x.predicted/2)
		v.Cases = append(v.Cases, result.ValidatedCase{Candidate: -1, Predicted: p, Equal: q,
			Measured: x.measured, Runs: []float64{x.measured}, Edges: []result.ValidatedEdge{e}})
	}
	v.Summary = validate.Summarize(cases)
	table, s := errorSummary(v), &v.Summary
	for i, want := range [][]float64{{s.Mean, s.Median, s.P95, s.Worst}, {s.Mean, s.EdgeMedian, s.EdgeP95, s.Worst},
		{s.EqualMean, s.EqualMedian, s.EqualP95, s.EqualWorst}, {s.EqualMean, s.EqualMedian, s.EqualP95,
			s.EqualWorst}} {
		for j, w := range want {
			if got := table.Rows[i].Cells[j+1].Value; got != w {
				t.Errorf("row %d, column %d: %g, want %g", i, j+1, got, w)
			}
		}
	}
	if got := table.Rows[1].Cells[5].Value; got != s.RSquare || got == 0 {
		t.Errorf("R² is %g, want %g", got, s.RSquare)
	}
	if !strings.Contains(table.Note, "both are unknown: the repeatability") || strings.Contains(table.Note, "R²") {
		t.Errorf("the note is %s", table.Note)
	}
	v.Cases = v.Cases[:1]
	table = errorSummary(v)
	if table.Rows[0].Cells[5].Text != "-" || !strings.Contains(table.Note, "R² needs 5 mappings") {
		t.Errorf("of one mapping: %q, %s", table.Rows[0].Cells[5].Text, table.Note)
	}
}
