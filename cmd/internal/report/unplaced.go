package report

import (
	"fmt"
	"math"
	"strings"

	"xopt/cmd/internal/report/graph"
	"xopt/flow/design"
	"xopt/internal/units"
)

// GraphOf draws the graph of an application without a mapping. A wide red border marks kernels with missing figures.
func GraphOf(d *design.Design) *Drawing {
	x := &Drawing{ID: "graph", Title: "The application: kernels with their blocks, edges with their elements",
		Mappings: []DrawnMapping{{source: func() *placedMapping { return unplaced(d) }}}}
	return x.ready()
}

// unplaced returns the kernels and edges of an application, with words instead of utilizations.
func unplaced(d *design.Design) *placedMapping {
	m := &placedMapping{unplaced: true, path: make(map[string]bool), where: make(map[string]int)}
	missing := make(map[string]bool)
	for i := range d.Missing {
		missing[d.Missing[i].Kernel] = true
	}
	for i := range d.Program.Kernels {
		k := &d.Program.Kernels[i]
		m.where[k.Name] = i
		m.kernels = append(m.kernels, placedKernel{name: k.Name, short: strings.TrimPrefix(k.Name, d.Program.Top+"."),
			words: k.Block, busy: math.NaN(), limits: missing[k.Name]})
	}
	for _, e := range d.Problem.Application.Edges {
		words := units.Size(float64(e.ElementBytes))
		if e.Routing > 0 && e.Routing < 1 {
			words = units.Percent(e.Routing) + ", " + words
		}
		m.edges = append(m.edges, placedEdge{name: e.Name, from: m.kernels[e.From].name, to: m.kernels[e.To].name,
			words: words, initial: e.Initial})
	}
	return m
}

// drawUnplaced draws one or more kernels of an application without a mapping.
func (s *sketched) drawUnplaced(name string, inside []int) graph.Node {
	limits := false
	for _, i := range inside {
		limits = limits || s.m.kernels[i].limits
	}
	x := graph.Node{Name: name, Group: -1, Look: look(frameColour(), limits)}
	if k := &s.m.kernels[inside[0]]; len(inside) == 1 {
		x.Name, x.Lines = k.name, []string{k.short, k.words}
		x.Title = fmt.Sprintf("kernel %s of block %s", k.short, k.words)
	} else {
		x.Lines = []string{name, units.Counted(len(inside), "kernel", "kernels")}
		x.Parts, x.Title = s.parts(inside), name+": "+s.someNames(inside)
	}
	if limits {
		x.Title += "; " + figuresMissing
	}
	return x
}

const figuresMissing = "figures are missing"

// unplacedKey returns the legend for an application without a mapping; nil if no figures are missing.
func (m *placedMapping) unplacedKey() []graph.Entry {
	for i := range m.kernels {
		if m.kernels[i].limits {
			return []graph.Entry{{Text: figuresMissing, Look: look(frameColour(), true)}}
		}
	}
	return nil
}
