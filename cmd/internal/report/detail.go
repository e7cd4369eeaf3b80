package report

import (
	"fmt"
	"strings"

	"xopt/cmd/internal/report/graph"
	"xopt/internal/units"
)

// Detail is the level of detail of a drawing.
type Detail string

// Levels of detail, finest first. A node represents a kernel, the kernels of one composite block on one resource, a
// resource, or a device.
const (
	Kernels   Detail = "kernels"
	Blocks    Detail = "blocks"
	Resources Detail = "resources"
	Devices   Detail = "devices"
)

// legible is the maximum number of nodes in an easily readable drawing. legibleBlocks is the maximum for nodes that
// represent several kernels.
const (
	legible       = 40
	legibleBlocks = 60
)

// details returns the levels with different drawings, coarsest first.
func (m *placedMapping) details() []Detail {
	list := []Detail{Kernels}
	had := len(m.kernels)
	coarser := []Detail{Blocks, Resources, Devices}
	if m.unplaced {
		coarser = coarser[:1]
	}
	for _, d := range coarser {
		if n := m.count(d); n < had && n > 0 {
			list, had = append([]Detail{d}, list...), n
		}
	}
	return list
}

// usual returns the level shown first: the finest readable level.
func (m *placedMapping) usual() Detail {
	list := m.details()
	for i := len(list) - 1; i >= 0; i-- {
		maximum := legibleBlocks
		if list[i] == Kernels {
			maximum = legible
		}
		if m.count(list[i]) <= maximum {
			return list[i]
		}
	}
	return list[0]
}

// count returns the number of nodes at a level.
func (m *placedMapping) count(d Detail) int {
	seen := make(map[string]bool)
	name := m.names(d)
	for i := range m.kernels {
		seen[name(&m.kernels[i])] = true
	}
	return len(seen)
}

// names returns the function that maps a kernel to the name of its node.
func (m *placedMapping) names(d Detail) func(*placedKernel) string {
	switch d {
	case Devices:
		return func(k *placedKernel) string { return deviceOf(k.on) }
	case Resources:
		return func(k *placedKernel) string { return k.on }
	case Blocks:
		depth, merged := m.blockDepth()
		return func(k *placedKernel) string {
			return strings.TrimSuffix(blockOf(k.short, depth, merged)+" on "+k.on, " on ")
		}
	}
	return func(k *placedKernel) string { return k.name }
}

// blockOf returns the composite block of a kernel at the given depth, or the kernel itself if it is in no block of that
// depth. If merged is true, it removes indices, so that all members of an array form one block.
func blockOf(kernel string, depth int, merged bool) string {
	parts := strings.Split(kernel, ".")
	if len(parts) > depth {
		parts = parts[:depth]
	}
	if merged {
		for i, x := range parts {
			if at := strings.IndexByte(x, '['); at > 0 {
				parts[i] = x[:at] + "[...]"
			} else if stem := strings.TrimRight(x, "0123456789"); stem != x && stem != "" {
				parts[i] = stem + "..."
			}
		}
	}
	return strings.Join(parts, ".")
}

// blockDepth returns the deepest readable level of blocks. If no level is readable, it also merges arrays.
func (m *placedMapping) blockDepth() (depth int, merged bool) {
	deepest := 1
	for i := range m.kernels {
		deepest = max(deepest, strings.Count(m.kernels[i].short, "."))
	}
	for _, merged := range []bool{false, true} {
		for depth := deepest; depth >= 1; depth-- {
			seen := make(map[string]bool)
			for i := range m.kernels {
				k := &m.kernels[i]
				seen[blockOf(k.short, depth, merged)+" "+k.on] = true
			}
			if len(seen) <= legible && len(seen) < len(m.kernels) {
				return depth, merged
			}
		}
	}
	return 1, true
}

// minFilled is the smallest visible fill of a box or bar, as a fraction.
const minFilled = 0.004

// sketched is a drawing under construction.
type sketched struct {
	m      *placedMapping
	detail Detail
	g      *graph.Graph
	node   []int // index of the node of each kernel
	inside [][]int
}

