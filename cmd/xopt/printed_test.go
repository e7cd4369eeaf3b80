package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ledongthuc/pdf"

	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/page"
	"xopt/internal/testkit"
)

// TestPrintedHeadings prints a table over several sheets. Its headings must be on each.
func TestPrintedHeadings(t *testing.T) {
	testkit.Long(t, "it opens a browser")
	t.Parallel()
	x := &report.Table{ID: "long", Title: "Long", Columns: []report.Column{{Name: "kernel"}, {Name: "resource"}}}
	for i := range 200 {
		x.Rows = append(x.Rows, report.Row{Cells: []report.Cell{{Text: fmt.Sprint("k", i)}, {Text: "proc"}}})
	}
	dir := t.TempDir()
	path, to := filepath.Join(dir, "page.html"), filepath.Join(dir, "page.pdf")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	err = page.Write(f, &report.Page{Title: "a page", Sections: []report.Section{{ID: "s", Title: "S",
		Parts: []report.Part{{Table: x}}}}}, "1")
	if err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	chromium(t, path, "--no-pdf-header-footer", "--print-to-pdf="+to)
	paper, r, err := pdf.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	defer paper.Close() //nolint:errcheck // it was read
	if r.NumPage() < 2 {
		t.Fatalf("%d sheets, want several", r.NumPage())
	}
	for i := 1; i <= r.NumPage(); i++ {
		text, err := r.Page(i).GetPlainText(nil)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text, "proc") && !strings.Contains(squeezed(text), "kernelresource") {
			t.Errorf("sheet %d of %d has rows without headings", i, r.NumPage())
		}
	}
}
