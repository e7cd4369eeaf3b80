package view

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"xopt/internal/report"
	"xopt/internal/units"
)

// quote is a string of Graphviz.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ", "\r", " ").Replace(s) + `"`
}

// lines are a label of several lines.
func lines(list ...string) string {
	for i, s := range list {
		list[i] = strings.TrimSuffix(strings.TrimPrefix(quote(s), `"`), `"`)
	}
	return `"` + strings.Join(list, `\n`) + `"`
}

// heat is a colour for a utilization: pale where there is room, orange where there is little.
func heat(u float64) string {
	u = math.Min(1, math.Max(0, u))
	return fmt.Sprintf("%.3f %.3f %.3f", 0.36-0.28*u, 0.10+0.45*u, 0.97)
}

// drawingText is a mapping in the language of Graphviz.
type drawingText struct {
	strings.Builder
}

func (d *drawingText) printf(format string, args ...any) {
	fmt.Fprintf(&d.Builder, format+"\n", args...)
}

func (d *drawingText) begin() {
	d.printf(`digraph mapping {
  rankdir=LR; bgcolor="transparent"; compound=true; nodesep=0.18; ranksep=0.55; fontname="Helvetica"; fontsize=12;
  node [shape=box, style="filled,rounded", fontname="Helvetica", fontsize=11, margin="0.10,0.05", color="#5b6470", fillcolor="#eef2f6"];
  edge [fontname="Helvetica", fontsize=9, color="#7a8794", fontcolor="#4a5560", arrowsize=0.6];`)
}

// shortName is a kernel's name without that of the application.
func shortName(r *report.Result, s string) string {
	return strings.TrimPrefix(s, r.Application+".")
}

// drawnEdges is from how many edges on their names are left out.
const drawnEdges = 40

// frame is the colour and width of the border of what limits, or does not.
func frame(limits bool) (color string, width float64) {
	if limits {
		return "#c62828", 2.5
	}
	return "#5b6470", 1
}

// drawnKernels is up to how many kernels each is drawn; of more, only resources are.
const drawnKernels = 40

// drawResources draws resources with the names of some of their kernels, and what goes from
// one to another, all edges together.
func drawResources(r *report.Result, c *report.Candidate, isLimit func(string) bool) string {
	const named, line = 6, 3
	var d drawingText
	d.begin()
	inside, at := make(map[string][]string), make(map[string]string)
	for _, p := range c.Place {
		inside[p.Resource] = append(inside[p.Resource], shortName(r, p.Kernel))
		at[p.Kernel] = p.Resource
	}
	for _, share := range c.Resources {
		kernels := inside[share.Name]
		if len(kernels) == 0 {
			continue
		}
		label := []string{fmt.Sprintf("%s   %s", share.Name, units.Percent(float64(share.Utilization)))}
		for some := range slices.Chunk(kernels[:min(len(kernels), named)], line) {
			label = append(label, strings.Join(some, ", "))
		}
		if more := len(kernels) - named; more > 0 {
			label = append(label, fmt.Sprintf("and %d more", more))
		}
		border, width := frame(isLimit(share.Name))
		d.printf(`  %s [label=%s, fillcolor=%s, color=%s, penwidth=%g];`, quote(share.Name), lines(label...), quote(heat(float64(share.Utilization))), quote(border), width)
	}
	flow := make(map[string]float64)
	for i := range c.Queues {
		flow[c.Queues[i].Edge] = float64(c.Queues[i].Flow)
	}
	type pair struct{ from, to string }
	sum, number := make(map[pair]float64), make(map[pair]int)
	var order []pair
	most := 0.0
	for _, e := range r.Edges {
		p := pair{at[e.From], at[e.To]}
		if p.from == p.to || p.from == "" || p.to == "" {
			continue
		}
		if number[p] == 0 {
			order = append(order, p)
		}
		sum[p] += flow[e.Name]
		number[p]++
		most = math.Max(most, sum[p])
	}
	for _, p := range order {
		width := 0.6
		if most > 0 {
			width += 4.4 * sum[p] / most
		}
		d.printf(`  %s -> %s [penwidth=%.2f, tooltip=%s];`, quote(p.from), quote(p.to), width, quote(fmt.Sprintf("%s on %d edges", units.Rate(sum[p]), number[p])))
	}
	d.printf("}")
	return d.String()
}

