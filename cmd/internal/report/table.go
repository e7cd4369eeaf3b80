package report

import (
	"math"
	"slices"
	"strings"

	"xopt/flow"
)

// Table is one table of results. It is built once, in this package, from what was computed or
// measured, and rendered by others: package text for a terminal, page as HTML, markdown, and
// [Table.WriteCSV]. A renderer decides nothing about what is said: units, letters, dashes and
// which rows stand out are the same everywhere.
//
// A table is built from columns and cells by the functions of this package. Columns of one
// unit share one prefix, which [Table.scaled] chooses when all rows are there:
//
//	t := &Table{ID: "links", Title: "Links", Figures: "measured",
//		Columns: []Column{name("link"), rate("bandwidth"), time("each message").spare(1)}}
//	for _, l := range links {
//		t.add(text(l.Name), figure(l.Bandwidth).from("published"), figure(l.Cost))
//	}
//	return t.scaled()
type Table struct {
	ID, Title, Note string
	// Figures is where figures come from whose cells do not say it, such as "predicted"; "" where
	// the title says it.
	Figures string
	Columns []Column
	Rows    []Row
	Folded  bool // on a page it is shown when it is asked for
	Narrow  bool // a terminal leaves out the columns that it has no room for without naming them
}

// Column is a column of a table.
type Column struct {
	// Name is the heading without its unit. What follows a line break may stand in the row of the
	// units.
	Name string
	// Unit is the SI unit of the values, as files have them: "B/s", "s", "B", "elements"; "" for
	// fractions, which are shown as percentages, and for plain numbers.
	Unit string
	// Shown is the unit that the cells are shown in, such as "MB/s"; "" where they have none, or
	// each its own.
	Shown string
	// Meaning says in a sentence what the column holds, where its name does not.
	Meaning string
	Number  bool // figures stand right-aligned, one decimal point below the other
	// Spare is when the column may be left out of a terminal that is too narrow: those of 1 first,
	// then those of 2, and so on; those of 0 never.
	Spare int
	// Detail columns are for pages and files, where there is room, and not for terminals.
	Detail bool
	// Fold is how many characters a line of its text may have, where a cell may have several lines;
	// 0 for one line.
	Fold int

	each bool // each cell has a prefix of its own
}

// Heading is the name with the unit that is shown.
func (c *Column) Heading() string {
	name := strings.ReplaceAll(c.Name, "\n", " ")
	if c.Shown == "" {
		return name
	}
	return name + " (" + c.Shown + ")"
}

// field is the name with the unit of the values.
func (c *Column) field() string {
	name := strings.ReplaceAll(c.Name, "\n", " ")
	switch {
	case c.Unit != "":
		return name + " (" + c.Unit + ")"
	case c.Shown == percentUnit: // files hold 0.5 for 50 %
		return name + " (fraction)"
	}
	return name
}

// Row is a row of a table.
type Row struct {
	Link string // the ID of what it leads to, or ""
	Hot  bool   // it stands out: a bottleneck, a failure
	// Load is how much the row matters, such as a utilization: of a table with more rows than
	// anyone reads, those of the least are left out. Where all are 0, the last are.
	Load  float64
	Cells []Cell
}

// Cell is a cell of a table: what is shown, and the value behind it.
type Cell struct {
	Text   string // without unit and letter
	Unit   string // behind the text, where the column has no unit for all: "%", "MB/s"
	Aside  string // words for readers behind it, which files do not have
	Value  float64
	Valued bool
	// Interval holds the ends of the 95 % confidence interval of the value, where it has one.
	Interval *[2]float64
	Bar      float64 // 0 to 1; 0 for none
	Origin   string  // "measured", "simulated", "published", "assumed"; "" for what is predicted or no figure

	scaled bool   // its text follows from its value and its column's unit
	blank  bool   // there is no figure: files have nothing in its place
	si     string // the SI unit of the value, where cells of a column have several
}

// String is the text with its unit, and words for readers.
func (c *Cell) String() string {
	s := c.Text
	for _, behind := range []string{c.Unit, c.Aside} {
		if behind != "" {
			s += " " + behind
		}
	}
	return s
}

// Letter is the one that stands behind a figure for where it comes from; "" for none.
func (c *Cell) Letter() string {
	if c.Origin == "" {
		return ""
	}
	return c.Origin[:1]
}

// Marked is the text with its unit and the letter of its origin.
func (c *Cell) Marked() string {
	if c.Origin == "" {
		return c.String()
	}
	return strings.TrimSpace(c.String() + " " + c.Letter())
}

// IsFigure reports whether the text of the cell is a number.
func (c *Cell) IsFigure() bool { return c.Valued && finite(c.Value) && c.Text != "-" }

// legend explains the letters behind figures.
const legend = "m measured, p published, a assumed"

// simulatedLegend is added where a figure was measured in a simulation of hardware.
const simulatedLegend = ", s simulated"

// Caption is the title with what tells where the figures come from.
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

// marked reports whether a cell has a letter.
func (t *Table) marked() bool { return t.hasCell(func(c *Cell) bool { return c.Origin != "" }) }

// from reports whether a cell has an origin.
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

// add adds a row.
func (t *Table) add(cells ...Cell) *Row {
	t.Rows = append(t.Rows, Row{Cells: cells})
	return &t.Rows[len(t.Rows)-1]
}

// column returns the place of a column by its name; -1 for none.
func (t *Table) column(name string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
}

// spare lets columns be left out of a narrow terminal, the first of them first.
func (t *Table) spare(names ...string) {
	for order, name := range names {
		if c := t.column(name); c >= 0 {
			t.Columns[c].Spare = order + 1
		}
	}
}

// drop leaves out columns.
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

// orNil returns the table with its figures scaled, or nil where it has no rows.
func (t *Table) orNil() *Table {
	if len(t.Rows) == 0 {
		return nil
	}
	return t.scaled()
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
