package buffers

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"xopt/flow"
	"xopt/queueing/maxplus"
)

// addEdges adds the channels of all edges with a flow, with a station for each link that they cross.
func (m *Model) addEdges(set Setting) error {
	n := m.flow
	arch := &n.Problem.Architecture
	members := make([]int, len(arch.Links))
	for e := range m.Edge {
		if m.flows(e) {
			for _, l := range n.Mapping.Route[e] {
				members[l]++
			}
		}
	}
	servers := m.servers(members, func(l int) flow.SharingRule { return arch.Links[l].Sharing.Rule }, maxplus.Turns)
	m.crossing = make(map[crossing]int)
	consumes, groupsOf := m.consumption()
	emissions := m.emissions()
	for e := range m.Edge {
		m.Edge[e] = -1
		if !m.flows(e) {
			continue
		}
		edge := &n.Problem.Application.Edges[e]
		if consumes[e] == 0 {
			return fmt.Errorf("edge %s has a flow, but %s consumes no elements from this edge", edge.Name,
				n.Problem.Application.Kernels[edge.To].Name)
		}
		m.Edge[e] = len(m.Net.Buffers)
		b := maxplus.Buffer{Name: edge.Name}
		ch := maxplus.Channel{Name: edge.Name, From: m.Kernel[edge.From], Sends: emissions[e]}
		for hop, l := range n.Mapping.Route[e] {
			b.Return += arch.Links[l].Return
			b.Jitter += arch.Links[l].ReturnJitter
			if m.forNothing(e, l, members[l]) {
				ch.Latency += arch.Links[l].Latency
				continue
			}
			link := m.addLink(e, l, servers[l], members[l])
			m.crossing[crossing{e, hop}] = link
			ch.To = link
			b.Channels = append(b.Channels, len(m.Net.Channels))
			m.Net.Channels = append(m.Net.Channels, ch)
			ch = maxplus.Channel{Name: edge.Name, From: link, Sends: maxplus.Emission{PerFiring: 1},
				Latency: arch.Links[l].Latency, Jitter: arch.Links[l].Jitter}
		}
		ch.To, ch.Consumes, ch.Initial = m.Kernel[edge.To], consumes[e], edge.Initial
		ch.Group, ch.Also = groupsOf[e][0], groupsOf[e][1:]
		b.Channels = append(b.Channels, len(m.Net.Channels))
		m.Net.Channels = append(m.Net.Channels, ch)
		m.Net.Buffers = append(m.Net.Buffers, b)
	}
	return nil
}

// flows reports whether an edge has a flow between kernels that fire.
func (m *Model) flows(e int) bool {
	edge := &m.flow.Problem.Application.Edges[e]
	return m.solution.EdgeFlow[e] > 0 && m.Kernel[edge.From] >= 0 && m.Kernel[edge.To] >= 0
}

// consumption returns the number of elements that a firing consumes from each edge, and the groups of each edge.
func (m *Model) consumption() (consumption []int, groupsOf [][]int) {
	consumption, groupsOf = make([]int, len(m.Edge)), make([][]int, len(m.Edge))
	for k := range m.Kernel {
		for g, list := range m.groups(k) {
			for i, e := range list.edges {
				consumption[e] = int(list.consumes[i])
				groupsOf[e] = append(groupsOf[e], g)
			}
		}
	}
	return consumption, groupsOf
}

// instant is a time in seconds that is too short to change the order of events.
const instant = 1e-12

// forNothing reports whether the transfer of an element over a link takes no time, except for the latency. Such a link
// has no station, so that elements sent or freed together also arrive together. forNothing returns false for links with
// jitter.
func (m *Model) forNothing(e, l, sharers int) bool {
	link := &m.flow.Problem.Architecture.Links[l]
	bytes := m.flow.Problem.Application.Edges[e].ElementBytes
	return link.Jitter == 0 && link.BulkElements(bytes) <= 1 &&
		float64(sharers)*bytes*(link.TimePerByte()+link.TransferCost(bytes)) < instant
}

// addLink adds a station for an edge on a link, and returns the index of the station.
func (m *Model) addLink(e, l, server, sharers int) int {
	link := &m.flow.Problem.Architecture.Links[l]
	edge := &m.flow.Problem.Application.Edges[e]
	times := 1.0
	if link.Sharing.Rule == flow.Equal {
		times = float64(sharers)
	}
	bulk := link.BulkElements(edge.ElementBytes)
	st := maxplus.Station{Name: edge.Name + " over " + link.Name, Server: server, Bulk: int(bulk),
		PerElement: times * edge.ElementBytes / link.Bandwidth, Flush: link.Flush}
	if cost := times * link.TransferCost(edge.ElementBytes) * bulk * edge.ElementBytes; cost > 0 {
		st.Service = maxplus.Constant(cost)
	}
	if st.Flush == 0 {
		st.Flush = math.Inf(1)
	}
	m.Net.Stations = append(m.Net.Stations, st)
	return len(m.Net.Stations) - 1
}

