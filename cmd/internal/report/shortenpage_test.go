package report_test

import (
	"fmt"
	"strings"
	"testing"

	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/markdown"
)

// TestBrief checks that a page shows the important rows of a long table and states what it omits, and that CSV has
// every row.
func TestBrief(t *testing.T) {
	table := &report.Table{ID: "kernels", Title: "Kernels", Columns: []report.Column{{Name: "kernel"},
		{Name: "ρ", Number: true}}}
	for i := range 5000 {
		row := report.Row{Load: 0.1, Cells: []report.Cell{{Text: fmt.Sprintf("k%d", i)}, percent(0.1)}}
		if i%10 == 7 {
			row.Cells[1], row.Load = percent(0.5), 0.5
		}
		row.Hot = i == 4999
		table.Rows = append(table.Rows, row)
	}
	page := &report.Page{Sections: []report.Section{{ID: "why", Title: "Why", Parts: []report.Part{
		{Table: table}, {Code: &report.Code{Title: "The mapping in X", Text: strings.Repeat("map { a } to b;\n",
			5000)}}}}}}
	var md, csv strings.Builder
	if err := markdown.Write(&md, page); err != nil {
		t.Fatal(err)
	}
	if err := report.WriteCSV(&csv, page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| k4999 |", "| k4997 |", "| k7 |", "Shown: the 1000 busiest of 5000 rows",
		"the first 2000 of 5000 lines", "3000 more lines are in the result file"} {
		if !strings.Contains(md.String(), want) {
			t.Errorf("Markdown lacks %q", want)
		}
	}
	if n := strings.Count(md.String(), "| k"); n != 1000+1 { // and the heading
		t.Errorf("Markdown has %d rows", n)
	}
	if n := strings.Count(csv.String(), "\nk"); n != 5001 {
		t.Errorf("CSV has %d rows", n)
	}
}

func percent(v float64) report.Cell {
	return report.Cell{Text: fmt.Sprint(100 * v), Unit: "%", Value: v, Valued: true, Bar: v}
}
