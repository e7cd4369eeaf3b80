package page

import (
	"html/template"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"xopt/cmd/internal/report"
)

// A text longer than longText that occurs in several rows is a footnote below the table, and the rows contain its
// number. In a wide table, each explanation longer than longReason is a footnote too. Otherwise, the explanation would
// make the rows high and the table wider than a window.
const (
	longText   = 60
	longReason = 8
)

// grid is the content of a table on a page. It aligns the decimal points of figures with the same unit, and replaces
// long repeated texts by footnotes.
type grid struct {
	Rows  []gridRow
	Notes []note

	noteIndex map[string]int // index of a text in Notes
}

// note is a footnote. Its ID is unique on the page.
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
	Link   string // ID of the link's target
	Number bool
	Pad    string // missing digits after the text, which align the decimal points
	Barred bool   // the column has bars
	Marks  bool   // the column has origin letters
	Note   *note
}

// Behind returns the unit and the words after the text of a cell.
func (c *gridCell) Behind() string { return strings.TrimPrefix(c.String(), c.Text) }

// Sortable reports whether a cell has a finite value as its sort key.
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
			longest, units[c.Unit] = max(longest, len(report.Fraction(c.Text))), true
		} else if n := utf8.RuneCountInString(c.Text); n > longText || explains && n > longReason {
			texts[c.Text]++
		}
	}
	separate := explains // long texts become footnotes
	for _, n := range texts {
		separate = separate || n > 1
	}
	aligned := t.Columns[i].Number && len(units) == 1 && (units[""] || units["%"]) // other units follow without a gap
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

// note returns the footnote that contains a text.
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

// padding returns an invisible fraction that makes the fraction of a number as long as the longest fraction.
func padding(longest int, number string) string {
	f := report.Fraction(number)
	switch {
	case len(f) >= longest:
		return ""
	case f == "":
		return "." + strings.Repeat("0", longest-1)
	}
	return strings.Repeat("0", longest-len(f))
}

// longWord is the minimum length in characters of a word that may break. Shorter words fit a column.
const longWord = 14

// breaks allows line breaks at the dots of long names, so that a printed name does not break elsewhere.
func breaks(text string) template.HTML {
	words := strings.Split(template.HTMLEscapeString(text), " ")
	for i, w := range words {
		if len(w) >= longWord {
			words[i] = breakAtDots(w)
		}
	}
	return template.HTML(strings.Join(words, " ")) //nolint:gosec // the words are escaped
}

func breakAtDots(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteByte(s[i])
		if s[i] != '.' || i == 0 || i+1 == len(s) {
			continue
		}
		before, after := letter(s[i-1]) || s[i-1] == ']', letter(s[i+1])
		if (before || after) && (before || digit(s[i-1])) && (after || digit(s[i+1])) { // not a decimal point
			b.WriteString("<wbr>")
		}
	}
	return b.String()
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func digit(c byte) bool { return '0' <= c && c <= '9' }