// graph draws a mapping at a level of detail.
func (m *placedMapping) graph(d Detail) *graph.Graph {
	s := &sketched{m: m, detail: d, g: &graph.Graph{}, node: make([]int, len(m.kernels))}
	name, number := m.names(d), make(map[string]int)
	for i := range m.kernels {
		key := name(&m.kernels[i])
		n, ok := number[key]
		if !ok {
			n = len(s.inside)
			number[key] = n
			s.inside = append(s.inside, nil)
		}
		s.inside[n] = append(s.inside[n], i)
		s.node[i] = n
	}
	for n := range s.inside {
		x := s.drawNode(n, name(&m.kernels[s.inside[n][0]]))
		s.markMoved(&x, s.inside[n])
		s.g.Nodes = append(s.g.Nodes, x)
	}
	s.boxes()
	bars := make(map[string]int)
	for i := range m.links {
		l := &m.links[i]
		bars[l.name] = i
		label := l.name + "   " + units.Rate(l.rate) + ", " + busyWords(l.busy)
		title := "link " + label
		if l.limits {
			title += "; the bottleneck"
		}
		s.g.Links = append(s.g.Links, graph.Link{Name: l.name, Label: label, Title: title,
			Look: filled(l.busy, l.limits)})
	}
	s.edges(bars)
	return s.g
}

func (s *sketched) drawNode(n int, name string) graph.Node {
	inside := s.inside[n]
	k := &s.m.kernels[inside[0]]
	limits := false
	for _, i := range inside {
		limits = limits || s.m.kernels[i].limits
	}
	switch {
	case s.m.unplaced:
		return s.drawUnplaced(name, inside)
	case s.detail == Devices || s.detail == Resources:
		return s.drawPart(n, name)
	case len(inside) == 1:
		x := graph.Node{Name: k.name, Lines: []string{k.short, units.Rate(k.rate), busyWords(k.busy)}, Group: -1,
			Look: filled(k.busy, limits)}
		x.Title = fmt.Sprintf("kernel %s on %s %s %s, %s", k.short, k.on, s.m.verb, x.Lines[1], x.Lines[2])
		if limits {
			x.Title += "; at the bottleneck"
		}
		return x
	}
	busy := 0.0
	for _, i := range inside {
		busy = max(busy, s.m.kernels[i].busy)
	}
	label := strings.TrimSuffix(name, " on "+k.on)
	x := graph.Node{Name: name, Lines: []string{label, units.Counted(len(inside), "kernel", "kernels"),
		"busiest " + busyWords(busy)}, Group: -1, Look: filled(busy, limits), Parts: s.parts(inside)}
	x.Title = fmt.Sprintf("%s on %s: %s; the busiest kernel is %s", label, k.on, s.someNames(inside), busyWords(busy))
	return x
}

func (s *sketched) parts(inside []int) []string {
	var list []string
	for _, i := range inside {
		list = append(list, s.m.kernels[i].name)
	}
	return list
}

// someNames lists the names of the first kernels.
func (s *sketched) someNames(inside []int) string {
	const maximum = 8
	var names []string
	for _, i := range inside {
		names = append(names, s.m.kernels[i].short)
	}
	return units.Some(names, maximum)
}

// drawPart draws a resource or device as one node.
func (s *sketched) drawPart(n int, name string) graph.Node {
	const line = 2
	inside := s.inside[n]
	busy, limits, used := 0.0, false, 0
	on := make(map[string]bool)
	for _, i := range inside {
		on[s.m.kernels[i].on] = true
	}
	for _, r := range s.m.resources {
		if on[r.name] {
			busy, limits, used = max(busy, r.busy), limits || r.limits, used+1
		}
	}
	x := graph.Node{Name: name, Group: -1, Look: filled(busy, limits), Parts: s.parts(inside)}
	words := busyWords(busy)
	if all := s.m.devices[name]; s.detail == Devices && all > 1 {
		x.Lines = []string{name, fmt.Sprintf("%d of %d in use", used, all)}
		words = "busiest " + words
	} else {
		x.Lines = []string{name}
	}
	x.Lines = append(x.Lines, words, units.Counted(len(inside), "kernel", "kernels"))
	if s.detail == Resources {
		for _, i := range inside[:min(line, len(inside))] {
			x.Lines = append(x.Lines, s.m.kernels[i].short)
		}
		if len(inside) > line {
			x.Lines = append(x.Lines, "...")
		}
	}
	x.Title = fmt.Sprintf("%s, %s: %s", name, words, s.someNames(inside))
	if limits {
		x.Title += "; at the bottleneck"
	}
	return x
}

