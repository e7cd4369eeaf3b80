// Package plots writes the plots of a report as SVG and PNG files for papers and slides, and its tables as CSV.
package plots

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"xopt/cmd/internal/report"
	"xopt/internal/files/output"
)

// Size of a plot, in points.
const (
	width  = 16 * vg.Centimeter
	height = 9 * vg.Centimeter
)

// Names returns the names of the files that Write creates for a page.
func Names(p *report.Page) (names []string) {
	for _, s := range p.Sections {
		for _, x := range s.Parts {
			switch {
			case x.Drawing != nil:
				names = append(names, x.Drawing.ID+".svg", x.Drawing.ID+".png")
			case x.Chart != nil:
				names = append(names, ChartNames(x.Chart)...)
			case x.Table != nil:
				names = append(names, x.Table.ID+".csv")
			}
		}
	}
	return names
}

// ChartNames returns the names of the files that Chart creates.
func ChartNames(c *report.Chart) []string { return []string{c.ID + ".svg", c.ID + ".png"} }

// SetNames returns the names of the files that WriteSet creates for a table and charts with these IDs.
func SetNames(table string, charts ...string) (names []string) {
	for _, id := range charts {
		names = append(names, ChartNames(&report.Chart{ID: id})...)
	}
	return append(names, table+".csv")
}

// WriteSet writes a table and its charts into an existing folder, and adds them to the folder's list.
func WriteSet(folder string, table *report.Table, charts ...*report.Chart) error {
	err := output.WriteFile(filepath.Join(folder, table.ID+".csv"), table.WriteCSV)
	var ids []string
	for _, c := range charts {
		err, ids = errors.Join(err, Chart(folder, c)), append(ids, c.ID)
	}
	return errors.Join(err, output.Record(folder, SetNames(table.ID, ids...)))
}

