package graph

import (
	"fmt"
	"image/color"
	"io"
	"math"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"xopt/internal/safetext"
)

// Resolution of a PNG in PNG pixels per drawing pixel, and its maximum side in PNG pixels.
const (
	pngScale = 2.0
	pngSide  = 12_000.0
)

// pngScaleOf returns the number of PNG pixels per drawing pixel.
func (l *Layout) pngScaleOf() float64 {
	return min(pngScale, pngSide/math.Max(l.width, l.height))
}

// PNG renders a layout on a white background.
func (l *Layout) PNG(w io.Writer) error {
	const pointsPerInch = 72 // one drawing pixel is one point of the image
	width, height := l.Width(), l.Height()
	img := vgimg.NewWith(vgimg.UseWH(vg.Points(width), vg.Points(height)),
		vgimg.UseDPI(int(math.Max(1, math.Round(pointsPerInch*l.pngScaleOf())))), vgimg.UseBackgroundColor(color.White))
	l.draw(&raster{c: draw.NewCanvas(img, vg.Points(width), vg.Points(height)), height: height})
	if _, err := (vgimg.PngCanvas{Canvas: img}).WriteTo(w); err != nil {
		return fmt.Errorf("drawing a mapping: %w", err)
	}
	return nil
}

// raster is a canvas of gonum, whose y axis points up.
type raster struct {
	c      draw.Canvas
	height float64
}

func (g *raster) openGroup(tag) {}
func (g *raster) closeGroup()   {}

func (g *raster) at(p point) vg.Point {
	return vg.Point{X: vg.Points(p.x), Y: vg.Points(g.height - p.y)}
}

func (g *raster) box(r rect, radius float64, look Look) {
	var p vg.Path
	move := func(x, y float64) { p.Move(g.at(point{x, y})) }
	line := func(x, y float64) { p.Line(g.at(point{x, y})) }
	curve := func(cx, cy, x, y float64) { p.QuadTo(g.at(point{cx, cy}), g.at(point{x, y})) }
	move(r.x+radius, r.y)
	line(r.right()-radius, r.y)
	curve(r.right(), r.y, r.right(), r.y+radius)
	line(r.right(), r.bottom()-radius)
	curve(r.right(), r.bottom(), r.right()-radius, r.bottom())
	line(r.x+radius, r.bottom())
	curve(r.x, r.bottom(), r.x, r.bottom()-radius)
	line(r.x, r.y+radius)
	curve(r.x, r.y, r.x+radius, r.y)
	p.Close()
	g.c.SetColor(look.Fill)
	g.c.Fill(p)
	g.stroke(p, look.Width, look.Border)
}

func (g *raster) stroke(p vg.Path, width float64, c color.RGBA) {
	g.c.SetLineStyle(draw.LineStyle{Color: c, Width: vg.Points(width)})
	g.c.Stroke(p)
}

func (g *raster) path(r *route, width float64, c color.RGBA) {
	var p vg.Path
	p.Move(g.at(r.start))
	for _, s := range r.steps {
		if len(s) == 3 {
			p.CubeTo(g.at(s[0]), g.at(s[1]), g.at(s[2]))
		} else {
			p.Line(g.at(s[0]))
		}
	}
	g.stroke(p, width, c)
}

func (g *raster) arrow(points [3]point, c color.RGBA) {
	var p vg.Path
	p.Move(g.at(points[0]))
	p.Line(g.at(points[1]))
	p.Line(g.at(points[2]))
	p.Close()
	g.c.SetColor(c)
	g.c.Fill(p)
}

func (g *raster) text(l label) {
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if l.style&boldLetters != 0 {
		f.Weight = stdfont.WeightBold
	}
	face := plot.DefaultTextHandler.Cache().Lookup(f, vg.Points(l.size))
	s := safetext.Line(l.text)
	to := g.at(l.at)
	switch l.align {
	case centred:
		to.X -= face.Width(s) / 2
	case toLeft:
		to.X -= face.Width(s)
	}
	if l.style&haloLetters != 0 {
		g.c.SetColor(color.White)
		const wide = 0.9
		for _, d := range []point{{-wide, 0}, {wide, 0}, {0, -wide}, {0, wide}, {-wide, -wide}, {wide, wide},
			{-wide, wide}, {wide, -wide}} {
			g.c.FillString(face, to.Add(vg.Point{X: vg.Points(d.x), Y: vg.Points(d.y)}), s)
		}
	}
	g.c.SetColor(l.color)
	g.c.FillString(face, to, s)
}