// boxes draws the boxes around nodes: resources, and devices with several resources.
func (s *sketched) boxes() {
	if s.detail == Devices {
		return
	}
	used := make(map[string]int)
	group, frame := make(map[string]int), make(map[string]int)
	seen := make(map[string]bool)
	for i := range s.m.kernels {
		if on := s.m.kernels[i].on; !seen[on] {
			seen[on] = true
			used[deviceOf(on)]++
		}
	}
	for _, r := range s.m.resources {
		device := deviceOf(r.name)
		if !seen[r.name] {
			continue
		}
		label := fmt.Sprintf("%s (%s), %d of %d in use", device, r.platform, used[device], s.m.devices[device])
		if s.detail == Resources {
			if s.m.devices[device] > 1 {
				if _, ok := group[device]; !ok {
					group[device] = len(s.g.Groups)
					s.g.Groups = append(s.g.Groups, graph.Group{Label: label, Title: "device " + label,
						Look: frameLook()})
				}
				group[r.name] = group[device]
			}
			continue
		}
		if used[device] > 1 && frame[device] == 0 {
			s.g.Frames = append(s.g.Frames, graph.Frame{Label: label, Title: "device " + label, Look: frameLook()})
			frame[device] = len(s.g.Frames)
		}
		group[r.name] = len(s.g.Groups)
		words := r.name + "   " + busyWords(r.busy)
		title := r.name + ", " + busyWords(r.busy)
		if r.limits {
			title += "; at the bottleneck"
		}
		s.g.Groups = append(s.g.Groups, graph.Group{Name: r.name, Label: words, Title: title, Frame: frame[device],
			Look: filled(r.busy, r.limits)})
	}
	for n := range s.g.Nodes {
		if at, ok := group[s.m.kernels[s.inside[n][0]].on]; ok {
			s.g.Nodes[n].Group = at
		}
	}
}

// frameLook returns the style of a box that shows no utilization.
func frameLook() graph.Look { return look(frameColour(), false) }

// edges draws the edges between nodes. Above the level of kernels, it merges edges with the same ends, direction and
// links.
func (s *sketched) edges(bars map[string]int) {
	type way struct {
		from, to int
		via      string
	}
	number := make(map[way]int)
	var all [][]*placedEdge
	var ways []way
	for i := range s.m.edges {
		e := &s.m.edges[i]
		a, ok := s.m.where[e.from]
		b, ok2 := s.m.where[e.to]
		if !ok || !ok2 {
			continue
		}
		w := way{s.node[a], s.node[b], strings.Join(e.via, " ")}
		if w.from == w.to && w.via == "" && len(s.inside[w.from]) > 1 {
			continue
		}
		if s.detail == Kernels {
			w.via += fmt.Sprintf(" %d", i) // prevents the merging of edges
		}
		n, ok := number[w]
		if !ok {
			n = len(all)
			number[w] = n
			all, ways = append(all, nil), append(ways, w)
		}
		all[n] = append(all[n], e)
	}
	maximum, sums := 0.0, make([]float64, len(all))
	for i, list := range all {
		for _, e := range list {
			sums[i] += e.rate
		}
		maximum = max(maximum, sums[i])
	}
	for i, list := range all {
		x := s.drawEdge(list, sums[i], len(all) <= legible)
		x.From, x.To, x.Width = ways[i].from, ways[i].to, edgeWidth(sums[i], maximum)
		if s.m.unplaced {
			x.Width = 1
		}
		for _, l := range list[0].via {
			if bar, ok := bars[l]; ok {
				x.Via = append(x.Via, bar)
			}
		}
		s.g.Edges = append(s.g.Edges, x)
	}
}