// Write writes every plot and table of a page into a folder.
func Write(ctx context.Context, folder string, p *report.Page) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("creating the folder of --plots: %w", err)
	}
	for _, s := range p.Sections {
		for _, x := range s.Parts {
			if err := ctx.Err(); err != nil {
				return err
			}
			var err error
			switch {
			case x.Drawing != nil:
				err = drawing(folder, x.Drawing)
			case x.Chart != nil:
				err = Chart(folder, x.Chart)
			case x.Table != nil:
				err = output.WriteFile(filepath.Join(folder, x.Table.ID+".csv"), x.Table.WriteCSV)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func drawing(folder string, d *report.Drawing) error {
	l := d.Layout()
	return errors.Join(output.WriteFile(filepath.Join(folder, d.ID+".svg"), func(w io.Writer) error {
		_,
			err := io.WriteString(w, l.SVG())
		return err
	}),
		output.WriteFile(filepath.Join(folder, d.ID+".png"), l.PNG))
}

// Chart draws a chart with gonum/plot, as SVG and PNG files in an existing folder.
func Chart(folder string, c *report.Chart) error {
	p := newPlot()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.Title, c.X.Name, c.Y.Name
	if c.X.Log {
		logarithmic(&p.X)
	}
	if c.Y.Log {
		logarithmic(&p.Y)
	}
	if err := addBands(p, c); err != nil {
		return fmt.Errorf("drawing %s: %w", c.ID, err)
	}
	styles := c.Styles()
	for _, faint := range []bool{true, false} { // draw highlighted series last
		for i := range c.Series {
			if c.Series[i].Faint != faint {
				continue
			}
			if err := add(p, c, i, styles[i]); err != nil {
				return fmt.Errorf("drawing %s: %w", c.ID, err)
			}
		}
	}
	if c.Diagonal {
		f := plotter.NewFunction(func(x float64) float64 { return x })
		f.Dashes, f.Color = []vg.Length{vg.Points(3), vg.Points(3)}, colorOf(inkColor)
		p.Add(f)
	}
	if len(c.Y.Categories) > 0 {
		p.NominalY(c.Y.Categories...)
	}
	if n := len(c.X.Categories); n > 0 {
		p.NominalX(c.X.Categories...)
		if n > 8 {
			p.X.Tick.Label.Rotation, p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = math.Pi/3, draw.XRight, draw.YCenter
		}
	}
	ranges(p, c)
	if err := addLimits(p, c); err != nil {
		return fmt.Errorf("drawing %s: %w", c.ID, err)
	}
	for _, format := range []string{"svg", "png"} {
		to, err := p.WriterTo(width, height, format)
		if err != nil {
			return fmt.Errorf("drawing %s: %w", c.ID, err)
		}
		err = output.WriteFile(filepath.Join(folder, c.ID+"."+format), func(w io.Writer) error {
			_,
				err := to.WriteTo(w)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func add(p *plot.Plot, c *report.Chart, i int, style report.Style) error {
	ink := colorOf(style.Color)
	s := &c.Series[i]
	points := make(plotter.XYs, len(s.Y))
	for j := range s.Y {
		points[j] = plotter.XY{X: s.X[j], Y: s.Y[j]}
	}
	legend := func(t ...plot.Thumbnailer) {
		if len(c.Series) > 1 && !s.Faint {
			p.Legend.Add(s.Name, t...)
		}
	}
	switch s.Kind {
	case report.Bars:
		b, err := bars(c, i, ink)
		if err != nil {
			return err
		}
		p.Add(b)
		legend(b)
	case report.Boxes:
		for j, five := range s.Boxes {
			// The values are a five-number summary: draw a box with exactly these numbers.
			b, err := plotter.NewBoxPlot(max(vg.Points(2), vg.Points(200/float64(len(s.Boxes)+1))), float64(j),
				plotter.Values(five[:]))
			if err != nil {
				return err
			}
			b.AdjLow, b.Quartile1, b.Median, b.Quartile3, b.AdjHigh, b.Outside = five[0], five[1], five[2], five[3],
				five[4], nil
			b.Min, b.Max = five[0], five[4]
			p.Add(b)
		}
	case report.Line, report.Steps:
		return addLine(p, s, points, style, legend)
	case report.Spans:
		return addSpans(p, s, ink, legend)
	case report.Area:
		for j := range slices.Backward(s.Top) {
			points = append(points, plotter.XY{X: s.X[j], Y: s.Top[j]})
		}
		a, err := plotter.NewPolygon(points)
		if err != nil {
			return err
		}
		a.Color, a.LineStyle.Width = faded(ink), 0
		p.Add(a)
		legend(a)
	default:
		if len(points) == 0 {
			return nil
		}
		l, err := plotter.NewScatter(points)
		if err != nil {
			return err
		}
		l.Color, l.Shape, l.Radius = ink, shape(style), vg.Points(3)
		if s.Kind == report.Markers {
			l.Radius = vg.Points(4)
		}
		if len(s.Mappings) == len(points) {
			normal := l.GlyphStyle
			l.GlyphStyleFunc = func(j int) draw.GlyphStyle {
				g := normal
				g.Color = colorOf(report.MappingColor(s.Mappings[j]))
				return g
			}
		}
		p.Add(l)
		legend(l)
	}
	return nil
}

// bars returns the bars of a series. It stacks hatched bars on the bars of the previous series, in a lighter color.
func bars(c *report.Chart, i int, ink color.Color) (*plotter.BarChart, error) {
	s := &c.Series[i]
	wide := max(vg.Points(1), vg.Points(300/float64(len(s.Y)+1)))
	b, err := plotter.NewBarChart(plotter.Values(s.Y), wide)
	if err != nil {
		return nil, err
	}
	b.Color, b.LineStyle.Width = ink, 0
	if s.Hatched {
		below, err := plotter.NewBarChart(plotter.Values(c.Series[i-1].Y), wide)
		if err != nil {
			return nil, err
		}
		b.Color, b.LineStyle.Width, b.LineStyle.Dashes = faded(ink), vg.Points(1), []vg.Length{vg.Points(2)}
		b.StackOn(below)
	}
	return b, nil
}

// addSpans draws the horizontal bars of a series.
func addSpans(p *plot.Plot, s *report.Series, ink color.Color, legend func(...plot.Thumbnailer)) error {
	const half = 0.35 // fraction of the distance between rows
	for j := range s.X {
		low, high := s.Y[j]-half, s.Y[j]+half
		a, err := plotter.NewPolygon(plotter.XYs{{X: s.X[j], Y: low}, {X: s.Top[j], Y: low}, {X: s.Top[j], Y: high},
			{X: s.X[j], Y: high}})
		if err != nil {
			return err
		}
		a.Color, a.LineStyle.Width = ink, 0
		p.Add(a)
		if j == 0 {
			legend(a)
		}
	}
	return nil
}

// addLine draws a line or steps. A line with at most report.MaxSymbols points has a symbol at each point.
func addLine(p *plot.Plot, s *report.Series, points plotter.XYs, style report.Style,
	legend func(...plot.Thumbnailer)) error {
	ink := colorOf(style.Color)
	l, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	l.Color, l.Dashes, l.Width = ink, dashes(style), lineWidth
	if s.Faint {
		l.Width = thinWidth
	}
	if s.Kind == report.Steps {
		l.StepStyle = plotter.PostStep
	}
	p.Add(l)
	if s.Faint || len(points) > report.MaxSymbols {
		legend(l)
		return nil
	}
	marks, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	marks.Color, marks.Shape, marks.Radius = ink, shape(style), vg.Points(2)
	p.Add(marks)
	legend(l, marks)
	return nil
}
