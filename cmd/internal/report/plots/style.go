package plots

import (
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"xopt/cmd/internal/report"
)

// colorOf parses #rrggbb. For "", it returns the color of text.
func colorOf(s string) color.Color {
	if len(s) != len("#rrggbb") {
		s = inkColor
	}
	const red, green, full = 16, 8, 0xff
	v, err := strconv.ParseUint(s[1:], 16, 32)
	if err != nil {
		return color.Black
	}
	return color.RGBA{R: uint8(v >> red), G: uint8(v >> green & full), B: uint8(v & full), A: full}
}

func dashes(s report.Style) []vg.Length {
	var list []vg.Length
	for _, d := range s.Dashes {
		list = append(list, vg.Points(d))
	}
	return list
}

func shape(s report.Style) draw.GlyphDrawer {
	switch s.Symbol {
	case "rect":
		return draw.BoxGlyph{}
	case "triangle":
		return draw.PyramidGlyph{}
	case "diamond":
		return diamond{}
	}
	return draw.CircleGlyph{}
}

// faded returns a light version of a color, for areas behind lines.
func faded(c color.Color) color.Color {
	const opacity = 0x30
	x := color.NRGBAModel.Convert(c).(color.NRGBA) //nolint:forcetypeassert // the model returns no other type
	x.A = opacity
	return x
}

// addBands draws each band and its name above it.
func addBands(p *plot.Plot, c *report.Chart) error {
	_, ys := c.Values()
	if len(c.Bands) == 0 || len(ys) == 0 {
		return nil
	}
	low, high := minimum(ys), slices.Max(ys)
	for _, b := range c.Bands {
		a, err := plotter.NewPolygon(plotter.XYs{{X: b.From, Y: low}, {X: b.To, Y: low}, {X: b.To, Y: high},
			{X: b.From, Y: high}})
		if err != nil {
			return err
		}
		a.Color, a.LineStyle.Width = faded(colorOf(report.MappingColor(b.Mapping))), 0
		name, err := label(b.From, high, b.Name)
		if err != nil {
			return err
		}
		p.Add(a, name)
	}
	return nil
}

// addLimits draws a line at each limit, with its name at the start of the line.
func addLimits(p *plot.Plot, c *report.Chart) error {
	for _, limit := range c.Limits {
		ends := plotter.XYs{{X: p.X.Min, Y: limit.Value}, {X: p.X.Max, Y: limit.Value}}
		if limit.Vertical {
			ends = plotter.XYs{{X: limit.Value, Y: p.Y.Min}, {X: limit.Value, Y: p.Y.Max}}
		}
		l, err := plotter.NewLine(ends)
		if err != nil {
			return err
		}
		l.Dashes, l.Color, l.Width = []vg.Length{vg.Points(6), vg.Points(3)}, colorOf(inkColor), 1
		name, err := label(ends[0].X, ends[0].Y, limit.Name)
		if err != nil {
			return err
		}
		p.Add(l, name)
	}
	return nil
}

// ranges extends the axes beyond the data, so that the frame does not cut points and the legend has space. It does not
// magnify nearly equal values.
func ranges(p *plot.Plot, c *report.Chart) {
	xs, ys := c.Values()
	if low, high, ok := c.X.Range(xs); ok {
		p.X.Min, p.X.Max = low, high
	}
	if low, high, ok := c.Y.Range(ys); ok {
		p.Y.Min, p.Y.Max = low, high
	}
	const margin, legendLine = 0.03, 0.07 // fractions of the length of an axis
	if n := len(c.X.Categories); n > 0 {
		p.X.Min, p.X.Max = -0.5, float64(n)-0.5 // the frame does not cut the first and the last bar
	} else {
		widen(&p.X, c.X.Log, margin, margin)
	}
	above := margin
	if n := listed(c); n > 0 {
		above += legendLine * float64(n)
	}
	if len(c.Y.Categories) > 0 {
		p.Y.Min = -1 // half of a row
	}
	widen(&p.Y, c.Y.Log, margin, above)
	if p.Y.Min < 0 && len(c.Y.Categories) == 0 && !c.Y.Log && len(ys) > 0 && minimum(ys) >= 0 {
		p.Y.Min = 0
	}
}

func minimum(values []float64) float64 {
	v := math.Inf(1)
	for _, x := range values {
		v = math.Min(v, x)
	}
	return v
}

// widen extends an axis at its ends by fractions of its length.
func widen(a *plot.Axis, log bool, below, above float64) {
	if log && a.Min > 0 {
		r := math.Log(a.Max / a.Min)
		a.Min, a.Max = a.Min*math.Exp(-below*r), a.Max*math.Exp(above*r)
		return
	}
	if !log {
		r := a.Max - a.Min
		a.Min, a.Max = a.Min-below*r, a.Max+above*r
	}
}

// listed returns the number of series with legend entries.
func listed(c *report.Chart) int {
	if len(c.Series) < 2 {
		return 0
	}
	n := 0
	for i := range c.Series {
		if !c.Series[i].Faint {
			n++
		}
	}
	return n
}
