package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"xopt/cmd/internal/report"
	"xopt/internal/units"
)

// chartData is the input of the page's script in addition to the options of ECharts: the words of tooltips and the
// styles of series.
type chartData struct {
	X      axisData     `json:"x"`
	Y      axisData     `json:"y"`
	Series []seriesData `json:"series"`
	Limits []limitData  `json:"limits,omitempty"`
	Bands  []bandData   `json:"bands,omitempty"`
}

type bandData struct {
	Name  string  `json:"name"`
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Color string  `json:"color"`
}

type axisData struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
}

type seriesData struct {
	Kind   report.Kind `json:"kind"`
	Color  string      `json:"color"` // "" for the text color
	Dashes []float64   `json:"dashes,omitempty"`
	Symbol string      `json:"symbol"`
	Faint  bool        `json:"faint,omitempty"`
	Hatch  bool        `json:"hatch,omitempty"`
	Colors []string    `json:"colors,omitempty"` // colors of points
	Links  []string    `json:"links,omitempty"`  // link targets of points
}

type limitData struct {
	Name     string  `json:"name"`
	Value    float64 `json:"value"`
	Vertical bool    `json:"vertical"`
}

func chartDataOf(c *report.Chart) chartData {
	var d chartData
	d.X.Name, d.X.Unit = c.X.Split()
	d.Y.Name, d.Y.Unit = c.Y.Split()
	for i, style := range c.Styles() {
		s := &c.Series[i]
		x := seriesData{Kind: s.Kind, Color: style.Color, Dashes: style.Dashes, Symbol: style.Symbol, Links: s.Links,
			Faint: s.Faint, Hatch: s.Hatched}
		for _, m := range s.Mappings {
			x.Colors = append(x.Colors, report.MappingColor(m))
		}
		d.Series = append(d.Series, x)
	}
	for _, l := range c.Limits {
		d.Limits = append(d.Limits, limitData(l))
	}
	for _, b := range c.Bands {
		d.Bands = append(d.Bands, bandData{b.Name, b.From, b.To, report.MappingColor(b.Mapping)})
	}
	return d
}

// notes returns the remarks below a chart.
func notes(c *report.Chart) string { return strings.Join(c.Remarks(), " ") }

// maxSummary is the maximum number of series named in the summary of a chart.
const maxSummary = 8

// summary describes a chart for screen readers.
func summary(c *report.Chart) string {
	var names []string
	for i := range c.Series {
		names = append(names, c.Series[i].Name)
	}
	return fmt.Sprintf("Chart: %s. %s versus %s: %s.", c.Title, c.Y.Name, c.X.Name,
		strings.Join(units.First(names, maxSummary, "%d more"), ", "))
}

// rotated is the number of categories above which their labels are vertical.
const rotated = 8

// allNamed is the number of categories above which a chart omits some labels.
const allNamed = 16

// options returns the ECharts options of a chart.
func options(c *report.Chart) map[string]any {
	x, y, bottom := axes(c)
	names := legend(c)
	top := "26"
	if len(names) > 1 {
		top = "58"
	}
	grid := opts.Grid{Left: "64", Right: "24", Top: top, Bottom: bottom}
	if len(c.Y.Categories) > 0 {
		grid.Left, grid.ContainLabel = "8", opts.Bool(true)
	}
	global := []charts.GlobalOpts{
		charts.WithXAxisOpts(x), charts.WithYAxisOpts(y),
		charts.WithGridOpts(grid),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(len(names) > 1), Type: "scroll", Top: "0", Right: "0",
			Data: names}),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: trigger(c)}),
		charts.WithAnimation(false),
	}
	base := charts.NewScatter()
	base.SetGlobalOptions(global...)
	if len(c.X.Categories) > 0 {
		base.SetXAxis(c.X.Categories)
	}
	for i := range c.Series {
		addSeries(base, &c.Series[i])
	}
	if c.Diagonal {
		addDiagonal(base, c)
	}
	base.Validate()
	return base.JSON()
}

// legend returns the names in the legend.
func legend(c *report.Chart) []string {
	var names []string
	for i := range c.Series {
		if !c.Series[i].Faint {
			names = append(names, c.Series[i].Name)
		}
	}
	return names
}

// trigger returns the trigger of a tooltip: a single point, or the mouse position for all lines. Single lines are hard
// to hit.
func trigger(c *report.Chart) string {
	lines := false
	for i := range c.Series {
		switch c.Series[i].Kind {
		case report.Line, report.Steps:
			lines = true
		case report.Area:
		case report.Markers:
			if len(c.Series[i].Links) > 0 {
				return "item" // each point has its own words
			}
		default:
			return "item"
		}
	}
	if lines && !c.Diagonal {
		return "axis"
	}
	return "item"
}

