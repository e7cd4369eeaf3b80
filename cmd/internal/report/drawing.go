package report

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"xopt/cmd/internal/report/graph"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// maxDescribed is the maximum number of resources in the text of a drawing.
const maxDescribed = 12

// busyColours returns the fill colors by utilization. They become darker with utilization, so that they also differ in
// gray prints.
func busyColours() []busyColour {
	return []busyColour{
		{0.5, "up to 50 % busy", color.RGBA{0xcf, 0xe2, 0xf0, 0xff}},
		{0.75, "up to 75 %", color.RGBA{0xfd, 0xe9, 0xb8, 0xff}},
		{0.9, "up to 90 %", color.RGBA{0xf9, 0xbf, 0x7a, 0xff}},
		{math.Inf(1), "more than 90 %", color.RGBA{0xf2, 0xa0, 0x97, 0xff}},
	}
}

// busyColour is the fill color for utilizations up to a limit.
type busyColour struct {
	max   float64
	words string
	fill  color.RGBA
}

// heat returns the fill color of a utilization.
func heat(u float64) color.RGBA {
	list := busyColours()
	for _, x := range list {
		if u <= x.max {
			return x.fill
		}
	}
	return list[0].fill // unknown
}

// limitColour returns the border and edge color of the bottleneck. frameColour returns the fill color of boxes that
// show no utilization.
func limitColour() color.RGBA { return color.RGBA{0xc6, 0x28, 0x28, 0xff} }
func frameColour() color.RGBA { return color.RGBA{0xfa, 0xfb, 0xfc, 0xff} }

// edgeColour returns the color of unmarked edges.
func edgeColour() color.RGBA { return color.RGBA{0x55, 0x61, 0x6d, 0xff} }

func pathColour() color.RGBA { return color.RGBA{0x15, 0x65, 0xc0, 0xff} }

// limitWidth is the border width of the bottleneck in pixels.
const limitWidth = 3

// look returns the style of a box. The bottleneck has a wide red border.
func look(fill color.RGBA, limits bool) graph.Look {
	if limits {
		return graph.Look{Fill: fill, Border: limitColour(), Width: limitWidth}
	}
	return graph.Look{Fill: fill, Border: color.RGBA{0x5b, 0x64, 0x70, 0xff}, Width: 1}
}

// filled returns the style of a shape that its utilization fills from the left. An unknown utilization fills the
// complete shape.
func filled(busy float64, limits bool) graph.Look {
	x := look(heat(busy), limits)
	if !math.IsNaN(busy) {
		x.Part, x.Ground = min(1, max(busy, minFilled)), frameColour()
	}
	return x
}

// edgeWidth returns the width of an edge with this flow, relative to the largest flow.
func edgeWidth(flow, maximum float64) float64 {
	const minimum, more = 0.6, 4.4
	if !(maximum > 0 && flow > 0) {
		return minimum
	}
	return minimum + more*math.Min(1, flow/maximum)
}

// busyWords describes a utilization as a fraction of the time.
func busyWords(u float64) string {
	const few = 1e-3
	switch {
	case math.IsNaN(u):
		return "utilization unknown"
	case u > 0 && u < few:
		return "under 0.1 % busy"
	case u < 1 && u >= 0.9995: // avoid "100 %" for less than all of the time
		return units.Percent(u) + " busy"
	}
	return fmt.Sprintf("%.3g %% busy", 100*math.Min(1, u))
}

// shortName returns a kernel's name without the name of the application.
func shortName(r *result.Result, s string) string {
	return strings.TrimPrefix(s, r.Application+".")
}

// limits contains the names of the members of a candidate's first bottleneck, and their resources.
type limits struct {
	names map[string]bool
	edges map[string]bool // edges of limiting cycles
}

func limitsOf(c *result.Candidate) limits {
	l := limits{make(map[string]bool), make(map[string]bool)}
	add := func(name string) {
		l.names[name] = true
		if at := strings.LastIndex(name, " on "); at >= 0 {
			l.names[name[at+len(" on "):]] = true
		}
	}
	if len(c.Bottlenecks) > 0 {
		for _, x := range c.Bottlenecks[0].Limits {
			add(x.Name)
			for _, m := range x.Members {
				add(m)
			}
			if x.Cycle != nil {
				for _, e := range x.Cycle.Edges {
					l.edges[e] = true
				}
			}
		}
	}
	return l
}

// onResource reports whether a resource or one of its kernels is the bottleneck.
func (l *limits) onResource(resource string) bool { return l.names[resource] }

// mappingDrawings draws every candidate, the best candidate first.
func mappingDrawings(r *result.Result) *Drawing {
	d := &Drawing{ID: "mapping", Title: "Placement and load, predicted"}
	for i := range r.Candidates {
		c := &r.Candidates[i]
		d.Mappings = append(d.Mappings, DrawnMapping{Name: c.Name, Rate: units.Rate(float64(c.Throughput)),
			source: func() *placedMapping { return placedCandidate(r, c) }})
	}
	return d.ready()
}

func runDrawing(r *result.Result) *Drawing {
	d := &Drawing{ID: "mapping", Title: "Placement and load, measured"}
	if r.Measured.Simulated != "" {
		d.Title = "Placement and load, simulated in virtual time"
	}
	d.Mappings = []DrawnMapping{{Name: "the run", Rate: RunThroughput(r.Measured),
		source: func() *placedMapping { return placedRun(r) }}}
	return d.ready()
}

