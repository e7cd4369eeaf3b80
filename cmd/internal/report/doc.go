// Package report defines the contents of reports independently of their rendering: sentences, facts, tables, charts and
// drawings. It defines each table once.
//
// The input is a result of package result, which contains all figures of a report. The package computes no model and
// draws nothing. Packages text (terminal), page (HTML), markdown and plots (SVG, PNG) render reports. Package report
// itself writes CSV files, with every value of a table.
package report

// Page is the complete content of a report.
type Page struct {
	Title    string
	Summary  string // one sentence with the main figure of the page; "" for none
	Maker    string // command that wrote the page, such as "xbench ring"; "" if unknown
	Command  string // complete command line, to copy
	Facts    []Fact // the answer
	Warnings []string
	Sections []Section
}

// Fact is a line of the answer.
type Fact struct {
	Label, Value, Note string
}

// Section is a part of a page. A section without a title continues the previous section.
type Section struct {
	ID, Title, Intro string
	Parts            []Part
}

// Part is one item of a section or of terminal output. Exactly one field besides Separate is set.
type Part struct {
	Heading  string
	Lead     *Lead
	Text     string
	Separate bool // an empty line precedes the part
	List     *List
	Table    *Table
	Chart    *Chart
	Code     *Code
	Drawing  *Drawing
}

// Lead is text after a leading word. An empty word continues the previous lead.
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

// Kind is a way to draw a series.
type Kind string

// Kinds of series.
const (
	Line    Kind = "line"
	Steps   Kind = "steps"
	Points  Kind = "points"
	Bars    Kind = "bars"
	Boxes   Kind = "boxes"
	Markers Kind = "markers" // highlighted points
	Area    Kind = "area"    // between Y and Top
	Spans   Kind = "spans"   // horizontal bars from X to Top at the height Y
)

// Axis is an axis of a chart. If it has Categories, the values are indices into them.
type Axis struct {
	Name       string // including the unit
	Log        bool
	Categories []string
	Window     float64 // the axis extends from 0 to Window; 0 to fit the values
}

// Series is a set of values of one kind.
type Series struct {
	Name string
	Kind Kind
	X, Y []float64
	Top  []float64 // y values for Kind Area, x values for Kind Spans
	// Hatched bars are stacked on the bars of the previous series.
	Hatched bool
	Labels  []string // one per point
	Links   []string // IDs of the targets of points
	// Faint series are the background of the other series: thin and gray, without a legend entry. Hovering shows their
	// names.
	Faint bool
	// Mapping is the number of the series' candidate, from 1; 0 for none. Mappings are the numbers of the points'
	// candidates. A candidate has one color on the whole page.
	Mapping  int
	Mappings []int
	// Boxes are the values of Kind Boxes: whisker, quartile, median, quartile, whisker.
	Boxes [][5]float64
}

// MaxSymbols is the number of points above which a line has no symbols. It is at least the number of points of a buffer
// front.
const MaxSymbols = 40

// Chart is a numerical chart.
type Chart struct {
	ID, Title, Note string
	X, Y            Axis
	Diagonal        bool // draw the line x = y
	Limits          []Limit
	Bands           []Band
	Series          []Series
}

// Band is a range of the x axis with a single mapping.
type Band struct {
	Name     string
	From, To float64
	Mapping  int // number of the mapping's color, from 1
}

// Limit is a line at a value of an axis, such as a bound.
type Limit struct {
	Name     string
	Value    float64
	Vertical bool // the value is on the x axis
}
