package graph

import (
	"image/color"
	"unicode/utf8"
)

// Default colors.
func ink() color.RGBA       { return color.RGBA{0x1d, 0x23, 0x2b, 0xff} }
func line() color.RGBA      { return color.RGBA{0x55, 0x61, 0x6d, 0xff} }
func lettering() color.RGBA { return color.RGBA{0x2b, 0x33, 0x3b, 0xff} }

// Radii of the corners of boxes, in pixels.
const (
	boxRadius  = 7.0
	nodeRadius = 4.0
	barRadius  = 3.0
)

// alignment is the position of text relative to its anchor.
type alignment int

const (
	toRight alignment = iota // starts at the anchor
	centred
	toLeft // ends at the anchor
)

// canvas is the target of a drawing. The y axis points down. The anchor of a text is on the baseline of the text.
type canvas interface {
	openGroup(tag) // opens a group of shapes that belong together
	box(r rect, radius float64, look Look)
	path(r *route, width float64, c color.RGBA)
	arrow(points [3]point, c color.RGBA)
	text(label)
	closeGroup()
}

// label is a line of text on a canvas.
type label struct {
	at    point
	align alignment
	size  float64
	style lettersStyle
	color color.RGBA
	text  string
}

// lettersStyle is a set of text styles: bold, with a white halo.
type lettersStyle uint8

const (
	boldLetters lettersStyle = 1 << iota
	haloLetters
)

// tag contains the attributes of an element.
type tag struct {
	class, name, title string
	parts              []string
}

// draw draws a layout: frames, boxes, edges, links, nodes, the names of boxes and edges, and the legend.
func (l *Layout) draw(c canvas) {
	g := l.graph
	for i := range g.Frames {
		if r := l.frames[i]; r.h > 0 {
			c.openGroup(tag{class: "frame", title: g.Frames[i].Title})
			c.box(r, boxRadius, g.Frames[i].Look)
			c.closeGroup()
		}
	}
	for i := range g.Groups {
		if r := l.groups[i]; r.h > 0 {
			c.openGroup(tag{class: "group", name: g.Groups[i].Name, title: g.Groups[i].Title})
			g.Groups[i].draw(c, r, boxRadius)
			c.closeGroup()
		}
	}
	for e := range g.Edges {
		x, r := &g.Edges[e], &l.edges[e]
		c.openGroup(tag{class: "edge", name: x.Name, title: x.Title})
		c.path(r, x.Width, x.color())
		c.arrow(r.head(x.Width), x.color())
		c.closeGroup()
	}
	l.drawNodes(c)
	l.drawNames(c)
	l.drawKey(c)
}

// color returns the color of an edge.
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
			c.openGroup(tag{class: "link", name: g.Links[i].Name, title: g.Links[i].Title})
			g.Links[i].draw(c, r, barRadius)
			c.text(label{point{r.x + boxPad, r.y + r.h/2 + 0.36*nodeText}, toRight, nodeText, 0, ink(),
				shortName(g.Links[i].Label)})
			c.closeGroup()
		}
	}
	for i := range g.Nodes {
		x, r := &g.Nodes[i], l.nodes[i]
		c.openGroup(tag{class: "node", name: x.Name, title: x.Title, parts: x.Parts})
		x.draw(c, r, nodeRadius)
		y := r.y + r.h/2 - lineHeight*float64(len(x.Lines)-1)/2 + 0.36*nodeText
		for j, text := range x.Lines {
			c.text(label{point{r.x + r.w/2, y + lineHeight*float64(j)}, centred, nodeText, 0, ink(), short(text)})
		}
		c.closeGroup()
	}
}

// draw draws a shape, filled in proportion to its utilization.
func (x *Look) draw(c canvas, r rect, radius float64) {
	if !(x.Part > 0 && x.Part < 1) {
		c.box(r, radius, *x)
		return
	}
	c.box(r, radius, Look{Fill: x.Ground, Border: x.Border, Width: x.Width})
	filled, half := r, x.Width/2 // half of the border is inside the shape
	filled.x, filled.y, filled.h = r.x+half, r.y+half, r.h-x.Width
	filled.w = (r.w - x.Width) * x.Part
	c.box(filled, min(max(radius-half, 0), filled.w/2), Look{Fill: x.Fill, Border: x.Fill})
}

