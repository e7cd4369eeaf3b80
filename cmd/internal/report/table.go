package report

import (
	"math"
	"slices"
	"strings"

	"xopt/flow"
)

// Table is a table of results. This package builds it once from computed or measured values. Package text renders it
// for a terminal, package page as HTML and package markdown as Markdown. [Table.WriteCSV] writes CSV. Renderers do not
// change the content: units, letters, dashes and marked rows are the same everywhere.
//
// Functions of this package return the columns and cells of a table. Columns with the same unit share a prefix, which
// [Table.scaled] chooses when all rows have been added:
//
//	t := &Table{ID: "links", Title: "Links", Figures: "measured",
//		Columns: []Column{name("link"), rate("bandwidth"), time("each message").spare(1)}}
//	for _, l := range links {
//		t.add(text(l.Name), figure(l.Bandwidth).from("published"), figure(l.Cost))
//	}
//	return t.scaled()
type Table struct {
	ID, Title, Note string
	// Figures is the origin of all figures whose cells state no origin, such as "predicted"; "" if the title contains
	// it.
	Figures string
	Columns []Column
	Rows    []Row
	// Ranking is the plural noun for the values by which rows are ranked, such as "largest errors"; "" for
	// utilizations.
	Ranking string
	Folded  bool // pages show the table on request
	Narrow  bool // terminals omit columns that do not fit, and name them
	// Requested tables answer a question of the user and are never shortened to make space for warnings.
	Requested bool
	// Answer marks a table that is the answer, such as a front. If it does not fit, lines of text are omitted first.
	Answer bool
	// Bare tables have neither a note nor a list of hidden columns.
	Bare   bool
	Hidden int // rows omitted because the terminal is too small
}

// Column is a column of a table.
type Column struct {
	// Name is the heading without its unit. Text after a line break moves to the row of units.
	Name string
	// Unit is the SI unit of values in files, such as "B/s", "s", "B" or "elements". It is "" for plain numbers, and
	// for fractions, which are shown as percentages.
	Unit string
	// Shown is the unit of the displayed cells, such as "MB/s"; "" if the cells have no unit, or if each cell has its
	// own unit.
	Shown string
	// Meaning is a sentence that defines the column, if the name does not suffice.
	Meaning string
	Number  bool // aligns figures at the decimal point
	// Spare is the order in which a narrow terminal drops the column: 1 is dropped first, 0 never.
	Spare int
	// Detail columns are shown on pages and in files, not in terminals.
	Detail bool
	// Fold is the maximum line width of wrapped text; 0 for one line.
	Fold int

	each bool // each cell has its own unit prefix
}

// Heading returns the name and the displayed unit.
func (c *Column) Heading() string {
	name := strings.ReplaceAll(c.Name, "\n", " ")
	if c.Shown == "" {
		return name
	}
	return name + " (" + c.Shown + ")"
}

// field returns the name and the unit of the values.
func (c *Column) field() string {
	name := strings.ReplaceAll(c.Name, "\n", " ")
	switch {
	case c.Unit != "":
		return name + " (" + c.Unit + ")"
	case c.Shown == percentUnit: // files contain 0.5 for 50 %
		return name + " (fraction)"
	}
	return name
}

// Row is a row of a table.
type Row struct {
	Link string // ID of the link's target, or ""
	Hot  bool   // highlighted: a bottleneck or failure
	// Load is the importance of the row, such as a utilization. Long tables omit the rows with the smallest load, or
	// the last rows if all loads are 0.
	Load  float64
	Cells []Cell
}

// Cell is a cell of a table: its text and value.
type Cell struct {
	Text   string // without its unit and letter
	Unit   string // unit after the text if the column has no common unit, such as "%" or "MB/s"
	Aside  string // words after the figure; not in files
	Value  float64
	Valued bool
	// Interval is the 95 % confidence interval of the value; nil for none.
	Interval *[2]float64
	Bar      float64 // length of the bar, 0 to 1; 0 for none
	Origin   string  // "measured", "simulated", "published" or "assumed"; "" for predictions and cells without figures

	scaled   bool   // text derived from the value and the column's unit
	estimate bool   // the text has only the digits that the interval supports
	blank    bool   // empty in files
	si       string // SI unit of the value, if the column has several
}

// String returns the text with its unit and the words after it.
func (c *Cell) String() string {
	s := c.Text
	for _, behind := range []string{c.Unit, c.Aside} {
		if behind != "" {
			s += " " + behind
		}
	}
	return s
}

// Letter returns the origin letter of a figure; "" for none.
func (c *Cell) Letter() string {
	if c.Origin == "" {
		return ""
	}
	return c.Origin[:1]
}

// Marked returns the text with its unit and origin letter.
func (c *Cell) Marked() string {
	if c.Origin == "" {
		return c.String()
	}
	return strings.TrimSpace(c.String() + " " + c.Letter())
}

// IsFigure reports whether the text of the cell is a number.
func (c *Cell) IsFigure() bool { return c.Valued && finite(c.Value) && c.Text != "-" }

// legend explains the origin letters.
const legend = "m measured, p published, a assumed"

// simulatedLegend is an additional explanation for figures from hardware simulation.
const simulatedLegend = ", s simulated"

// Caption returns the title and the origin of the figures.
func (t *Table) Caption() string {
	var notes []string
	if t.marked() {
		letters := legend
		if t.from(flow.Simulated.String()) {
			letters += simulatedLegend
		}
		notes = append(notes, letters)
		if t.Figures != "" {
			notes = append(notes, "without a letter, "+t.Figures)
		}
	} else if t.Figures != "" {
		notes = append(notes, t.Figures)
	}
	if len(notes) == 0 {
		return t.Title
	}
	return t.Title + " (" + strings.Join(notes, "; ") + ")"
}

// marked reports whether a cell has an origin letter.
func (t *Table) marked() bool { return t.hasCell(func(c *Cell) bool { return c.Origin != "" }) }

// from reports whether a cell has the given origin.
func (t *Table) from(origin string) bool {
	return t.hasCell(func(c *Cell) bool { return c.Origin == origin })
}

func (t *Table) hasCell(is func(*Cell) bool) bool {
	for i := range t.Rows {
		for j := range t.Rows[i].Cells {
			if is(&t.Rows[i].Cells[j]) {
				return true
			}
		}
	}
	return false
}

func (t *Table) add(cells ...Cell) *Row {
	t.Rows = append(t.Rows, Row{Cells: cells})
	return &t.Rows[len(t.Rows)-1]
}

// column returns the index of a column by name; -1 for none.
func (t *Table) column(name string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
}

// spare lets a narrow terminal drop columns, in the given order.
func (t *Table) spare(names ...string) {
	for order, name := range names {
		if c := t.column(name); c >= 0 {
			t.Columns[c].Spare = order + 1
		}
	}
}

// drop removes columns.
func (t *Table) drop(names ...string) {
	for _, name := range names {
		c := t.column(name)
		if c < 0 {
			continue
		}
		t.Columns = slices.Delete(t.Columns, c, c+1)
		for i := range t.Rows {
			t.Rows[i].Cells = slices.Delete(t.Rows[i].Cells, c, c+1)
		}
	}
}

// orNil returns the scaled table, or nil if it has no rows.
func (t *Table) orNil() *Table {
	if len(t.Rows) == 0 {
		return nil
	}
	return t.scaled()
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
