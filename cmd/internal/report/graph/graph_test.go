package graph

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var (
	white = color.RGBA{0xff, 0xff, 0xff, 0xff}
	red   = color.RGBA{0xc6, 0x28, 0x28, 0xff}
	green = color.RGBA{0x20, 0xa0, 0x20, 0xff}
	pale  = color.RGBA{0xee, 0xf2, 0xf6, 0xff}
)

// drawn returns a random graph, with cycles, loops, parallel edges, links, and nodes without a group.
func drawn(t *rapid.T) *Graph {
	g := &Graph{Label: "a graph"}
	for range rapid.IntRange(0, 2).Draw(t, "frames") {
		g.Frames = append(g.Frames, Frame{Label: "a device", Look: Look{Fill: white, Border: green, Width: 1}})
	}
	for range rapid.IntRange(0, 2).Draw(t, "entries") {
		g.Key = append(g.Key, Entry{Text: "busy", IsEdge: rapid.Bool().Draw(t, "edge"), Look: Look{Border: red,
			Width: 1}})
	}
	for range rapid.IntRange(0, 5).Draw(t, "groups") {
		g.Groups = append(g.Groups, Group{Frame: rapid.IntRange(0, len(g.Frames)).Draw(t, "frame"),
			Label: strings.Repeat("g", rapid.IntRange(0, 40).Draw(t, "name")),
			Look:  Look{Fill: pale, Border: red, Width: 2}})
	}
	for range rapid.IntRange(0, 3).Draw(t, "links") {
		g.Links = append(g.Links, Link{Label: "a link", Look: Look{Fill: pale, Border: green, Width: 1}})
	}
	n := rapid.IntRange(1, 25).Draw(t, "nodes")
	for range n {
		lines := make([]string, rapid.IntRange(0, 3).Draw(t, "lines"))
		for i := range lines {
			lines[i] = strings.Repeat("x", rapid.IntRange(0, 40).Draw(t, "length"))
		}
		g.Nodes = append(g.Nodes, Node{Lines: lines, Group: rapid.IntRange(-1, len(g.Groups)-1).Draw(t, "group"),
			Look: Look{Fill: white, Border: green, Width: 2}})
	}
	for range rapid.IntRange(0, 40).Draw(t, "edges") {
		e := Edge{From: rapid.IntRange(0, n-1).Draw(t, "from"), To: rapid.IntRange(0, n-1).Draw(t, "to"),
			Width: rapid.Float64Range(0.6, 5).Draw(t, "width")}
		if rapid.Bool().Draw(t, "labelled") {
			e.Label = "12.5 MB/s"
		}
		if len(g.Links) > 0 {
			e.Via = rapid.SliceOfNDistinct(rapid.IntRange(0, len(g.Links)-1), 0, 2, rapid.ID).Draw(t, "via")
		}
		g.Edges = append(g.Edges, e)
	}
	return g
}

func (r rect) overlaps(o rect) bool {
	const slack = 1e-6
	return r.h > 0 && o.h > 0 && r.x+slack < o.right() && o.x+slack < r.right() && r.y+slack < o.bottom() &&
		o.y+slack < r.bottom()
}

func (r rect) contains(o rect) bool {
	const slack = 1e-6
	return o.x >= r.x-slack && o.y >= r.y-slack && o.right() <= r.right()+slack && o.bottom() <= r.bottom()+slack
}