// drawNames draws the names of frames, boxes and edges last. Each has a halo, because edges cross the names.
func (l *Layout) drawNames(c canvas) {
	g := l.graph
	for i := range g.Frames {
		if r := l.frames[i]; r.h > 0 {
			c.openGroup(tag{class: "frame", title: g.Frames[i].Title})
			c.text(label{point{r.x + boxPad, r.y + frameHead - 5}, toRight, groupText, boldLetters | haloLetters, ink(),
				shortName(g.Frames[i].Label)})
			c.closeGroup()
		}
	}
	for i := range g.Groups {
		if r := l.groups[i]; r.h > 0 {
			c.openGroup(tag{class: "group", name: g.Groups[i].Name, title: g.Groups[i].Title})
			c.text(label{point{r.x + boxPad, r.y + boxHead - 6}, toRight, groupText, boldLetters | haloLetters, ink(),
				shortName(g.Groups[i].Label)})
			c.closeGroup()
		}
	}
	for e := range g.Edges {
		if x, r := &g.Edges[e], &l.edges[e]; x.Label != "" && r.label != (point{}) {
			align := toLeft
			if r.leftward {
				align = toRight
			}
			c.openGroup(tag{class: "edge", name: x.Name, title: x.Title})
			c.text(label{r.label, align, edgeText, haloLetters, lettering(), short(x.Label)})
			c.closeGroup()
		}
	}
}

// head returns the corners of an arrow.
func (r *route) head(width float64) [3]point {
	n, h, d := arrowLength(width), arrowHalf(width), r.direction
	back := point{r.tip.x - n*d.x, r.tip.y - n*d.y}
	return [3]point{r.tip, {back.x - h*d.y, back.y + h*d.x}, {back.x + h*d.y, back.y - h*d.x}}
}

// Distances in the legend, in pixels.
const (
	keyHeight = 20.0 // height of a line
	signWidth = 26.0
	signRoom  = 6.0 // between a sign and its text
	keyGap    = 18.0
)

// placeKey places the legend below the drawing. It breaks the legend into lines of the drawing's width, but of at least
// 360 pixels.
func (l *Layout) placeKey() {
	if len(l.graph.Key) == 0 {
		return
	}
	x, y := margin, l.height+margin
	right := max(l.width-margin, 360)
	for _, e := range l.graph.Key {
		w := signWidth + signRoom + textWidth(e.Text, nodeText)
		if x > margin && x+w > right {
			x, y = margin, y+keyHeight
		}
		l.key = append(l.key, rect{x, y, w, keyHeight})
		l.width = max(l.width, x+w+margin)
		x += w + keyGap
	}
	l.height = y + keyHeight + margin
}

func (l *Layout) drawKey(c canvas) {
	for i, r := range l.key {
		e := &l.graph.Key[i]
		c.openGroup(tag{class: "key"})
		middle := r.y + r.h/2
		if e.IsEdge {
			x := route{start: point{r.x, middle}, tip: point{r.x + signWidth, middle}, direction: point{1, 0}}
			x.line(point{r.x + signWidth - arrowLength(e.Width) + 1, middle})
			c.path(&x, e.Width, e.Border)
			c.arrow(x.head(e.Width), e.Border)
		} else {
			e.draw(c, rect{r.x, middle - 6, signWidth, 12}, barRadius)
		}
		c.text(label{point{r.x + signWidth + signRoom, middle + 0.36*nodeText}, toRight, nodeText, 0, ink(),
			e.Text})
		c.closeGroup()
	}
}

// Sign renders the sign of a legend entry as a small SVG.
func (e *Entry) Sign() string {
	s := &svg{}
	l := &Layout{graph: &Graph{Key: []Entry{{IsEdge: e.IsEdge, Look: e.Look}}},
		key: []rect{{2, 0, signWidth, keyHeight - 4}}}
	const w, h = signWidth + 4, keyHeight - 4
	s.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %g %g" aria-hidden="true">`,
		w, h, w, h)
	l.drawKey(s)
	s.printf("</svg>")
	return s.String()
}

// Text sizes, in pixels.
const (
	nodeText  = 11.0
	groupText = 12.0
	edgeText  = 10.0
)

// widths returns the widths of the characters from space to ~ in Helvetica, in thousandths of the text size (Adobe Font
// Metrics). Arial and Liberation Sans have identical widths.
func widths() []int {
	return []int{
		278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
		556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
		1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
		667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
		333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
		556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
	}
}

// textWidth returns the width of a line of text.
func textWidth(s string, size float64) float64 {
	const other = 650
	table := widths()
	sum := 0
	for _, r := range s {
		if r >= ' ' && r < utf8.RuneSelf-1 {
			sum += table[r-' ']
		} else {
			sum += other
		}
	}
	return float64(sum) * size / 1000
}

// longestText is the maximum number of displayed characters in a line of a node. longestName is the maximum number in
// the name of a box or link. The title contains the complete text.
const (
	longestText = 32
	longestName = 72
)

// short cuts a line to longestText characters.
func short(s string) string { return shortened(s, longestText) }

// shortName cuts the name of a box or link to longestName characters.
func shortName(s string) string { return shortened(s, longestName) }

func shortened(s string, maximum int) string {
	if utf8.RuneCountInString(s) <= maximum {
		return s
	}
	r := []rune(s)
	head := maximum / 2
	return string(r[:head]) + "…" + string(r[len(r)-head+1:])
}
