package page

import (
	"fmt"
	"strings"
	"testing"

	"xopt/cmd/internal/report"
)

// table returns a table with this number of columns; the last contains explanations.
func table(columns int) *report.Table {
	t := &report.Table{ID: "sizes", Title: "Sizes"}
	row := report.Row{}
	for i := range columns - 1 {
		t.Columns = append(t.Columns, report.Column{Name: fmt.Sprint("c", i)})
		row.Cells = append(row.Cells, report.Cell{Text: "x"})
	}
	t.Columns = append(t.Columns, report.Column{Name: "why", Fold: 40})
	row.Cells = append(row.Cells, report.Cell{Text: "one firing sends 250"})
	t.Rows = []report.Row{row}
	return t
}

// written returns the page of a table.
func written(t *testing.T, x *report.Table) string {
	t.Helper()
	var b strings.Builder
	p := &report.Page{Title: "a page", Sections: []report.Section{{ID: "s", Title: "S",
		Parts: []report.Part{{Table: x}}}}}
	if err := Write(&b, p, "1"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestWideTables checks that a table too wide for portrait orientation has its explanations below it and turns all
// sheets of the page, and that other tables do not.
func TestWideTables(t *testing.T) {
	for _, c := range []struct {
		columns int
		wide    bool
	}{{portrait, false}, {portrait + 1, true}} {
		got := written(t, table(c.columns))
		for what, want := range map[string]bool{
			`<li id="sizes-note-1">one firing sends 250</li>`: c.wide,
			`<a class="ref" href="#sizes-note-1">[1]</a>`:     c.wide,
			`<td>one firing sends 250</td>`:                   !c.wide,
			"@page { size: A4 landscape; }":                   c.wide,
		} {
			if strings.Contains(got, what) != want {
				t.Errorf("%d columns: %q is there: %v, want %v", c.columns, what, !want, want)
			}
		}
		if strings.Contains(got, "page: wide") {
			t.Errorf("%d columns: sheets lie and stand", c.columns)
		}
	}
}

// TestLongTexts checks that long texts of a column are shown once below the table if one repeats, and that short ones
// stay in their rows.
func TestLongTexts(t *testing.T) {
	long := strings.Repeat("measured on a machine ", 4)
	x := &report.Table{ID: "t", Columns: []report.Column{{Name: "from"}}}
	for _, s := range []string{long, "published", long, "published", long + "alone"} {
		x.Rows = append(x.Rows, report.Row{Cells: []report.Cell{{Text: s}}})
	}
	g := gridOf(x)
	if len(g.Notes) != 2 || g.Notes[0].Text != long {
		t.Fatalf("notes %+v", g.Notes)
	}
	for i, want := range []int{1, 0, 1, 0, 2} {
		got := 0
		if n := g.Rows[i].Cells[0].Note; n != nil {
			got = n.Number
		}
		if got != want {
			t.Errorf("row %d refers to note %d, want %d", i, got, want)
		}
	}
}

// TestBreaks checks that names may break after dots, and that nothing else changes except escapes.
func TestBreaks(t *testing.T) {
	for text, want := range map[string]string{
		"top.pipe[1].fft on proc[2]": "top.<wbr>pipe[1].<wbr>fft on proc[2]",
		"synr.100.map.x":             "synr.<wbr>100.<wbr>map.<wbr>x",
		"1.5 of 2.5, ends.":          "1.5 of 2.5, ends.",
		"<b>a.bcdefgh":               "&lt;b&gt;a.<wbr>bcdefgh",
		"a.b and top.in":             "a.b and top.in",
	} {
		if got := string(breaks(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// assetsContain checks that each named file of the page's assets contains the texts.
func assetsContain(t *testing.T, texts map[string][]string) {
	t.Helper()
	for name, want := range texts {
		b, err := assets.ReadFile("assets/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(string(b), w) {
				t.Errorf("%s does not have %q", name, w)
			}
		}
	}
}

// TestCutDrawings checks that the page's script marks cut drawings, with the text and style.
func TestCutDrawings(t *testing.T) {
	assetsContain(t, map[string][]string{
		"drawing.js":  {"drag the drawing, or click", "more-right", "Math.min(1.25, w / size.w, most / size.h)"},
		"drawing.css": {".sheet.more-right::before"},
	})
}

// TestPrintedCharts checks that printed charts scale to the paper, that wide tables have the small font of other
// tables, and that the facts fill the width.
func TestPrintedCharts(t *testing.T) {
	assetsContain(t, map[string][]string{
		"charts.js": {`svg.setAttribute("viewBox"`},
		"page.css":  {".plot svg[viewBox]", "table, .many table { width: 100%;", "repeat(auto-fit, minmax(40mm, 1fr))"},
	})
}

// TestLogAxis checks that a logarithmic y axis ends near the data, not at the next decade.
func TestLogAxis(t *testing.T) {
	c := &report.Chart{Y: report.Axis{Log: true}, Series: []report.Series{{Kind: report.Line, X: []float64{1, 2},
		Y: []float64{10.2, 126}}}}
	if _, y, _ := axes(c); y.Min != 10. || y.Max != 200. {
		t.Errorf("the axis is from %v to %v, want 10 to 200", y.Min, y.Max)
	}
}
