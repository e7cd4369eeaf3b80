package report

import (
	"xopt/cmd/internal/report/graph"
)

// Drawing is a picture of a mapping, with those of other mappings and at other details.
type Drawing struct {
	ID, Title string
	Text      string       // the same in a sentence, for those who cannot see it
	Graph     *graph.Graph // what is shown first
	Detail    Detail       // of it
	Mappings  []DrawnMapping
}

// DrawnMapping is a mapping that can be drawn.
type DrawnMapping struct {
	Name, Rate string
	source     func() *laid
}

// ready chooses what is shown first.
func (d *Drawing) ready() *Drawing {
	m := d.Mappings[0].source()
	d.Detail = m.usual()
	d.Graph = m.graph(d.Detail)
	d.Text = m.text()
	return d
}

// Layout lays the picture out that is shown first, with its key.
func (d *Drawing) Layout() *graph.Layout {
	g := *d.Graph
	g.Label, g.Text, g.Key = d.Title, d.Text, d.Key()
	return g.Layout()
}

// Key says what the colours mean.
func (d *Drawing) Key() []graph.Entry {
	var key []graph.Entry
	for _, x := range busyColours() {
		key = append(key, graph.Entry{Text: x.words, Look: look(x.fill, false)})
	}
	key = append(key, graph.Entry{Text: "bottleneck", Look: look(heat(1), true)})
	if len(d.Mappings) == 0 {
		return key
	}
	m := d.Mappings[0].source()
	if len(m.path) > 0 {
		key = append(key, graph.Entry{Text: m.pathWords, IsEdge: true, Look: graph.Look{Border: pathColour(),
			Width: 2}})
	}
	if len(m.links) > 0 {
		key = append(key, graph.Entry{Text: "bar: link utilization", Look: look(heat(0), false)})
	}
	return append(key, graph.Entry{Text: "edge: the wider, the more it carries", IsEdge: true,
		Look: graph.Look{Border: edgeColour(), Width: 2}})
}

// Picture is one mapping at one detail.
type Picture struct {
	Mapping int // number of the mapping
	Detail  Detail
	Graph   *graph.Graph
}

// mostDrawn is how many boxes, over all mappings, are drawn at details that are finer than need be.
const mostDrawn = 20_000

// Pictures draws a mapping: the first at every detail, the others at all but those which are too much
// work where there are many.
func (d *Drawing) Pictures(i int) []Picture {
	m := d.Mappings[i].source()
	var list []Picture
	for at, detail := range m.details() {
		if i > 0 && at > 0 && m.count(detail)*len(d.Mappings) > mostDrawn {
			break
		}
		g := m.graph(detail)
		g.Label, g.Text = d.Title+", mapping "+d.Mappings[i].Name, m.text()
		list = append(list, Picture{i, detail, g})
	}
	return list
}
