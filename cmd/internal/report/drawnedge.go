package report

import (
	"fmt"
	"strings"

	"xopt/cmd/internal/report/graph"
	"xopt/internal/units"
)

// drawEdge draws edges that join the same nodes as one.
func (s *sketched) drawEdge(list []*laidEdge, rate float64, labelled bool) graph.Edge {
	var x graph.Edge
	initial, limits, critical := 0, false, false
	for _, e := range list {
		initial += e.initial
		limits, critical = limits || e.limits, critical || s.m.path[e.name]
	}
	words := units.Rate(rate)
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
		held := units.Counted(initial, "element", "elements")
		x.Title += ", and holds " + held + " at the start"
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

// text tells what a drawing shows to those who cannot see it.
func (m *laid) text() string {
	used := make(map[string]int)
	var order []string
	for i := range m.kernels {
		k := &m.kernels[i]
		if used[k.on] == 0 {
			order = append(order, k.on)
		}
		used[k.on]++
	}
	const most = 12
	var parts []string
	for _, on := range order[:min(len(order), most)] {
		for _, r := range m.resources {
			if r.name == on {
				parts = append(parts, fmt.Sprintf("%s holds %s, %s", on, units.Counted(used[on], "kernel", "kernels"),
					busyWords(r.busy)))
			}
		}
	}
	if more := len(order) - most; more > 0 {
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
