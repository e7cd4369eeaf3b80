package view_test

import (
	"fmt"
	"strings"
	"testing"

	"xopt/internal/view"
	"xopt/internal/view/markdown"
)

// TestBrief: a page to read shows what matters of a long table and says what it leaves out;
// CSV has every row.
func TestBrief(t *testing.T) {
	table := &view.Table{ID: "kernels", Title: "Kernels", Columns: []view.Column{{Name: "kernel"},
		{Name: "ρ", Number: true}}}
	for i := range 5000 {
		row := view.Row{Load: 0.1, Cells: []view.Cell{{Text: fmt.Sprintf("k%d", i)}, percent(0.1)}}
		if i%10 == 7 {
			row.Cells[1], row.Load = percent(0.5), 0.5
		}
		row.Hot = i == 4999
		table.Rows = append(table.Rows, row)
	}
	page := &view.Page{Sections: []view.Section{{ID: "why", Title: "Why", Parts: []view.Part{
		{Table: table}, {Code: &view.Code{Title: "The mapping in X", Text: strings.Repeat("map { a } to b;\n",
			5000)}}}}}}
	var md, csv strings.Builder
	if err := markdown.Write(&md, page); err != nil {
		t.Fatal(err)
	}
	if err := view.WriteCSV(&csv, page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| k4999 |", "| k4997 |", "| k7 |", "The 1000 busiest of 5000 rows",
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

func percent(v float64) view.Cell {
	return view.Cell{Text: fmt.Sprint(100 * v), Unit: "%", Value: v, Valued: true, Bar: v}
}
