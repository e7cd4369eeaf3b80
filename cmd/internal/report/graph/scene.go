package graph

import "image/color"

// The colours of what has none of its own.
func ink() color.RGBA       { return color.RGBA{0x1d, 0x23, 0x2b, 0xff} }
func line() color.RGBA      { return color.RGBA{0x55, 0x61, 0x6d, 0xff} }
func lettering() color.RGBA { return color.RGBA{0x2b, 0x33, 0x3b, 0xff} }

// The corners of boxes, in pixels.
const (
	boxRadius  = 7.0
	nodeRadius = 4.0
	barRadius  = 3.0
)

// alignment is where text stands of its place.
type alignment int

const (
	toRight alignment = iota // begins there
	centred
	toLeft // ends there
)

// canvas is what a layout is drawn on. y grows downwards; text stands on its line.
type canvas interface {
	begin(tag) // of a thing that belongs together
	box(r rect, radius float64, look Look)
	path(r *route, width float64, c color.RGBA)
	arrow(points [3]point, c color.RGBA)
	text(at point, align alignment, size float64, bold, halo bool, c color.RGBA, text string)
	end()
}

// tag says what a thing is.
type tag struct {
	class, name, title string
	parts              []string
}

// draw draws a layout: frames, boxes, edges, links, nodes, the names of boxes and edges, the key.
func (l *Layout) draw(c canvas) {
	g := l.graph
	for i := range g.Frames {
		if r := l.frames[i]; r.h > 0 {
			c.begin(tag{class: "frame", title: g.Frames[i].Title})
			c.box(r, boxRadius, g.Frames[i].Look)
			c.end()
		}
	}
	for i := range g.Groups {
		if r := l.groups[i]; r.h > 0 {
			c.begin(tag{class: "group", name: g.Groups[i].Name, title: g.Groups[i].Title})
			c.box(r, boxRadius, g.Groups[i].Look)
			c.end()
		}
	}
	for e := range g.Edges {
		x, r := &g.Edges[e], &l.edges[e]
		c.begin(tag{class: "edge", name: x.Name, title: x.Title})
		c.path(r, x.Width, x.color())
		c.arrow(r.head(x.Width), x.color())
		c.end()
	}
	l.drawNodes(c)
	l.drawNames(c)
	l.drawKey(c)
}

// color is what an edge is drawn in.
func (e *Edge) color() color.RGBA {
	if e.Color == (color.RGBA{}) {
		return line()
	}
	return e.Color
}

// drawNodes draws links and nodes.
func (l *Layout) drawNodes(c canvas) {
	g := l.graph
	for i := range g.Links {
		if r := l.links[i]; r.h > 0 {
			c.begin(tag{class: "link", name: g.Links[i].Name, title: g.Links[i].Title})
			g.Links[i].draw(c, r)
			c.text(point{r.x + boxPad, r.y + r.h/2 + 0.36*nodeText}, toRight, nodeText, false, false, ink(),
				shortName(g.Links[i].Label))
			c.end()
		}
	}
	for i := range g.Nodes {
		x, r := &g.Nodes[i], l.nodes[i]
		c.begin(tag{class: "node", name: x.Name, title: x.Title, parts: x.Parts})
		c.box(r, nodeRadius, x.Look)
		y := r.y + r.h/2 - lineHeight*float64(len(x.Lines)-1)/2 + 0.36*nodeText
		for j, text := range x.Lines {
			c.text(point{r.x + r.w/2, y + lineHeight*float64(j)}, centred, nodeText, false, false, ink(), short(text))
		}
		c.end()
	}
}

// draw draws the bar of a link, as far as it is filled.
func (x *Link) draw(c canvas, r rect) {
	if !(x.Part > 0 && x.Part < 1) {
		c.box(r, barRadius, x.Look)
		return
	}
	c.box(r, barRadius, Look{Fill: x.Ground, Border: x.Border, Width: x.Width})
	filled, half := r, x.Width/2 // the border is drawn half of its width inside
	filled.x, filled.y, filled.h = r.x+half, r.y+half, r.h-x.Width
	filled.w = (r.w - x.Width) * x.Part
	c.box(filled, min(barRadius, filled.w/2), Look{Fill: x.Fill, Border: x.Fill})
}

// drawNames draws the names of frames, boxes and edges over the rest, each with a halo: edges cross them.
func (l *Layout) drawNames(c canvas) {
	g := l.graph
	for i := range g.Frames {
		if r := l.frames[i]; r.h > 0 {
			c.begin(tag{class: "frame", title: g.Frames[i].Title})
			c.text(point{r.x + boxPad, r.y + frameHead - 5}, toRight, groupText, true, true, ink(),
				shortName(g.Frames[i].Label))
			c.end()
		}
	}
	for i := range g.Groups {
		if r := l.groups[i]; r.h > 0 {
			c.begin(tag{class: "group", name: g.Groups[i].Name, title: g.Groups[i].Title})
			c.text(point{r.x + boxPad, r.y + boxHead - 6}, toRight, groupText, true, true, ink(),
				shortName(g.Groups[i].Label))
			c.end()
		}
	}
	for e := range g.Edges {
		if x, r := &g.Edges[e], &l.edges[e]; x.Label != "" && r.label != (point{}) {
			align := toLeft
			if r.leftward {
				align = toRight
			}
			c.begin(tag{class: "edge", name: x.Name, title: x.Title})
			c.text(r.label, align, edgeText, false, true, lettering(), short(x.Label))
			c.end()
		}
	}
}

// head is the arrow of an edge.
func (r *route) head(width float64) [3]point {
	n, h, d := arrowLength(width), arrowHalf(width), r.direction
	back := point{r.tip.x - n*d.x, r.tip.y - n*d.y}
	return [3]point{r.tip, {back.x - h*d.y, back.y + h*d.x}, {back.x + h*d.y, back.y - h*d.x}}
}