// axes returns the axes of a chart, and the height of the labels below the x axis.
func axes(c *report.Chart) (x opts.XAxis, y opts.YAxis, bottom string) {
	x, y = opts.XAxis{Name: c.X.Name, Type: "value", Scale: opts.Bool(true)}, opts.YAxis{Name: c.Y.Name, Type: "value",
		Scale: opts.Bool(true)}
	x.NameLocation, x.NameGap, y.NameLocation, y.NameGap = "middle", 28, "end", 12
	xs, ys := c.Values()
	if c.X.Log {
		x.Type = "log"
		barred := func(s report.Series) bool { return s.Kind == report.Bars || s.Kind == report.Boxes }
		if len(xs) > 0 && !slices.ContainsFunc(c.Series, barred) { // the axis ends near the data, not at a decade
			low, high := slices.Min(xs), slices.Max(xs)
			below, above := lastDigit(low), lastDigit(high)
			x.Min, x.Max = math.Floor(low/below)*below, math.Ceil(high/above)*above
		}
	}
	if c.Y.Log {
		y.Type = "log"
		if len(ys) > 0 && slices.Min(ys) > 0 { // the axis ends at 1, 2 or 5 times a decade near the data
			y.Min, y.Max = round125(slices.Min(ys), false), round125(slices.Max(ys), true)
		}
	}
	if low, high, ok := c.X.Range(xs); ok {
		x.Min, x.Max = low, high
	}
	if low, high, ok := c.Y.Range(ys); ok {
		y.Min, y.Max = low, high
	}
	if slices.ContainsFunc(c.Series, func(s report.Series) bool { return s.Kind == report.Bars }) {
		y.Min, y.Max = nil, nil
		y.Scale = opts.Bool(false) // bars start at 0
	}
	if len(c.Y.Categories) > 0 {
		y.Type, y.Data, y.Min, y.Max = "category", c.Y.Categories, nil, nil
	}
	if c.X.Window > 0 {
		x.Min, x.Max = 0, c.X.Window
	}
	if c.X.IsInteger(xs) {
		x.MinInterval = 1
	}
	if c.Y.IsInteger(ys) {
		y.MinInterval = 1
	}
	bottom = "48"
	if n := len(c.X.Categories); n > 0 {
		x.Type = "category"
		if n > rotated {
			x.AxisLabel = &opts.AxisLabel{Rotate: 40, Interval: "auto"}
			if n <= allNamed {
				x.AxisLabel.Interval = "0"
			}
		}
		longest := 0
		for _, s := range c.X.Categories {
			longest = max(longest, len(s))
		}
		if n > rotated { // vertical labels need space for their length
			const minimum, maximum, perLetter = 24, 96, 4
			x.NameGap = min(maximum, minimum+perLetter*longest)
			bottom = strconv.Itoa(x.NameGap + 22)
		}
	}
	return x, y, bottom
}

// lastDigit returns the value of the second significant digit of a positive number.
func lastDigit(v float64) float64 { return math.Pow(10, math.Floor(math.Log10(v))-1) }

// round125 rounds a positive value up or down to 1, 2 or 5 times a power of ten.
func round125(v float64, up bool) float64 {
	const base = 10
	decade := math.Pow(base, math.Floor(math.Log10(v)))
	below := decade
	for _, by := range []float64{1, 2, 5, base} {
		if by*decade >= v && up {
			return by * decade
		}
		if by*decade <= v {
			below = by * decade
		}
	}
	return below
}

func addSeries(base *charts.Scatter, s *report.Series) {
	switch s.Kind {
	case report.Bars:
		bar := charts.NewBar()
		var items []opts.BarData
		for _, v := range s.Y {
			items = append(items, opts.BarData{Value: v})
		}
		bar.AddSeries(s.Name, items, charts.WithBarChartOpts(opts.BarChart{BarCategoryGap: "10%"}))
		base.Overlap(bar)
	case report.Boxes:
		box := charts.NewBoxPlot()
		var items []opts.BoxPlotData
		for _, b := range s.Boxes {
			items = append(items, opts.BoxPlotData{Value: b})
		}
		box.AddSeries(s.Name, items)
		base.Overlap(box)
	case report.Line, report.Steps, report.Area, report.Spans:
		line := charts.NewLine()
		var items []opts.LineData
		for j := range s.Y {
			value := []float64{s.X[j], s.Y[j]}
			if len(s.Top) > 0 {
				value = append(value, s.Top[j])
			}
			items = append(items, opts.LineData{Value: value})
		}
		l := opts.LineChart{ShowSymbol: opts.Bool(len(s.Y) <= report.MaxSymbols), SymbolSize: 5}
		if s.Kind == report.Steps {
			l.Step = "end"
		}
		line.AddSeries(s.Name, items, charts.WithLineChartOpts(l))
		base.Overlap(line)
	default:
		points := charts.NewScatter()
		var items []opts.ScatterData
		for j := range s.Y {
			p := opts.ScatterData{Value: []float64{s.X[j], s.Y[j]}, SymbolSize: 8}
			if s.Kind == report.Markers {
				p.Symbol, p.SymbolSize = "diamond", 14
			}
			if j < len(s.Labels) {
				p.Name = s.Labels[j]
			}
			items = append(items, p)
		}
		points.AddSeries(s.Name, items)
		base.Overlap(points)
	}
}

// addDiagonal draws the line x = y.
func addDiagonal(base *charts.Scatter, c *report.Chart) {
	line := charts.NewLine()
	maximum := 0.0
	for _, s := range c.Series {
		for j := range s.X {
			maximum = max(maximum, s.X[j], s.Y[j])
		}
	}
	line.AddSeries("equal", []opts.LineData{{Value: []float64{0, 0}}, {Value: []float64{maximum, maximum}}},
		charts.WithLineChartOpts(opts.LineChart{ShowSymbol: opts.Bool(false)}),
		charts.WithLineStyleOpts(opts.LineStyle{Type: "dashed", Width: 1}))
	base.Overlap(line)
}
