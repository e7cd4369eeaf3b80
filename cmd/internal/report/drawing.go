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

// busyColours are the grounds of what is busy up to a part of its time; from one to the next it
// gets darker, so that they differ in print too.
func busyColours() []busyColour {
	return []busyColour{
		{0.5, "up to 50 % busy", color.RGBA{0xee, 0xf4, 0xf8, 0xff}},
		{0.75, "up to 75 %", color.RGBA{0xfd, 0xe9, 0xb8, 0xff}},
		{0.9, "up to 90 %", color.RGBA{0xf9, 0xbf, 0x7a, 0xff}},
		{math.Inf(1), "more than 90 %", color.RGBA{0xf2, 0xa0, 0x97, 0xff}},
	}
}

// busyColour is the colour of what is at the most so busy.
type busyColour struct {
	most  float64
	words string
	fill  color.RGBA
}

// heat is the colour for a utilization.
func heat(u float64) color.RGBA {
	list := busyColours()
	for _, x := range list {
		if u <= x.most {
			return x.fill
		}
	}
	return list[0].fill // it is not known
}

// The colours of borders and edges.
func limitColour() color.RGBA { return color.RGBA{0xc6, 0x28, 0x28, 0xff} }
func frameColour() color.RGBA { return color.RGBA{0xfa, 0xfb, 0xfc, 0xff} }

// edgeColour is that of edges which are not marked.
func edgeColour() color.RGBA { return color.RGBA{0x55, 0x61, 0x6d, 0xff} }

func pathColour() color.RGBA { return color.RGBA{0x15, 0x65, 0xc0, 0xff} }

// limitWidth is how wide the border of what limits is.
const limitWidth = 3

// look is how a box is drawn: that of what limits has a wide red border.
func look(fill color.RGBA, limits bool) graph.Look {
	if limits {
		return graph.Look{Fill: fill, Border: limitColour(), Width: limitWidth}
	}
	return graph.Look{Fill: fill, Border: color.RGBA{0x5b, 0x64, 0x70, 0xff}, Width: 1}
}

// edgeWidth is how wide an edge is drawn that carries some of the most that any does.
func edgeWidth(flow, most float64) float64 {
	const least, more = 0.6, 4.4
	if !(most > 0 && flow > 0) {
		return least
	}
	return least + more*math.Min(1, flow/most)
}

// busyWords words a part of the time.
func busyWords(u float64) string {
	const few = 1e-3
	switch {
	case math.IsNaN(u):
		return "use not known"
	case u > 0 && u < few:
		return "under 0.1 % busy"
	case u < 1 && u >= 0.9995: // it is not all of the time
		return units.Percent(u) + " busy"
	}
	return fmt.Sprintf("%.3g %% busy", 100*math.Min(1, u))
}

// shortName is a kernel's name without that of the application.
func shortName(r *result.Result, s string) string {
	return strings.TrimPrefix(s, r.Application+".")
}

// limits is what limits a candidate first, by name, and the resources that it is on.
type limits struct {
	names map[string]bool
	edges map[string]bool // of cycles that limit
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

// onResource reports whether what limits is a resource, or runs on it.
func (l *limits) onResource(resource string) bool { return l.names[resource] }

// mappingDrawings draws every candidate, the best one first.
func mappingDrawings(r *result.Result) *Drawing {
	d := &Drawing{ID: "mapping", Title: "What runs where, predicted"}
	for i := range r.Candidates {
		c := &r.Candidates[i]
		d.Mappings = append(d.Mappings, DrawnMapping{Name: c.Name, Rate: units.Rate(float64(c.Throughput)),
			source: func() *laid { return laidCandidate(r, c) }})
	}
	return d.ready()
}

// runDrawing draws what ran.
func runDrawing(r *result.Result) *Drawing {
	d := &Drawing{ID: "mapping", Title: "What ran where, measured"}
	if r.Measured.Simulated != "" {
		d.Title = "What ran where, simulated in virtual time"
	}
	d.Mappings = []DrawnMapping{{Name: "the run", Rate: RunThroughput(r.Measured),
		source: func() *laid { return laidRun(r) }}}
	return d.ready()
}
