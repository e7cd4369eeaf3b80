// Package view owns what a report shows of a result: facts, tables, charts and a drawing,
// in sections, whatever they are then rendered as. It computes no model and draws nothing.
//
// It stands between package report, whose result files hold all that is shown, and the
// packages that render: page (HTML), plot (SVG, PNG), and this one's own Markdown and CSV.
package view

import "xopt/internal/view/graph"

// Page is all that a report shows.
type Page struct {
	Title    string
	Facts    []Fact // the answer
	Warnings []string
	Sections []Section
}

// Fact is a line of the answer.
type Fact struct {
	Label, Value, Note string
}

// Section is a part of a page that is found by its name.
type Section struct {
	ID, Title, Intro string
	Parts            []Part
}

// Part is one of the things that a section shows; the others are nil or "".
type Part struct {
	Text    string
	Table   *Table
	Chart   *Chart
	Code    *Code
	Drawing *Drawing
}

// Table has rows of cells.
type Table struct {
	ID, Title, Note string
	Columns         []Column
	Rows            []Row
	Folded          bool // shown when it is asked for
}

// Column is a column of a table. Unit is the SI unit of the values, for files; what is
// shown has its own in Name.
type Column struct {
	Name, Unit string
	Number     bool
}

// Row is a row of a table.
type Row struct {
	Link  string // the ID of what it leads to, or ""
	Hot   bool   // it stands out
	Cells []Cell
}

// Cell is a cell of a table: what is shown, and the value behind it.
type Cell struct {
	Text   string
	Value  float64
	Valued bool
	Bar    float64 // 0 to 1; 0 for none
	Origin string  // "measured", "published", "assumed"; "" for what is predicted or no figure
}

// Code is text to copy.
type Code struct {
	ID, Title, Text string
	Folded          bool
}

// Drawing is a picture of a mapping.
type Drawing struct {
	ID, Title string
	Graph     *graph.Graph
}

// Layout lays the picture out.
func (d *Drawing) Layout() *graph.Layout {
	g := *d.Graph
	g.Label = d.Title
	return g.Layout()
}

// Kind is how a series is drawn.
type Kind string

// The kinds.
const (
	Line    Kind = "line"
	Steps   Kind = "steps"
	Points  Kind = "points"
	Bars    Kind = "bars"
	Boxes   Kind = "boxes"
	Markers Kind = "markers" // points that stand out
)

// Axis is an axis of a chart; with Categories the values are their indices.
type Axis struct {
	Name       string // with its unit
	Log        bool
	Categories []string
}

// Series is values of one kind.
type Series struct {
	Name   string
	Kind   Kind
	X, Y   []float64
	Labels []string // of points
	Links  []string // IDs that points lead to
	// Boxes are of Kind Boxes: whisker, quartile, median, quartile, whisker.
	Boxes [][5]float64
}

// Chart is a picture of numbers.
type Chart struct {
	ID, Title, Note string
	X, Y            Axis
	Diagonal        bool // x = y is drawn
	Series          []Series
}
