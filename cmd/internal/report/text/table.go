package text

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	pretty "github.com/jedib0t/go-pretty/v6/text"

	"xopt/cmd/internal/report"
	"xopt/internal/safetext"
)

// Tables with more than maxRows rows show their shownRows most important rows or, if all rows are equally important,
// their first maxPlain rows.
const (
	maxRows   = 60
	shownRows = 40
	maxPlain  = 500
)

// minFold is the minimum width of a column with wrapped text.
const minFold = 20

// table writes a table without the columns that do not fit, and lists these columns.
func (t *writer) table(v *report.Table) {
	all := len(v.Rows)
	if all == 0 {
		return
	}
	which := ""
	if !t.style.Full {
		limit, shown := maxPlain, maxPlain
		if v.Ranked() {
			limit, shown = maxRows, shownRows
		}
		if all > limit {
			v, which = v.Top(shown)
		}
	}
	g := newGrid(v)
	lines, left := t.fit(g)
	t.printf("\n")
	for i, line := range t.fold(v.Caption(), 0) {
		if i > 0 {
			t.printf("\n")
		}
		t.printf("%s", t.bold(line))
	}
	t.printf("\n")
	for _, line := range lines {
		t.printf("%s\n", styled(line))
	}
	if which != "" {
		t.paragraph(fmt.Sprintf("(%s; --full shows all rows)", which))
	}
	switch {
	case v.Bare:
	case len(left) > 0 && v.Narrow:
		t.paragraph(fmt.Sprintf("(hidden columns: %s)", strings.Join(left, ", ")))
	case len(left) > 0:
		t.paragraph(fmt.Sprintf("Columns hidden at this width: %s. Widen the terminal or pipe the output.",
			strings.Join(left, ", ")))
	}
	if v.Note != "" {
		t.paragraph(v.Note)
	}
}

// grid is the text of a table, cell by cell.
type grid struct {
	columns []report.Column
	rows    [][]string
	hot     []bool
	narrow  bool // must fit the terminal
}

// newGrid returns the columns shown in terminals, with aligned decimal points.
func newGrid(v *report.Table) *grid {
	g := &grid{narrow: v.Narrow, rows: make([][]string, len(v.Rows)), hot: make([]bool, len(v.Rows))}
	for r := range v.Rows {
		g.hot[r] = v.Rows[r].Hot
	}
	for i := range v.Columns {
		if v.Columns[i].Detail {
			continue
		}
		g.columns = append(g.columns, v.Columns[i])
		cells := make([]report.Cell, len(v.Rows))
		for r := range v.Rows {
			cells[r] = v.Rows[r].Cells[i]
			cells[r].Text, cells[r].Origin = safetext.Line(cells[r].Text), safetext.Line(cells[r].Origin)
		}
		for r, s := range aligned(&v.Columns[i], cells) {
			g.rows[r] = append(g.rows[r], s)
		}
	}
	return g
}

// aligned returns the texts of a column, padded to align the digits of figures with the same unit.
func aligned(c *report.Column, cells []report.Cell) []string {
	texts := make([]string, len(cells))
	longest, behind := 0, 0 // length of the longest fraction, and of the longest text after a number
	units := make(map[string]bool)
	for r := range cells {
		texts[r] = cells[r].Marked()
		if cells[r].IsFigure() {
			longest = max(longest, len(report.Fraction(cells[r].Text)))
			behind = max(behind, width(texts[r])-width(cells[r].Text))
			units[cells[r].Unit] = true
		}
	}
	if !c.Number || len(units) > 1 {
		return texts
	}
	for r := range cells {
		x := &cells[r]
		switch suffix := strings.TrimPrefix(texts[r], x.Text); {
		case x.IsFigure():
			texts[r] = x.Text + strings.Repeat(" ", longest-len(report.Fraction(x.Text))) + suffix
		case suffix == "":
			texts[r] += strings.Repeat(" ", behind) // align the text with the digits of the figures
		}
	}
	return texts
}

func width(s string) int { return utf8.RuneCountInString(s) }

