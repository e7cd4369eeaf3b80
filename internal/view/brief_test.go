package view

import (
	"fmt"
	"strings"
	"testing"
)

// TestBrief: a page to read shows what matters of a long table and says what it leaves out;
// CSV has every row.
func TestBrief(t *testing.T) {
	table := &Table{ID: "kernels", Title: "Kernels", Columns: []Column{{Name: "kernel"}, {Name: "ρ", Number: true}}}
	for i := range 5000 {
		row := Row{Cells: []Cell{text(fmt.Sprintf("k%d", i)), bar(0.1)}}
		if i%10 == 7 {
			row.Cells[1] = bar(0.5)
		}
		row.Hot = i == 4999
		table.Rows = append(table.Rows, row)
	}
	page := &Page{Sections: []Section{{ID: "why", Title: "Why", Parts: []Part{
		{Table: table}, {Code: &Code{Title: "The mapping in X", Text: strings.Repeat("map { a } to b;\n", 5000)}}}}}}
	var md, csv strings.Builder
	if err := WriteMarkdown(&md, page); err != nil {
		t.Fatal(err)
	}
	if err := WriteCSV(&csv, page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| k4999 |", "| k4997 |", "| k7 |", "The 1000 most used of 5000 rows",
		"the first 2000 of 5000 lines", "3000 more lines are in the result file"} {
		if !strings.Contains(md.String(), want) {
			t.Errorf("Markdown lacks %q", want)
		}
	}
	if n := strings.Count(md.String(), "| k"); n != mostRows+1 { // and the heading
		t.Errorf("Markdown has %d rows", n)
	}
	if n := strings.Count(csv.String(), "\nk"); n != 5001 {
		t.Errorf("CSV has %d rows", n)
	}
}
