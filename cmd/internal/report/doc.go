// Package report defines the contents of reports: sentences, facts, tables, charts and drawings, independent of their
// rendering. It defines each table once. The package computes no model and draws nothing.
//
// Its input is a result of package result, which contains all figures of a report. Packages text (a terminal), page
// (HTML), markdown and plots (SVG, PNG) render it. Package report writes CSV files itself, with every value of a table.
package report

// Page contains all that a report shows.
type Page struct {
	Title    string
	Summary  string // one sentence: what the page shows, with its main figure; "" for none
	Maker    string // the command that wrote the page, such as "xbench ring"; "" if unknown
	Command  string // its complete command line, to copy
	Facts    []Fact // the answer
	Warnings []string
	Sections []Section
}

// Fact is a line of the answer.
type Fact struct {
	Label, Value, Note string
}

// Section is a named part of a page. Without a title it continues the previous one.
type Section struct {
	ID, Title, Intro string
	Parts            []Part
}

// Part is one item of a section or terminal output; only one field is set.
type Part struct {
	Heading  string
	Lead     *Lead
	Text     string
	Separate bool // preceded by an empty line
	List     *List
	Table    *Table
	Chart    *Chart
	Code     *Code
	Drawing  *Drawing
}

// Lead is text after a leading word; "" continues the previous one.
type Lead struct{ Word, Text string }

// List is a heading with texts below it.
type List struct {
	Title string
	Items []string
}

// Code is text for copying.
type Code struct {
	ID, Title, Text string
	Folded          bool
}

// Kind is the way in which a series is drawn.
type Kind string

// The kinds.
const (
	Line    Kind = "line"
	Steps   Kind = "steps"
	Points  Kind = "points"
	Bars    Kind = "bars"
	Boxes   Kind = "boxes"
	Markers Kind = "markers" // highlighted points
	Area    Kind = "area"    // between Y and Top
	Spans   Kind = "spans"   // horizontal bars from X to Top in row Y
)

// Axis is an axis of a chart. With Categories, the values are their indices.
type Axis struct {
	Name       string // with its unit
	Log        bool
	Categories []string
	Window     float64 // the axis extends from 0 to it; 0 for an axis that fits the values
}

// Series is a set of values of one kind.
type Series struct {
	Name string
	Kind Kind
	X, Y []float64
	Top  []float64 // of Kind Area: y values; of Kind Spans: x values
	// Hatched bars stand on the bars of the previous series.
	Hatched bool
	Labels  []string // of points
	Links   []string // IDs that points lead to
	// Faint series are the background of the others: thin, grey, without a legend entry. Their names appear on hover.
	Faint bool
	// Mapping is the candidate of the series, from 1; 0 for none. Mappings are the mappings of the points. A candidate
	// has the same colour on the complete page.
	Mapping  int
	Mappings []int
	// Boxes are the values of Kind Boxes: whisker, quartile, median, quartile, whisker.
	Boxes [][5]float64
}

// Chart is a chart of numbers.
type Chart struct {
	ID, Title, Note string
	X, Y            Axis
	Diagonal        bool // x = y is drawn
	Limits          []Limit
	Bands           []Band
	Series          []Series
}

// Band is a range of the x axis with one mapping.
type Band struct {
	Name     string
	From, To float64
	Mapping  int // its colour, from 1
}

// Limit is an axis value with a line, such as a bound.
type Limit struct {
	Name     string
	Value    float64
	Vertical bool // the value is on the x axis
}