// Drawing is a picture of a mapping. It includes pictures of other mappings and levels of detail.
type Drawing struct {
	ID, Title string
	Text      string       // description for screen readers
	Graph     *graph.Graph // the picture shown first
	Detail    Detail       // level of detail of Graph
	Mappings  []DrawnMapping
}

// DrawnMapping is a mapping with a drawing.
type DrawnMapping struct {
	Name, Rate string
	source     func() *placedMapping
}

// ready selects the first picture to show.
func (d *Drawing) ready() *Drawing {
	m := d.Mappings[0].source()
	d.Detail = m.usual()
	d.Graph = m.graph(d.Detail)
	d.Text = m.text()
	return d
}

// Layout returns the layout of the first picture, with its legend.
func (d *Drawing) Layout() *graph.Layout {
	g := *d.Graph
	g.Label, g.Text, g.Key = d.Title, d.Text, d.Key()
	return g.Layout()
}

// Key returns the legend of the colors.
func (d *Drawing) Key() []graph.Entry {
	if len(d.Mappings) > 0 {
		if m := d.Mappings[0].source(); m.unplaced {
			return m.unplacedKey()
		}
	}
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
	if m.hasMoved() {
		key = append(key, graph.Entry{Text: "moved", Look: movedLook(frameLook())})
	}
	key = append(key, graph.Entry{Text: "fill: utilization", Look: filled(0.4, false)})
	return append(key, graph.Entry{Text: "edge width: data rate", IsEdge: true,
		Look: graph.Look{Border: edgeColour(), Width: 2}})
}

// Picture is one mapping at one level of detail.
type Picture struct {
	Mapping int // number of the mapping
	Detail  Detail
	Graph   *graph.Graph
}

// maxDrawn is the maximum number of boxes at one level of detail in the drawings of all mappings, so that the page
// stays small. The coarsest level has no limit.
const maxDrawn = 20_000

// Pictures draws mapping i at its levels of detail, coarsest first. It draws the first mapping at every level, but
// omits levels of other mappings with too many boxes.
func (d *Drawing) Pictures(i int) []Picture {
	m := d.Mappings[i].source()
	var list []Picture
	for at, detail := range m.details() {
		if i > 0 && at > 0 && m.count(detail)*len(d.Mappings) > maxDrawn {
			break
		}
		g := m.graph(detail)
		g.Label, g.Text = d.Title+", mapping "+d.Mappings[i].Name, m.text()
		list = append(list, Picture{i, detail, g})
	}
	return list
}

// drawEdge draws all edges with the same ends as one edge.
func (s *sketched) drawEdge(list []*placedEdge, rate float64, labelled bool) graph.Edge {
	var x graph.Edge
	initial, limits, critical := 0, false, false
	for _, e := range list {
		initial += e.initial
		limits, critical = limits || e.limits, critical || s.m.path[e.name]
	}
	words := units.Rate(rate)
	if s.m.unplaced {
		words = list[0].words
	}
	if len(list) == 1 {
		e := list[0]
		x.Name = e.name
		x.Title = fmt.Sprintf("edge %s from %s to %s: %s", e.name, s.short(e.from), s.short(e.to), words)
	} else {
		x.Title = fmt.Sprintf("%d edges: %s", len(list), words)
	}
	if via := list[0].via; len(via) > 0 {
		x.Title += " over " + strings.Join(via, ", ")
	}
	if initial > 0 {
		stored := units.Counted(initial, "initial element", "initial elements")
		x.Title += ", with " + stored
		words += fmt.Sprintf(", %d initial", initial)
		if a := s.m.where[list[0].from]; list[0].from == list[0].to {
			at := &s.g.Nodes[s.node[a]]
			at.Lines = append(at.Lines, fmt.Sprintf("%d initial", initial))
		}
	}
	if labelled {
		x.Label = words
	}
	switch {
	case limits:
		x.Color = limitColour()
		x.Title += "; on the cycle that is the bottleneck"
	case critical:
		x.Color = pathColour()
		x.Title += "; on the " + s.m.pathWords
	}
	return x
}

func (s *sketched) short(kernel string) string { return s.m.kernels[s.m.where[kernel]].short }

// text describes a drawing for screen readers.
func (m *placedMapping) text() string {
	if m.unplaced {
		return count(len(m.kernels), "kernel") + ", " + count(len(m.edges), "edge") + "."
	}
	used := make(map[string]int)
	var order []string
	for i := range m.kernels {
		k := &m.kernels[i]
		if used[k.on] == 0 {
			order = append(order, k.on)
		}
		used[k.on]++
	}
	var parts []string
	shown := units.Shown(len(order), maxDescribed)
	for _, on := range order[:shown] {
		for _, r := range m.resources {
			if r.name == on {
				parts = append(parts, fmt.Sprintf("%s runs %s, %s", on, units.Counted(used[on], "kernel", "kernels"),
					busyWords(r.busy)))
			}
		}
	}
	if more := len(order) - shown; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more resources are in use", more))
	}
	for _, l := range m.links {
		parts = append(parts, fmt.Sprintf("link %s carries %s, %s", l.name, units.Rate(l.rate), busyWords(l.busy)))
	}
	text := fmt.Sprintf("%s on %s, %s.", units.Counted(len(m.kernels), "kernel", "kernels"),
		units.Counted(len(order), "resource", "resources"), m.rate)
	if len(m.limit) > 0 {
		text += " Bottleneck: " + strings.Join(m.limit, ", ") + "."
	}
	return text + " " + strings.Join(parts, "; ") + "."
}