// TestLayout checks that nothing overlaps, that nodes are in their own boxes only, that everything is inside the
// drawing, and that the same graph gives the same drawing.
func TestLayout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawn(t)
		l := g.Layout()
		all := rect{0, 0, l.width, l.height}
		for i, n := range l.nodes {
			if !all.contains(n) {
				t.Errorf("node %d at %v is not on the drawing of %v", i, n, all)
			}
			for j, o := range l.nodes[:i] {
				if n.overlaps(o) {
					t.Errorf("nodes %d at %v and %d at %v overlap", i, n, j, o)
				}
			}
			for j, b := range l.groups {
				switch in := g.Nodes[i].Group == j; {
				case in && !b.contains(n):
					t.Errorf("node %d at %v is not in its box %v", i, n, b)
				case !in && b.overlaps(n):
					t.Errorf("node %d at %v is in the box %v of others", i, n, b)
				}
			}
			for j, b := range l.links {
				if b.overlaps(n) {
					t.Errorf("node %d at %v is on link %d at %v", i, n, j, b)
				}
			}
		}
		for i, a := range l.groups {
			if need := textWidth(shortName(g.Groups[i].Label), groupText); a.h > 0 && a.w < need {
				t.Errorf("box %d is %g wide, its name %g", i, a.w, need)
			}
			for j, b := range l.groups[:i] {
				if a.overlaps(b) {
					t.Errorf("boxes %d at %v and %d at %v overlap", i, a, j, b)
				}
			}
			for j, b := range l.links {
				if a.overlaps(b) {
					t.Errorf("box %d at %v is on link %d at %v", i, a, j, b)
				}
			}
		}
		for e := range l.edges {
			checkEdge(t, g, l, e)
		}
		checkFrames(t, g, l)
		if again := g.Layout(); !reflect.DeepEqual(again, l) {
			t.Error("laid out again, it is another drawing")
		}
		if svg := l.SVG(); strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("the drawing has no finite place for something:\n%s", svg)
		}
	})
}

// checkFrames checks that a frame contains only its boxes, and that the key is below everything.
func checkFrames(t *rapid.T, g *Graph, l *Layout) {
	all := rect{0, 0, l.width, l.height}
	for i, f := range l.frames {
		if !all.contains(f) {
			t.Errorf("frame %d at %v is not on the drawing of %v", i, f, all)
		}
		for j, b := range l.groups {
			switch in := g.Groups[j].Frame == i+1; {
			case in && b.h > 0 && !f.contains(b):
				t.Errorf("box %d at %v is not in its frame %v", j, b, f)
			case !in && f.overlaps(b):
				t.Errorf("box %d at %v is in the frame %v of others", j, b, f)
			}
		}
		for j, o := range l.frames[:i] {
			if f.overlaps(o) {
				t.Errorf("frames %d at %v and %d at %v overlap", i, f, j, o)
			}
		}
		for j, b := range l.links {
			if f.overlaps(b) {
				t.Errorf("link %d at %v is in frame %d at %v", j, b, i, f)
			}
		}
		for j, n := range l.nodes {
			if g.Nodes[j].Group < 0 && f.overlaps(n) {
				t.Errorf("node %d at %v is in frame %d at %v", j, n, i, f)
			}
		}
	}
	for i, k := range l.key {
		if !all.contains(k) {
			t.Errorf("entry %d of the key at %v is not on the drawing of %v", i, k, all)
		}
		for j, n := range l.nodes {
			if k.overlaps(n) {
				t.Errorf("entry %d of the key is on node %d", i, j)
			}
		}
	}
}

// checkEdge checks that an edge starts and ends at its nodes' borders, and crosses no node.
func checkEdge(t *rapid.T, g *Graph, l *Layout, e int) {
	const slack = 0.01
	r := &l.edges[e]
	x := &g.Edges[e]
	at := func(p point, n rect) bool {
		grown := rect{n.x - slack, n.y - slack, n.w + 2*slack, n.h + 2*slack}
		return grown.contains(rect{p.x, p.y, 0, 0})
	}
	if !at(r.start, l.nodes[x.From]) || !at(r.tip, l.nodes[x.To]) {
		t.Errorf("edge %d goes from %v to %v, its nodes are at %v and %v", e, r.start, r.tip, l.nodes[x.From],
			l.nodes[x.To])
	}
	if x.From == x.To && len(x.Via) == 0 {
		return
	}
	for i, s := range r.steps {
		if len(s) != 1 || i == 0 || i == len(r.steps)-1 {
			continue // curves are between columns; the first and last parts are next to a node
		}
		a := r.start
		if before := r.steps[i-1]; i > 0 {
			a = before[len(before)-1]
		}
		part := rect{min(a.x, s[0].x), min(a.y, s[0].y), math.Abs(a.x - s[0].x), math.Abs(a.y - s[0].y)}
		for n, o := range l.nodes {
			inner := rect{o.x + slack, o.y + slack, o.w - 2*slack, o.h - 2*slack}
			if part.x < inner.right() && inner.x < part.right() && part.y < inner.bottom() && inner.y < part.bottom() {
				t.Errorf("edge %d crosses node %d at %v with its part %v", e, n, o, part)
			}
		}
	}
}