// fit draws a grid. It drops columns and wraps text so that the grid fits the terminal, if possible. It returns the
// names of dropped columns.
func (t *writer) fit(g *grid) (lines, left []string) {
	var keep, spare []int
	for i := range g.columns {
		keep = append(keep, i)
		if g.columns[i].Spare > 0 {
			spare = append(spare, i)
		}
	}
	slices.SortStableFunc(spare, func(a, b int) int { return cmp.Compare(g.columns[a].Spare, g.columns[b].Spare) })
	lines = t.draw(g, keep)
	for _, i := range spare {
		if t.style.Width == 0 || widest(lines) <= t.style.Width {
			return lines, left
		}
		if excess := widest(lines) - t.style.Width; g.columns[i].Fold > 0 && t.style.Width >= narrowest &&
			g.textWidth(i)-excess >= minFold { // wrapped text fits
			g.columns[i].Fold = g.textWidth(i) - excess
			if folded := t.draw(g, keep); widest(folded) <= t.style.Width {
				return folded, left
			}
		}
		keep = slices.DeleteFunc(keep, func(k int) bool { return k == i })
		left = append(left, g.heading(i))
		lines = t.draw(g, keep)
	}
	for _, i := range keep {
		if excess := widest(lines) - t.style.Width; t.style.Width >= narrowest && excess > 0 && g.columns[i].Fold > 0 {
			g.columns[i].Fold = max(minFold, g.textWidth(i)-excess)
			lines = t.draw(g, keep)
		}
	}
	for g.narrow && t.style.Width > 0 && widest(lines) > t.style.Width && len(keep) > fewest {
		left = append(left, g.heading(keep[len(keep)-1]))
		keep = keep[:len(keep)-1]
		lines = t.draw(g, keep)
	}
	return lines, left
}

// heading returns the heading of a column as one line.
func (g *grid) heading(i int) string {
	return strings.ReplaceAll(cmp.Or(g.columns[i].Name, g.columns[i].Shown), "\n", " ")
}

// fewest is the minimum number of columns that a narrow table keeps.
const fewest = 2

// textWidth returns the width of the longest line in a column, after wrapping.
func (g *grid) textWidth(i int) int {
	maximum := 0
	for _, row := range g.rows {
		for _, line := range wrap(phrases(row[i]), g.columns[i].Fold) {
			maximum = max(maximum, width(line))
		}
	}
	return maximum
}

func widest(lines []string) int {
	w := 0
	for _, line := range lines {
		w = max(w, pretty.StringWidthWithoutEscSequences(line))
	}
	return w
}

// draw renders the given columns of a grid.
func (t *writer) draw(g *grid, keep []int) []string {
	tw := table.NewWriter()
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true}
	style.Format.Header = pretty.FormatDefault
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	tw.SetStyle(style)
	names, unitRow := make(table.Row, len(keep)), make(table.Row, len(keep))
	configs := make([]table.ColumnConfig, len(keep))
	rule := 1 // index of the line below the headings
	for c, i := range keep {
		name, unit, _ := strings.Cut(g.columns[i].Name, "\n")
		if g.columns[i].Shown != "" {
			unit = g.columns[i].Shown
		}
		names[c], unitRow[c] = string(t.bold(name)), string(t.bold(unit))
		if unit != "" {
			rule = 2
		}
		configs[c].Number = c + 1
		if g.columns[i].Number {
			configs[c].Align, configs[c].AlignHeader = pretty.AlignRight, pretty.AlignRight
		}
	}
	tw.AppendHeader(names)
	if rule == 2 {
		tw.AppendHeader(unitRow)
	}
	tw.SetColumnConfigs(configs)
	for r, row := range g.rows {
		tw.AppendRow(t.row(g, row, keep, g.hot[r]))
	}
	lines := strings.Split(tw.Render(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
		if i == rule {
			lines[i] = strings.TrimSuffix(lines[i], "──") // without the padding of the last column
		}
	}
	return lines
}

// row returns the cells of a row. Wrapped text has several lines.
func (t *writer) row(g *grid, row []string, keep []int, hot bool) table.Row {
	out := make(table.Row, len(keep))
	for c, i := range keep {
		s := row[i]
		if fold := g.columns[i].Fold; fold > 0 {
			s = strings.Join(wrap(phrases(s), fold), "\n")
		}
		if t.style.Color && hot && s != "" {
			s = pretty.FgRed.Sprint(s)
		}
		out[c] = s
	}
	return out
}