// draw draws a candidate: the application laid over the architecture.
func draw(r *report.Result, c *report.Candidate) string {
	var d drawingText
	d.begin()
	limiting := make(map[string]bool)
	if len(c.Bottlenecks) > 0 {
		for _, l := range c.Bottlenecks[0].Limits {
			limiting[l.Name] = true
			for _, m := range l.Members {
				limiting[m] = true
			}
		}
	}
	isLimit := func(resource string) bool {
		for l := range limiting {
			if l == resource || strings.HasSuffix(l, " on "+resource) {
				return true
			}
		}
		return false
	}
	if len(c.Place) > drawnKernels {
		return drawResources(r, c, isLimit)
	}
	load := make(map[string]*report.Station)
	flow := make(map[string]float64)
	for i := range c.Stations {
		if s := &c.Stations[i]; !s.IsLink {
			load[s.Name] = s
		}
	}
	most := 0.0
	for i := range c.Queues {
		q := &c.Queues[i]
		flow[q.Edge] = float64(q.Flow)
		most = math.Max(most, float64(q.Flow))
	}
	for i, share := range c.Resources {
		var inside []string
		for _, p := range c.Place {
			if p.Resource == share.Name {
				inside = append(inside, p.Kernel)
			}
		}
		if len(inside) == 0 {
			continue
		}
		border, width := frame(isLimit(share.Name))
		d.printf(`  subgraph cluster_%d { label=%s; labeljust=l; style="rounded,filled"; fillcolor=%s; color=%s; penwidth=%g;`,
			i, quote(fmt.Sprintf("%s   %s", share.Name, units.Percent(float64(share.Utilization)))), quote(heat(float64(share.Utilization))), quote(border), width)
		for _, k := range inside {
			label := []string{shortName(r, k)}
			if s := load[k]; s != nil {
				label = append(label, units.Rate(float64(s.ArrivalRate)))
			}
			color, pen := frame(limiting[k] && isLimit(share.Name))
			d.printf(`    %s [label=%s, fillcolor="#ffffff", color=%s, penwidth=%g];`, quote(k), lines(label...), quote(color), pen)
		}
		d.printf("  }")
	}
	routes := make(map[string][]string)
	for _, x := range c.Routes {
		routes[x.Edge] = x.Links
	}
	for _, l := range c.Links {
		if l.Members == 0 || linktype(r, l.Name) == "memory" && !limiting[l.Name] {
			continue // memory that all cores share would only stand beside them
		}
		color, width := frame(limiting[l.Name])
		d.printf(`  %s [label=%s, shape=cds, style=filled, fillcolor=%s, color=%s, penwidth=%g];`, quote("link "+l.Name), quote(fmt.Sprintf("%s %s", l.Name, units.Percent(float64(l.Utilization)))), quote(heat(float64(l.Utilization))), quote(color), width)
	}
	for _, e := range r.Edges {
		width := 0.6
		if most > 0 {
			width += 4.4 * flow[e.Name] / most
		}
		label := ""
		if len(r.Edges) <= drawnEdges {
			label = units.Rate(flow[e.Name])
		}
		via := routes[e.Name]
		// Memory that all cores share would tie every edge to one point.
		via = slices.DeleteFunc(slices.Clone(via), func(l string) bool { return linktype(r, l) == "memory" })
		at := e.From
		for _, l := range via {
			d.printf(`  %s -> %s [penwidth=%.2f, arrowhead=none, tooltip=%s];`, quote(at), quote("link "+l), width, quote(e.Name))
			at = "link " + l
		}
		d.printf(`  %s -> %s [penwidth=%.2f, label=%s, tooltip=%s];`, quote(at), quote(e.To), width, quote(label), quote(e.Name))
	}
	d.printf("}")
	return d.String()
}

func linktype(r *report.Result, link string) string {
	for i := range r.Links {
		if r.Links[i].Name == link {
			return r.Links[i].Linktype
		}
	}
	return ""
}

// drawMeasured draws what ran.
func drawMeasured(r *report.Result) string {
	m := r.Measured
	var d drawingText
	d.begin()
	load, rate := make(map[string]float64), make(map[string]float64)
	most := 0.0
	for _, k := range m.Kernels {
		load[k.Kernel] = float64(k.Utilization)
	}
	for _, e := range m.Edges {
		rate[e.Edge] = float64(e.Rate)
		most = math.Max(most, float64(e.Rate))
	}
	for i, res := range r.Architecture {
		var inside []string
		for _, p := range m.Place {
			if p.Resource == res.Name {
				inside = append(inside, p.Kernel)
			}
		}
		if len(inside) == 0 {
			continue
		}
		d.printf(`  subgraph cluster_%d { label=%s; labeljust=l; style="rounded,filled"; fillcolor="#f3f5f7"; color="#5b6470";`, i, quote(res.Name))
		for _, k := range inside {
			d.printf(`    %s [label=%s, fillcolor=%s];`, quote(k), lines(shortName(r, k), units.Percent(load[k])), quote(heat(load[k])))
		}
		d.printf("  }")
	}
	for _, e := range r.Edges {
		width, label := 0.6, ""
		if most > 0 {
			width += 4.4 * rate[e.Name] / most
		}
		if len(r.Edges) <= drawnEdges {
			label = units.Rate(rate[e.Name])
		}
		d.printf(`  %s -> %s [penwidth=%.2f, label=%s, tooltip=%s];`, quote(e.From), quote(e.To), width, quote(label), quote(e.Name))
	}
	d.printf("}")
	return d.String()
}
