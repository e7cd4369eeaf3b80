package view

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"xopt/internal/result"
	"xopt/internal/units"
	"xopt/internal/view/graph"
)

// heat is a colour for a utilization: pale green where there is room, orange where there is
// little.
func heat(u float64) color.RGBA {
	if !(u > 0) { // nor is it known
		u = 0
	}
	u = math.Min(1, u)
	return hsv(0.36-0.28*u, 0.10+0.45*u, 0.97)
}

// hsv is a colour of a hue, saturation and value from 0 to 1 (Smith 1978).
func hsv(h, s, v float64) color.RGBA {
	component := func(n float64) uint8 {
		const sixth = 6
		k := math.Mod(n+h*sixth, sixth)
		return uint8(math.Round(255 * (v - v*s*math.Max(0, math.Min(math.Min(k, 4-k), 1)))))
	}
	return color.RGBA{component(5), component(3), component(1), 0xff}
}

// shortName is a kernel's name without that of the application.
func shortName(r *result.Result, s string) string {
	return strings.TrimPrefix(s, r.Application+".")
}

// drawnEdges is from how many edges on their names are left out.
const drawnEdges = 40

// look is how a box is drawn: that of what limits has a wide red border.
func look(fill color.RGBA, limits bool) graph.Look {
	if limits {
		return graph.Look{Fill: fill, Border: color.RGBA{0xc6, 0x28, 0x28, 0xff}, Width: 2.5}
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

// drawnKernels is up to how many kernels each is drawn; of more, only resources are.
const drawnKernels = 100

// nodeNumbers are the numbers of nodes by what they stand for.
type nodeNumbers map[string]int

// join adds an edge between two nodes that are there.
func (n nodeNumbers) join(g *graph.Graph, from, to string, e graph.Edge) {
	a, ok := n[from]
	b, ok2 := n[to]
	if ok && ok2 {
		e.From, e.To = a, b
		g.Edges = append(g.Edges, e)
	}
}

// add adds a node, once.
func (n nodeNumbers) add(g *graph.Graph, x graph.Node) {
	if _, ok := n[x.Name]; !ok {
		n[x.Name] = len(g.Nodes)
		g.Nodes = append(g.Nodes, x)
	}
}

// drawResources draws resources with the names of some of their kernels, and what goes from
// one to another, all edges together.
func drawResources(r *result.Result, c *result.Candidate, isLimit func(string) bool) *graph.Graph {
	const named, line = 6, 3
	g, nodes := &graph.Graph{}, nodeNumbers{}
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
		nodes.add(g, graph.Node{Name: share.Name, Lines: label, Group: -1, Title: strings.Join(label, "; "),
			Look: look(heat(float64(share.Utilization)), isLimit(share.Name))})
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
		nodes.join(g, p.from, p.to, graph.Edge{Width: edgeWidth(sum[p], most),
			Title: fmt.Sprintf("%s to %s: %s on %d edges", p.from, p.to, units.Rate(sum[p]), number[p])})
	}
	return g
}

// limits is what limits a candidate first, by name, and the resources that it is on.
type limits map[string]bool

func limitsOf(c *result.Candidate) limits {
	l := make(limits)
	add := func(name string) {
		l[name] = true
		if at := strings.LastIndex(name, " on "); at >= 0 {
			l[name[at+len(" on "):]] = true
		}
	}
	if len(c.Bottlenecks) > 0 {
		for _, x := range c.Bottlenecks[0].Limits {
			add(x.Name)
			for _, m := range x.Members {
				add(m)
			}
		}
	}
	return l
}

// onResource reports whether what limits is a resource, or runs on it.
func (l limits) onResource(resource string) bool { return l[resource] }

// draw draws a candidate: the application laid over the architecture.
func draw(r *result.Result, c *result.Candidate) *graph.Graph {
	limiting := limitsOf(c)
	if len(c.Place) > drawnKernels {
		return drawResources(r, c, limiting.onResource)
	}
	g, nodes := &graph.Graph{}, nodeNumbers{}
	load := make(map[string]*result.Station)
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
	for _, share := range c.Resources {
		use := units.Percent(float64(share.Utilization))
		group := graph.Group{Label: share.Name + "   " + use, Title: share.Name + " is used to " + use,
			Look: look(heat(float64(share.Utilization)), limiting.onResource(share.Name))}
		any := false
		for _, p := range c.Place {
			if p.Resource != share.Name {
				continue
			}
			any = true
			x := graph.Node{Name: p.Kernel, Lines: []string{shortName(r, p.Kernel)}, Title: p.Kernel + " on " +
				share.Name, Group: len(g.Groups),
				Look: look(color.RGBA{0xff, 0xff, 0xff, 0xff}, limiting[p.Kernel] && limiting.onResource(share.Name))}
			if s := load[p.Kernel]; s != nil {
				x.Lines = append(x.Lines, units.Rate(float64(s.ArrivalRate)))
				x.Title += " takes " + units.Rate(float64(s.ArrivalRate))
			}
			nodes.add(g, x)
		}
		if any {
			g.Groups = append(g.Groups, group)
		}
	}
	bars := make(map[string]int)
	for _, l := range c.Links {
		if l.Members == 0 || linktype(r, l.Name) == "memory" && !limiting[l.Name] {
			continue // memory that all cores share would only stand beside them
		}
		use := units.Percent(float64(l.Utilization))
		bars[l.Name] = len(g.Links)
		g.Links = append(g.Links, graph.Link{Label: l.Name + "   " + use, Title: l.Name + " is used to " + use,
			Look: look(heat(float64(l.Utilization)), limiting[l.Name])})
	}
	routes := make(map[string][]int)
	for _, x := range c.Routes {
		for _, l := range x.Links {
			if bar, ok := bars[l]; ok {
				routes[x.Edge] = append(routes[x.Edge], bar)
			}
		}
	}
	for _, e := range r.Edges {
		x := graph.Edge{Width: edgeWidth(flow[e.Name], most), Via: routes[e.Name], Title: e.Name + " carries " +
			units.Rate(flow[e.Name])}
		if len(r.Edges) <= drawnEdges {
			x.Label = units.Rate(flow[e.Name])
		}
		nodes.hold(g, &x, &e)
		nodes.join(g, e.From, e.To, x)
	}
	return g
}

// hold writes the initial elements of an edge to it; where it leads from a kernel to itself, and has
// no room for it, to the kernel.
func (n nodeNumbers) hold(g *graph.Graph, x *graph.Edge, e *result.Edge) {
	if e.Initial == 0 {
		return
	}
	x.Title += ", and holds " + count(e.Initial, "element") + " at the start"
	label := fmt.Sprintf("%d initial", e.Initial)
	if at, ok := n[e.From]; ok && e.From == e.To {
		g.Nodes[at].Lines = append(g.Nodes[at].Lines, label)
	}
	if x.Label != "" {
		x.Label += ", " + label
	}
}

func linktype(r *result.Result, link string) string {
	for i := range r.Links {
		if r.Links[i].Name == link {
			return r.Links[i].Linktype
		}
	}
	return ""
}

// drawMeasured draws what ran.
func drawMeasured(r *result.Result) *graph.Graph {
	m := r.Measured
	g, nodes := &graph.Graph{}, nodeNumbers{}
	load, rate := make(map[string]float64), make(map[string]float64)
	most := 0.0
	for _, k := range m.Kernels {
		load[k.Kernel] = float64(k.Utilization)
	}
	for _, e := range m.Edges {
		rate[e.Edge] = float64(e.Rate)
		most = math.Max(most, float64(e.Rate))
	}
	for _, res := range r.Architecture {
		any := false
		for _, p := range m.Place {
			if p.Resource != res.Name {
				continue
			}
			any = true
			use := units.Percent(load[p.Kernel])
			nodes.add(g, graph.Node{Name: p.Kernel, Lines: []string{shortName(r, p.Kernel), use}, Title: p.Kernel +
				" was busy " + use, Group: len(g.Groups), Look: look(heat(load[p.Kernel]), false)})
		}
		if any {
			g.Groups = append(g.Groups, graph.Group{Label: res.Name, Title: res.Name,
				Look: look(color.RGBA{0xf3, 0xf5, 0xf7, 0xff}, false)})
		}
	}
	for _, e := range r.Edges {
		x := graph.Edge{Width: edgeWidth(rate[e.Name], most), Title: e.Name + " carried " + units.Rate(rate[e.Name])}
		if len(r.Edges) <= drawnEdges {
			x.Label = units.Rate(rate[e.Name])
		}
		nodes.hold(g, &x, &e)
		nodes.join(g, e.From, e.To, x)
	}
	return g
}
