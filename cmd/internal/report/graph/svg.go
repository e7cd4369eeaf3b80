package graph

import (
	"encoding/xml"
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"xopt/internal/safetext"
)

// Width returns the width of the drawing, in pixels.
func (l *Layout) Width() float64 { return math.Ceil(l.width) }

// Height returns the height of the drawing, in pixels.
func (l *Layout) Height() float64 { return math.Ceil(l.height) }

// SVG renders a layout. Titles appear on hover. For screen readers, the drawing is a single image.
func (l *Layout) SVG() string {
	s := &svg{}
	w, h := l.Width(), l.Height()
	s.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %g %g" role="img" `+
		`aria-label="%s" font-family="Helvetica, Arial, 'Liberation Sans', sans-serif">`+"\n", w, h, w, h,
		escape(l.graph.Label))
	if l.graph.Text != "" {
		s.printf("<desc>%s</desc>\n", escape(l.graph.Text))
	}
	l.draw(s)
	s.printf("</svg>\n")
	return s.String()
}

// svg is a canvas that writes SVG.
type svg struct{ strings.Builder }

func (s *svg) printf(format string, args ...any) { fmt.Fprintf(&s.Builder, format, args...) }

// escape makes text safe within attributes and elements.
func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(safetext.Line(text))) // writes to a builder cannot fail
	return b.String()
}

// number formats a length with two decimals.
func number(v float64) string {
	return strconv.FormatFloat(math.Round(100*v)/100, 'f', -1, 64)
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

func (s *svg) openGroup(t tag) {
	s.printf(`<g class="%s"`, t.class)
	if t.name != "" {
		s.printf(` data-name="%s"`, escape(t.name))
	}
	if len(t.parts) > 0 {
		s.printf(` data-parts="%s"`, escape(strings.Join(t.parts, " ")))
	}
	s.printf(">")
	if t.title != "" {
		s.printf("<title>%s</title>", escape(t.title))
	}
}

func (s *svg) closeGroup() { s.printf("</g>\n") }

func (s *svg) box(r rect, radius float64, look Look) {
	s.printf(`<rect x="%s" y="%s" width="%s" height="%s" rx="%s" fill="%s" stroke="%s" stroke-width="%s"/>`,
		number(r.x), number(r.y), number(r.w), number(r.h), number(radius), hex(look.Fill), hex(look.Border),
		number(look.Width))
}

func (s *svg) path(r *route, width float64, c color.RGBA) {
	s.printf(`<path d="M%s %s`, number(r.start.x), number(r.start.y))
	for _, x := range r.steps {
		command := "L"
		if len(x) == 3 {
			command = "C"
		}
		for _, p := range x {
			s.printf("%s%s %s", command, number(p.x), number(p.y))
			command = " "
		}
	}
	s.printf(`" fill="none" stroke="%s" stroke-width="%s"/>`, hex(c), number(width))
}

func (s *svg) arrow(points [3]point, c color.RGBA) {
	s.printf(`<path d="M%s %sL%s %sL%s %sZ" fill="%s"/>`, number(points[0].x), number(points[0].y), number(points[1].x),
		number(points[1].y), number(points[2].x), number(points[2].y), hex(c))
}

func (s *svg) text(l label) {
	s.printf(`<text x="%s" y="%s" font-size="%s" fill="%s"`, number(l.at.x), number(l.at.y), number(l.size),
		hex(l.color))
	switch l.align {
	case centred:
		s.printf(` text-anchor="middle"`)
	case toLeft:
		s.printf(` text-anchor="end"`)
	}
	if l.style&boldLetters != 0 {
		s.printf(` font-weight="bold"`)
	}
	if l.style&haloLetters != 0 { // for legibility on any background
		s.printf(` paint-order="stroke" stroke="#ffffff" stroke-opacity="0.85" stroke-width="2.5" ` +
			`stroke-linejoin="round"`)
	}
	s.printf(">%s</text>", escape(l.text))
}
