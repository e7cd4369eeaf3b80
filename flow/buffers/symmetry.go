package buffers

import (
	"fmt"
	"hash/fnv"
	"slices"
)

// symmetricEdges is the maximum number of edges of a mapping for which symmetric finds classes. It limits the time of
// the search, which may need a round for each edge of a chain.
const symmetricEdges = 1000

// symmetric returns classes of edges that share one size: corresponding edges of branches that differ only in their
// names. Each class is in ascending order. symmetric refines colors of kernels, edges, resources and links by the
// colors of their neighbors until no new classes appear (Weisfeiler and Leman 1968). It returns nil for more than
// symmetricEdges edges.
func (m *Model) symmetric() [][]int {
	c := newColors(m)
	if len(c.edge) > symmetricEdges {
		return nil
	}
	for count := 0; ; {
		c.refine(m)
		distinct := make(map[uint64]bool)
		for _, x := range c.edge {
			distinct[x] = true
		}
		if len(distinct) <= count {
			break
		}
		count = len(distinct)
	}
	var classes [][]int
	class := make(map[uint64]int)
	for e, x := range c.edge {
		i, found := class[x]
		if !found {
			i = len(classes)
			class[x] = i
			classes = append(classes, nil)
		}
		classes[i] = append(classes[i], e)
	}
	return classes
}

// colors contains a color for each part of a mapping. Two parts have the same color if no figure and no neighbor
// distinguishes them.
type colors struct{ kernel, edge, resource, link []uint64 }

// colorDigits is the number of significant digits in the comparison of rates.
const colorDigits = 9

func color(parts ...any) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		if x, ok := p.(float64); ok {
			fmt.Fprintf(h, "%.*g|", colorDigits, x)
			continue
		}
		fmt.Fprintf(h, "%v|", p)
	}
	return h.Sum64()
}

// newColors returns colors that distinguish parts by their own figures.
func newColors(m *Model) *colors {
	p, app := m.flow.Problem, &m.flow.Problem.Application
	c := &colors{kernel: make([]uint64, len(app.Kernels)), edge: make([]uint64, len(app.Edges)),
		resource: make([]uint64, len(p.Architecture.Resources)), link: make([]uint64, len(p.Architecture.Links))}
	for k := range app.Kernels {
		x := color(len(app.Kernels[k].Joins), m.flow.Firings(m.solution, k))
		if i := m.Kernel[k]; i >= 0 {
			st := &m.Net.Stations[i]
			x = color(x, st.Burst, st.Exclusive, st.Scale)
			if st.Service != nil {
				x = color(x, st.Service.Mean(), st.Service.SCV())
			}
		}
		c.kernel[k] = x
	}
	type port struct {
		kernel int
		name   string
	}
	siblings := make(map[port]int) // number of edges that carry the same elements
	for _, edge := range app.Edges {
		siblings[port{edge.From, edge.FromPort}]++
	}
	for e := range app.Edges {
		edge := &app.Edges[e]
		x := color(siblings[port{edge.From, edge.FromPort}],
			edge.ElementBytes, edge.Initial, edge.Emits, edge.Round, edge.Shared, m.solution.EdgeFlow[e])
		if b := m.Edge[e]; b >= 0 {
			for _, ch := range m.Net.Buffers[b].Channels {
				y := &m.Net.Channels[ch]
				x = color(x, y.Consumes, y.Sends.PerFiring, int(y.Sends.Rule), y.Latency, y.Jitter)
			}
		}
		c.edge[e] = x
	}
	for r := range p.Architecture.Resources {
		c.resource[r] = color(int(p.Architecture.Resources[r].Sharing.Rule))
	}
	for l := range p.Architecture.Links {
		link := &p.Architecture.Links[l]
		c.link[l] = color(link.Bandwidth, link.Latency, link.Jitter, link.Return, link.Flush, int(link.Sharing.Rule),
			link.Sharing.TransferBytes, link.Sharing.TransferCost)
	}
	return c
}

func (c *colors) refine(m *Model) {
	app := &m.flow.Problem.Application
	around := struct{ kernel, resource, link [][]uint64 }{make([][]uint64, len(c.kernel)),
		make([][]uint64, len(c.resource)), make([][]uint64, len(c.link))}
	edge := make([]uint64, len(c.edge))
	for e := range app.Edges {
		x := &app.Edges[e]
		edge[e] = color(c.edge[e], c.kernel[x.From], c.kernel[x.To])
		for _, l := range m.flow.Mapping.Route[e] {
			edge[e] = color(edge[e], c.link[l])
			around.link[l] = append(around.link[l], c.edge[e])
		}
		around.kernel[x.From] = append(around.kernel[x.From], color("out", c.edge[e], c.kernel[x.To]))
		around.kernel[x.To] = append(around.kernel[x.To], color("in", c.edge[e], c.kernel[x.From]))
	}
	for k, r := range m.flow.Mapping.Place {
		around.kernel[k] = append(around.kernel[k], color("on", c.resource[r]))
		around.resource[r] = append(around.resource[r], c.kernel[k])
	}
	c.edge = edge
	for _, x := range []struct {
		own    []uint64
		around [][]uint64
	}{{c.kernel, around.kernel}, {c.resource, around.resource}, {c.link, around.link}} {
		for i := range x.own {
			slices.Sort(x.around[i])
			x.own[i] = color(x.own[i], x.around[i])
		}
	}
}
