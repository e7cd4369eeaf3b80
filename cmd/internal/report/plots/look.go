package plots

import (
	"image/color"
	"math"
	"strconv"
	"strings"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Colors of text, of axes and of the grid, as in the light mode of a page (charts.js).
const (
	inkColor  = "#1d2630"
	softColor = "#5b6874"
	gridColor = "#d9e0e6"
)

// Sizes in points.
const (
	titleSize = 10
	textSize  = 9
	tickSize  = 8
	lineWidth = 1.5
	thinWidth = 0.75
)

// sans returns the font of pages.
func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// newPlot returns an empty plot with the fonts, colors and number formats of a page.
func newPlot() *plot.Plot {
	p := plot.New()
	ink, soft := colorOf(inkColor), colorOf(softColor)
	p.BackgroundColor = color.White
	p.Title.TextStyle.Font, p.Title.TextStyle.Color, p.Title.Padding = sans(titleSize), ink, vg.Points(4)
	p.Title.TextStyle.Font.Weight = stdfont.WeightBold
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font, a.Label.TextStyle.Color, a.Label.Padding = sans(textSize), ink, vg.Points(3)
		a.Tick.Label.Font, a.Tick.Label.Color = sans(tickSize), ink
		a.Color, a.Tick.Color, a.Width, a.Tick.Width, a.Padding = soft, soft, thinWidth, thinWidth, 0
		a.Tick.Length, a.Tick.Marker = vg.Points(4), plot.TickerFunc(linearTicks)
	}
	l := &p.Legend
	l.TextStyle.Font, l.TextStyle.Color = sans(textSize), ink
	l.Top, l.Left, l.YPosition, l.Padding, l.XOffs = true, true, draw.PosCenter, vg.Points(2), vg.Points(6)
	g := plotter.NewGrid()
	g.Vertical.Color, g.Horizontal.Color = colorOf(gridColor), colorOf(gridColor)
	p.Add(g)
	return p
}

// logarithmic makes an axis logarithmic.
func logarithmic(a *plot.Axis) { a.Scale, a.Tick.Marker = plot.LogScale{}, plot.TickerFunc(logTicks) }

// linearTicks returns about 6 ticks at round numbers.
func linearTicks(low, high float64) (list []plot.Tick) {
	const parts = 6
	if !(high > low) {
		return []plot.Tick{{Value: low, Label: digits(low)}}
	}
	base := math.Pow(10, math.Floor(math.Log10((high-low)/parts)))
	step := base
	for _, by := range []float64{2, 5, 10} {
		if (high-low)/step > parts {
			step = by * base
		}
	}
	for i := math.Ceil(low / step); i*step <= high; i++ {
		list = append(list, plot.Tick{Value: i * step, Label: digits(i * step)})
	}
	return list
}

// logTicks returns ticks at 1 to 9 times each decade. The decades have labels. If the axis is shorter than three
// decades, 2 and 5 times each decade have labels, too.
func logTicks(low, high float64) (list []plot.Tick) {
	const base, wide = 10, 1000
	if !(low > 0) || !(high > low) {
		return nil
	}
	for decade := math.Pow(base, math.Floor(math.Log10(low))); decade <= high; decade *= base {
		for i := 1.; i < base; i++ {
			v := i * decade
			if v < low || v > high {
				continue
			}
			t := plot.Tick{Value: v}
			if i == 1 || high < wide*low && (i == 2 || i == 5) {
				t.Label = digits(v)
			}
			list = append(list, t)
		}
	}
	return list
}

// digits formats a number like the charts of a page: three significant digits.
func digits(v float64) string {
	const precision, large, small = 3, 1e9, 1e-4
	a := math.Abs(v)
	if a != 0 && (a >= large || a < small) {
		return strconv.FormatFloat(v, 'g', precision, 64)
	}
	decimals := 0
	if a > 0 {
		decimals = max(0, precision-1-int(math.Floor(math.Log10(a))))
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if decimals > 0 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		return "0"
	}
	return s
}

// diamond draws filled diamonds, the symbol of marked points.
type diamond struct{}

// DrawGlyph implements [draw.GlyphDrawer].
func (diamond) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	const wide = 1.4 // relative to a circle, which has a larger area
	r := wide * s.Radius
	var path vg.Path
	path.Move(vg.Point{X: at.X, Y: at.Y + r})
	path.Line(vg.Point{X: at.X + r, Y: at.Y})
	path.Line(vg.Point{X: at.X, Y: at.Y - r})
	path.Line(vg.Point{X: at.X - r, Y: at.Y})
	path.Close()
	c.SetColor(s.Color)
	c.Fill(path)
}

// label returns a text at a position, a few points above and to the right of it.
func label(x, y float64, text string) (*plotter.Labels, error) {
	l, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{{X: x, Y: y}}, Labels: []string{text}})
	if err != nil {
		return nil, err
	}
	l.TextStyle[0].Font, l.TextStyle[0].Color = sans(tickSize), colorOf(inkColor)
	l.Offset = vg.Point{X: vg.Points(3), Y: vg.Points(2)}
	return l, nil
}