// decoded returns the PNG of a layout, and its pixels per pixel of the drawing.
func decoded(t *testing.T, l *Layout) (image.Image, float64) {
	t.Helper()
	var b bytes.Buffer
	if err := l.PNG(&b); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	return img, float64(img.Bounds().Dx()) / l.Width()
}

func near(a, b color.Color) bool {
	const maximum = 0x1400
	r1, g1, b1, a1 := a.RGBA()
	r2, g2, b2, a2 := b.RGBA()
	for _, x := range [][2]uint32{{r1, r2}, {g1, g2}, {b1, b2}, {a1, a2}} {
		if max(x[0], x[1])-min(x[0], x[1]) > maximum {
			return false
		}
	}
	return true
}

// TestPNG compares pixels with the layout: borders, fills, edges and background.
func TestPNG(t *testing.T) {
	g := &Graph{
		Groups: []Group{{Label: "one", Look: Look{Fill: pale, Border: red, Width: 2}},
			{Label: "two", Look: Look{Fill: pale, Border: green, Width: 2}}},
		Links: []Link{{Label: "bus", Look: Look{Fill: green, Border: red, Width: 2, Part: 0.6, Ground: white}}},
		Nodes: []Node{
			{Lines: []string{"a"}, Group: 0, Look: Look{Fill: white, Border: red, Width: 2}}, {Lines: []string{"b"},
				Group: 0, Look: Look{Fill: white, Border: green, Width: 2}},
			{Lines: []string{"c"}, Group: 1, Look: Look{Fill: green, Border: red, Width: 2}}, {Lines: []string{"d"},
				Group: 1, Look: Look{Fill: white, Border: red, Width: 2}},
		},
		Edges: []Edge{{From: 0, To: 1, Width: 3}, {From: 1, To: 2, Width: 3, Via: []int{0}}, {From: 2, To: 3, Width: 3},
			{From: 0, To: 3, Width: 3}},
	}
	l := g.Layout()
	img, scale := decoded(t, l)
	if scale != pngScale {
		t.Errorf("%g pixels for one of the drawing, want %g", scale, pngScale)
	}
	pixel := func(x, y float64) color.Color { return img.At(int(x*scale), int(y*scale)) }
	checkBox := func(what string, r rect, look Look) {
		t.Helper()
		for _, p := range []point{{r.x + r.w/2, r.y}, {r.x + r.w/2, r.bottom()}, {r.x, r.y + 9}, {r.right(), r.y + 9}} {
			if c := pixel(p.x, p.y); !near(c, look.Border) {
				t.Errorf("the border of %s at %v is %v, want %v", what, p, c, look.Border)
			}
		}
		if c := pixel(r.x+4, r.bottom()-5); !near(c, look.Fill) {
			t.Errorf("within %s there is %v, want %v", what, c, look.Fill)
		}
	}
	for i := range l.groups {
		checkBox("box "+g.Groups[i].Label, l.groups[i], g.Groups[i].Look)
	}
	for i := range l.nodes {
		checkBox("node "+g.Nodes[i].Lines[0], l.nodes[i], g.Nodes[i].Look)
	}
	for i := range l.links {
		r := l.links[i]
		if c := pixel(r.x+r.w/2, r.y); !near(c, red) {
			t.Errorf("the border of the link is %v", c)
		}
		for part, want := range map[float64]color.RGBA{0.5: green, 0.58: green, 0.62: white, 0.9: white} {
			if c := pixel(r.x+part*r.w, r.bottom()-3); !near(c, want) {
				t.Errorf("at %g of the link's bar, of which 0.6 are filled, there is %v, want %v", part, c, want)
			}
		}
	}
	for e := range l.edges {
		start, tip, d := l.edges[e].start, l.edges[e].tip, l.edges[e].direction
		if c := pixel(start.x+4, start.y); !near(c, line()) {
			t.Errorf("edge %d is %v where it begins, want %v", e, c, line())
		}
		if c := pixel(tip.x-4*d.x, tip.y-4*d.y); !near(c, line()) {
			t.Errorf("the arrow of edge %d is %v, want %v", e, c, line())
		}
	}
	if c := img.At(1, 1); !near(c, white) {
		t.Errorf("the ground is %v, want white", c)
	}
	// Only lines and arrows have the edges' colour; polygons filled by mistake would have it too.
	n := 0
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if near(img.At(x, y), line()) {
				n++
			}
		}
	}
	if all := img.Bounds().Dx() * img.Bounds().Dy(); n == 0 || n > all/20 {
		t.Errorf("%d of %d pixels have the colour of edges", n, all)
	}
}