// emissions returns the elements that firings send on each edge. The simulation draws fractional counts at random,
// because they depend on data. The exceptions are:
//
//   - An element that several firings fill is complete after a fixed number of firings.
//   - Streams that a join merges again, and even splits, are divided in turns.
//   - Copies of a kernel receive elements in turns; here a turn is one element.
func (m *Model) emissions() []maxplus.Emission {
	app := &m.flow.Problem.Application
	list := make([]maxplus.Emission, len(app.Edges))
	from := edgesFrom(app)
	for k := range app.Kernels {
		if m.Kernel[k] < 0 {
			continue
		}
		ports := make(map[string]int)
		parts, inTurns, even := 0.0, false, true
		copied := 0.0 // elements that a firing sends to all copies together
		for _, e := range from[k] {
			if edge := &app.Edges[e]; m.flows(e) {
				x := m.perFiring(e)
				name := edge.FromPort
				if edge.Shared { // no other edge of its port carries the same elements
					name = edge.Name
					copied += x
				}
				port, isKnown := ports[name]
				if !isKnown {
					port = len(ports)
					ports[name] = port
					parts += x - math.Floor(x)
					even = even && x < 1 && math.Abs(parts-x*float64(len(ports))) <= meanRounding
				}
				list[e] = maxplus.Emission{PerFiring: x, Port: port}
				gathers := m.flow.Flows.Grain(e).Gathers
				inTurns = inTurns || m.rational[e] || gathers > 1 && gathers >= (1-meanRounding)/x
			}
		}
		inTurns = inTurns || even && math.Abs(parts-1) <= meanRounding ||
			copied > 0 && math.Abs(copied-math.Round(copied)) <= meanRounding
		for _, e := range from[k] {
			if list[e].PerFiring != math.Trunc(list[e].PerFiring) {
				if list[e].Rule = maxplus.Drawn; inTurns {
					list[e].Rule = maxplus.InTurns
				}
			}
		}
		m.Net.Stations[m.Kernel[k]].Exclusive = parts <= 1+meanRounding && len(ports) > 1
	}
	return list
}

// meets marks each edge whose stream a join merges with another stream from the same kernel. The counts of both streams
// must stay in proportion, because otherwise the join would block.
func (m *Model) meets() []bool {
	app := &m.flow.Problem.Application
	list := make([]bool, len(app.Edges))
	if tooManyForAncestors(app) {
		for e := range list {
			list[e] = true
		}
		return list
	}
	var above *ancestors
	for k := range app.Kernels {
		for _, j := range app.Kernels[k].Joins {
			if len(j.Ports) < 2 {
				continue
			}
			if above == nil {
				above = ancestorsOf(app)
			}
			ports := make([]joinPort, len(j.Ports))
			for i := range ports {
				ports[i] = joinPort{edges: j.Ports[i].Edges, above: above.union(app, j.Ports[i].Edges)}
			}
			for i := range ports {
				m.meetsAt(above, ports, i, list)
			}
		}
	}
	return list
}

// joinPort is a port of a join: the edges that end in it, and the ancestors of their writers.
type joinPort struct {
	edges []int
	above []uint64
}

// gets reports whether data of an edge reach the port.
func (p *joinPort) gets(app *flow.Application, e int) bool {
	to := app.Edges[e].To
	return p.above[to>>6]>>(to&63)&1 != 0 || slices.Contains(p.edges, e)
}

// meetsAt marks the edges that lead to one port of a join if another port receives data from the same kernel.
func (m *Model) meetsAt(above *ancestors, ports []joinPort, one int, list []bool) {
	app := &m.flow.Problem.Application
	look := func(e int) {
		for o := 0; o < len(ports) && !list[e]; o++ {
			list[e] = o != one && !ports[o].gets(app, e) && above.shares(app.Edges[e].From, ports[o].above)
		}
	}
	for w, some := range ports[one].above {
		for ; some != 0; some &= some - 1 {
			for _, e := range m.into[w<<6+bits.TrailingZeros64(some)] {
				look(e)
			}
		}
	}
	for _, e := range ports[one].edges {
		look(e)
	}
}

// addArrivals limits sources to a fraction of their flows. Each firing consumes an arrival. The intervals between
// arrivals are exponentially distributed.
func (m *Model) addArrivals(set Setting) {
	if set.Load == 0 {
		return
	}
	for _, src := range m.solution.Sources {
		i := m.Kernel[src.Kernel]
		if i < 0 {
			continue
		}
		gap := 1 / (set.Load * m.flow.Firings(m.solution, src.Kernel))
		m.Net.Stations = append(m.Net.Stations, maxplus.Station{Name: "arrivals", Server: -1,
			Service: maxplus.Exponential(gap)})
		m.Net.Channels = append(m.Net.Channels, maxplus.Channel{Name: "arrivals", From: len(m.Net.Stations) - 1, To: i,
			Sends: maxplus.Emission{PerFiring: 1}})
	}
}

// addTurns binds the copies of a source to their turns: each firing consumes an element from a station that distributes
// elements in no time. For each copy, this station distributes at most two rounds in advance.
func (m *Model) addTurns() {
	kernels := m.flow.Problem.Application.Kernels
	total := make(map[int]float64) // by first copy
	for k := range kernels {
		if m.Kernel[k] >= 0 && kernels[k].Turns > 0 {
			total[kernels[k].First] += kernels[k].Turns
		}
	}
	stations := make(map[int]int)
	for k := range kernels {
		x := &kernels[k]
		if m.Kernel[k] < 0 || x.Turns == 0 || total[x.First] == x.Turns {
			continue
		}
		at, isKnown := stations[x.First]
		if !isKnown {
			at = len(m.Net.Stations)
			stations[x.First] = at
			m.Net.Stations = append(m.Net.Stations, maxplus.Station{Name: "turns of " + x.Name, Server: -1,
				Exclusive: true})
		}
		m.Net.Buffers = append(m.Net.Buffers, maxplus.Buffer{Name: "turns", Size: 2 * int(math.Ceil(x.Turns)),
			Channels: []int{len(m.Net.Channels)}})
		m.Net.Channels = append(m.Net.Channels, maxplus.Channel{Name: "turns", From: at, To: m.Kernel[k],
			Sends: maxplus.Emission{PerFiring: x.Turns / total[x.First], Rule: maxplus.InTurns, Port: k}})
	}
}
