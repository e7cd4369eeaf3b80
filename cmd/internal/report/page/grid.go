package page

import (
	"html/template"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"xopt/cmd/internal/report"
)

// A text longer than longText that occurs in several rows is shown once, below the table, with footnote numbers in
// the rows. In a wide table, the same applies to every explanation longer than longReason, which would make rows high
// and the table wider than a window.
const (
	longText   = 60
	longReason = 8
)

// grid is a table as a page shows it: decimal points of one unit are aligned, and long repeated texts are footnotes.
type grid struct {
	Rows  []gridRow
	Notes []note

	noteIndex map[string]int // index in Notes of a text
}

// note is a footnote; its ID is unique on the page.
type note struct {
	ID     string
	Number int
	Text   string
}

type gridRow struct {
	Hot   bool
	Cells []gridCell
}

type gridCell struct {
	*report.Cell
	Link   string // the ID that the cell leads to
	Number bool
	Pad    string // missing digits after the text, to align decimal points
	Barred bool   // the column has bars
	Marks  bool   // the column has origin letters
	Note   *note
}

// Behind returns the unit and the words after the text.
func (c *gridCell) Behind() string { return strings.TrimPrefix(c.String(), c.Text) }

// Sortable returns the value to sort by, if there is one.
func (c *gridCell) Sortable() bool {
	return c.Valued && !math.IsNaN(c.Value) && !math.IsInf(c.Value, 0)
}

// gridOf lays out the cells of a table.
func gridOf(t *report.Table) *grid {
	g := &grid{Rows: make([]gridRow, len(t.Rows)), noteIndex: make(map[string]int)}
	for r := range t.Rows {
		g.Rows[r].Hot = t.Rows[r].Hot
	}
	for i := range t.Columns {
		g.column(t, i)
	}
	return g
}

// column adds the cells of a column to all rows.
func (g *grid) column(t *report.Table, i int) {
	longest, barred, marks := 0, false, false
	explains := wide(t) && t.Columns[i].Fold > 0
	units, texts := make(map[string]bool), make(map[string]int)
	for r := range t.Rows {
		c := &t.Rows[r].Cells[i]
		barred, marks = barred || c.Bar > 0, marks || c.Origin != ""
		if c.IsFigure() {
			longest, units[c.Unit] = max(longest, len(fraction(c.Text))), true
		} else if n := utf8.RuneCountInString(c.Text); n > longText || explains && n > longReason {
			texts[c.Text]++
		}
	}
	separate := explains // the texts are below the table
	for _, n := range texts {
		separate = separate || n > 1
	}
	aligned := t.Columns[i].Number && len(units) == 1 && (units[""] || units["%"]) // any other unit follows the number
	for r := range t.Rows {
		c := &t.Rows[r].Cells[i]
		x := gridCell{Cell: c, Number: t.Columns[i].Number, Barred: barred, Marks: marks}
		if i == 0 {
			x.Link = t.Rows[r].Link
		}
		if aligned && (c.IsFigure() || c.Text == "-") {
			x.Pad = padding(longest, c.Text)
		}
		if separate && texts[c.Text] > 0 {
			x.Note = g.note(t.ID, c.Text)
		}
		g.Rows[r].Cells = append(g.Rows[r].Cells, x)
	}
}

// note returns the footnote of a text.
func (g *grid) note(table, text string) *note {
	if i, isKnown := g.noteIndex[text]; isKnown {
		n := g.Notes[i]
		return &n
	}
	g.noteIndex[text] = len(g.Notes)
	n := note{ID: table + "-note-" + strconv.Itoa(len(g.Notes)+1), Number: len(g.Notes) + 1, Text: text}
	g.Notes = append(g.Notes, n)
	return &n
}

// padding returns an invisible fraction that extends a number to the longest.
func padding(longest int, number string) string {
	f := fraction(number)
	switch {
	case len(f) >= longest:
		return ""
	case f == "":
		return "." + strings.Repeat("0", longest-1)
	}
	return strings.Repeat("0", longest-len(f))
}

// fraction returns the decimal point of a number and the text after it.
func fraction(number string) string {
	if i := strings.IndexByte(number, '.'); i >= 0 {
		return number[i:]
	}
	return ""
}

// longWord is the number of characters from which a word may break; shorter ones fit a column.
const longWord = 14

// breaks marks the dots of names as break points of long words, so that paper does not break inside a name.
func breaks(text string) template.HTML {
	words := strings.Split(template.HTMLEscapeString(text), " ")
	for i, w := range words {
		if len(w) >= longWord {
			words[i] = breakAtDots(w)
		}
	}
	return template.HTML(strings.Join(words, " ")) //nolint:gosec // it is escaped
}

func breakAtDots(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteByte(s[i])
		if s[i] != '.' || i == 0 || i+1 == len(s) {
			continue
		}
		before, after := letter(s[i-1]) || s[i-1] == ']', letter(s[i+1])
		if (before || after) && (before || digit(s[i-1])) && (after || digit(s[i+1])) { // not the point of a number
			b.WriteString("<wbr>")
		}
	}
	return b.String()
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func digit(c byte) bool { return '0' <= c && c <= '9' }