// TestSVG checks that names are text, every element has its title, and the drawing is one image with a name.
func TestSVG(t *testing.T) {
	const evil = "</title><script>alert(1)</script>\x1b[2J\u202e\xff&\"'"
	g := &Graph{Label: evil, Groups: []Group{{Label: evil, Title: evil}}, Links: []Link{{Label: evil, Title: evil}},
		Nodes: []Node{{Name: evil, Lines: []string{evil}, Title: evil}, {Group: -1}},
		Edges: []Edge{{To: 1, Via: []int{0}, Label: evil, Title: evil, Width: 1}}}
	svg := g.Layout().SVG()
	for _, want := range []string{`role="img"`, `aria-label="&lt;/title&gt;`, `<g class="node" data-name="&lt;/title`,
		"<title>&lt;/title&gt;"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in\n%s", want, svg)
		}
	}
	for _, bad := range []string{"<script", "\x1b", "\u202e", "\xff"} {
		if strings.Contains(svg, bad) {
			t.Errorf("%q in\n%s", bad, svg)
		}
	}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
	}
	// of the box and its name, the edge and its label, the link and the node
	if n := strings.Count(svg, "<title>"); n != 6 {
		t.Errorf("%d titles in\n%s", n, svg)
	}
	if (&Graph{}).Layout().SVG() == "" {
		t.Error("nothing is not a drawing")
	}
}

// large returns a graph of many kernels on some cores, with long and backward edges.
func large(nodes int) *Graph {
	g := &Graph{}
	const cores = 64
	for range cores {
		g.Groups = append(g.Groups, Group{Label: "core"})
	}
	for n := range nodes {
		g.Nodes = append(g.Nodes, Node{Lines: []string{"kernel"}, Group: n * 7 % cores})
		for _, d := range []int{1, 13, 200} {
			if n+d < nodes {
				g.Edges = append(g.Edges, Edge{From: n, To: n + d, Width: 1})
			}
		}
		if n%100 == 99 {
			g.Edges = append(g.Edges, Edge{From: n, To: n - 50, Width: 1})
		}
	}
	return g
}

// TestLarge checks that thousands of kernels can be drawn, with a PNG of limited size. Quadratic work would need
// minutes.
func TestLarge(t *testing.T) {
	l := large(5000).Layout()
	for i := range l.nodes {
		if n := l.nodes[i]; !(n.w > 0 && n.right() <= l.width && n.bottom() <= l.height) {
			t.Fatalf("node %d is at %v", i, n)
		}
	}
}

func BenchmarkLayout(b *testing.B) {
	for _, n := range []int{18, 1000, 10_000} {
		g := large(n)
		b.Run(number(float64(n)), func(b *testing.B) {
			for b.Loop() {
				g.Layout()
			}
		})
	}
}

// TestNamesOverEdges checks that the names of devices and boxes are drawn after the edges, with a halo.
func TestNamesOverEdges(t *testing.T) {
	look := Look{Fill: white, Border: green, Width: 1}
	g := &Graph{Label: "a graph", Frames: []Frame{{Label: "a device", Look: look}},
		Groups: []Group{{Frame: 1, Label: "a core", Look: look}},
		Nodes:  []Node{{Lines: []string{"a"}, Group: 0, Look: look}, {Lines: []string{"b"}, Group: 0, Look: look}},
		Edges:  []Edge{{From: 0, To: 1, Name: "e", Width: 1}}}
	svg := g.Layout().SVG()
	last := strings.LastIndex(svg, `fill="none"`)
	for _, name := range []string{"a device", "a core"} {
		at := strings.Index(svg, ">"+name+"</text>")
		if at < last || last < 0 {
			t.Errorf("%q is at %d, the last edge at %d", name, at, last)
			continue
		}
		if text := svg[strings.LastIndex(svg[:at], "<text"):at]; !strings.Contains(text, "paint-order") {
			t.Errorf("%q has no halo: %s", name, text)
		}
	}
}
