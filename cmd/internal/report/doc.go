// Package report owns what a result shows: sentences, facts, tables, charts and a drawing,
// independent of how they are rendered. A table is described once, here. It computes no model and
// draws nothing.
//
// It stands between package result, whose files hold all that is shown, and the packages that
// render: text (a terminal), page (HTML), markdown and plots (SVG, PNG). It writes CSV, with every
// value of a table, itself.
package report

// Page is all that a report shows.
type Page struct {
	Title    string
	Maker    string // the command that wrote the page, such as "xbench ring"; "" where it does not say
	Command  string // the whole line of that command, to copy
	Facts    []Fact // the answer
	Warnings []string
	Sections []Section
}

// Fact is a line of the answer.
type Fact struct {
	Label, Value, Note string
}

// Section is a part of a page that is found by its name; without a title it goes on with the one above.
type Section struct {
	ID, Title, Intro string
	Parts            []Part
}

// Part is one of the things that a section or a terminal shows; the others are nil or "".
type Part struct {
	Heading string
	Lead    *Lead
	Text    string
	Apart   bool // an empty line stands before the text
	List    *List
	Table   *Table
	Chart   *Chart
	Code    *Code
	Drawing *Drawing
}

// Lead is text that a word leads in; "" goes on with the one above.
type Lead struct{ Word, Text string }

// List is a heading with texts below it.
type List struct {
	Title string
	Items []string
}

// Code is text to copy.
type Code struct {
	ID, Title, Text string
	Folded          bool
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
	// Faint series are the background of the others: thin, grey, without an entry of the legend; they are named
	// where they are pointed at.
	Faint bool
	// Mapping is the number of the candidate that the series is of, from 1; 0 for none. Mappings are those
	// of the points. A candidate has one colour on the whole page.
	Mapping  int
	Mappings []int
	// Boxes are of Kind Boxes: whisker, quartile, median, quartile, whisker.
	Boxes [][5]float64
}

// Chart is a picture of numbers.
type Chart struct {
	ID, Title, Note string
	X, Y            Axis
	Diagonal        bool // x = y is drawn
	Limits          []Limit
	Series          []Series
}

// Limit is a value of an axis that a line is drawn at, such as a bound.
type Limit struct {
	Name     string
	Value    float64
	Vertical bool // it is a value of x
}
