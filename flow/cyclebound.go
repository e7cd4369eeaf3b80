package flow

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Cycle is a cycle of kernels that wait for each other. The firing rates of these kernels are at most the initial
// elements of the cycle divided by the time of one round (maximum cycle mean). The rates reach this bound if times are
// deterministic and every kernel has its own server. Shared servers or varying times may reduce the rates. If a loop
// has no input and its kernels accept elements from any port, the Cycle is the entire loop.
type Cycle struct {
	Kernels []int // in order; the last kernel feeds the first kernel
	Edges   []int // Edges[i] leads from Kernels[i] to the next kernel; for an entire loop: all its edges
	Initial int
	// Every is the time in s that the cycle needs for Initial elements. This is the time of one round if all kernels
	// consume and send one element at a time.
	Every float64

	circle *circle
}

// addCycles adds a limit for every circle. It returns violations for circles in which no data move.
func (n *Network) addCycles() []Violation {
	var bad []Violation
	for _, c := range n.Flows.circles {
		limit, stuck := n.cycleLimit(c, nil)
		if stuck != "" {
			bad = append(bad, Violation{Kind: StuckCycle, Kernel: -1, Edge: -1, Resource: -1, Text: stuck})
			continue
		}
		n.Limits = append(n.Limits, limit)
	}
	return bad
}

// cycleLimit returns the limit of a circle, with each service rate multiplied by times; nil means 1. The limit is empty
// if a kernel waits only for its own previous firing, because this kernel has its own limit. stuck is the reason why no
// data move; "" if data move.
func (n *Network) cycleLimit(c *circle, times func(station int) float64) (limit Limit, stuck string) {
	service, between := c.times(n.Prepared, stationLoads{n, n.OwnLoads(times)}, nil, nil)
	if at := slices.IndexFunc(between, func(x crossing) bool { return x.stuck }); at >= 0 {
		return Limit{}, n.stuckBulk(c, at)
	}
	var g ratioGraph
	ratio, arcs := c.maxRatio(&g, service, between)
	cycle := c.cycleOf(&n.Problem.Application, &g, arcs)
	limit = Limit{Resource: -1, Link: -1, Station: -1, sharers: 1, Cycle: cycle,
		Name: "cycle " + cycleText(n.cycleNames(cycle)), load: make([]float64, n.Flows.Free)}
	if c.crowd != nil {
		limit.Name = "loop of " + strings.Join(n.cycleNames(cycle), ", ")
	}
	if len(cycle.Edges) == 0 || ratio == 0 {
		return limit, ""
	}
	cycle.Every = ratio * c.initialTurns(cycle)
	n.shareCycle(&limit, way{c, &g, arcs, service, between, ratio})
	for f, t := range c.turns {
		limit.load[f] = t * ratio * n.Problem.maxUtilization()
	}
	return limit, ""
}

func (n *Network) cycleNames(c *Cycle) []string {
	names := make([]string, len(c.Kernels))
	for i, k := range c.Kernels {
		names[i] = n.Problem.Application.Kernels[k].Name
	}
	return names
}

func (n *Network) stuckBulk(c *circle, at int) string {
	w := &c.waits[at]
	for _, l := range n.Mapping.Route[w.edge] {
		link, edge := &n.Problem.Architecture.Links[l], &n.Problem.Application.Edges[w.edge]
		if bulk := link.BulkElements(edge.ElementBytes); w.max < bulk && link.Flush == 0 {
			return fmt.Sprintf("no data can move: %s transfers %s of %s at once, but this edge never contains more "+
				"than %.16g elements (set a flush time for %s, add initial elements to the loop, or place %s and %s "+
				"together)", link.Name, elements(bulk), edge.Name, w.max, link.Name,
				n.Problem.Application.Kernels[edge.From].Name, n.Problem.Application.Kernels[edge.To].Name)
		}
	}
	return ""
}

// circleLoads provides the loads of a mapping that determine the times of a circle, per byte/s of a free source.
type circleLoads interface {
	// kernelLoad returns the load of a kernel as a fraction of the resource capacity available to the kernel.
	kernelLoad(kernel, source int) float64
	// hopCount returns the number of links that an edge crosses.
	hopCount(edge int) int
	// hopLoad returns a link that an edge crosses, and the fraction of the link's available capacity that the edge
	// uses. sharers is the number of edges with equal shares of the link.
	hopLoad(edge, hop, source int) (link int, load, sharers float64)
}

// times appends the firing time of each kernel of a circle, with all its costs, and the delays between the kernels.
func (c *circle) times(p *Prepared, loads circleLoads, service []float64, between []crossing) ([]float64, []crossing) {
	s := c.source()
	for _, k := range c.kernels {
		service = append(service, loads.kernelLoad(k, s)/p.Flows.FiringRate(k, s))
	}
	for i := range c.waits {
		w := &c.waits[i]
		var x crossing
		bytes := p.Application.Edges[w.edge].ElementBytes
		for hop := range loads.hopCount(w.edge) {
			link, load, sharers := loads.hopLoad(w.edge, hop, s)
			element := load / (p.Flows.Edge(w.edge)[s] / bytes)
			x.addLink(w, &p.Architecture.Links[link], linkUse{bytes, element, sharers}, service[w.from])
		}
		between = append(between, x)
	}
	return service, between
}

// stationLoads implements circleLoads for a network. own contains, for each station, the fraction of its server's time
// that the station uses.
type stationLoads struct {
	*Network
	own [][]float64
}

func (x stationLoads) kernelLoad(kernel, source int) float64 {
	return x.own[kernel][source]
}

func (x stationLoads) hopCount(edge int) int { return len(x.Mapping.Route[edge]) }

func (x stationLoads) hopLoad(edge, hop, source int) (link int, load, sharers float64) {
	link, sharers = x.Mapping.Route[edge][hop], 1
	if x.Architecture.Links[link].Sharing.Rule == Equal {
		sharers = float64(x.crossed[link])
	}
	return link, x.own[x.hops[edge]+hop][source], sharers
}

// source returns a free source whose flow drives the circle.
func (c *circle) source() int {
	return max(0, slices.IndexFunc(c.turns, func(t float64) bool { return t > 0 }))
}

// OwnLoads returns, for each station, the fraction of its server's time that the station uses, per byte/s of each free
// source. Each service rate is multiplied by times; nil means 1.
func (n *Network) OwnLoads(times func(station int) float64) [][]float64 {
	own := make([][]float64, len(n.Stations))
	for i := range n.Limits {
		l := &n.Limits[i]
		if l.Cycle != nil {
			continue
		}
		for m, s := range l.Members {
			weight := l.Weight[m]
			if times != nil && !math.IsInf(n.Stations[s].ServiceRate, 1) {
				weight /= times(s)
			}
			own[s] = make([]float64, n.Flows.Free)
			for f, a := range n.Stations[s].arrival {
				own[s][f] += a * weight
			}
		}
		for _, c := range l.Costs {
			for f, a := range n.costRates(l, &c) {
				own[l.Members[c.Member]][f] += a * c.Weight
			}
		}
	}
	return own
}

// cycleOf converts a cycle of arcs in the graph of a circle to the cycle of the application. If the arcs make several
// rounds, it returns the first round. The cycle has no edges if a kernel waits only for its own previous firing.
func (c *circle) cycleOf(app *Application, g *ratioGraph, arcs []int32) *Cycle {
	var edges []int
	for _, a := range arcs {
		if e := g.arcs[a].edge; e >= 0 {
			edges = append(edges, int(e))
		}
	}
	if c.crowd != nil {
		cycle := &Cycle{Kernels: c.kernels, circle: c}
		for _, w := range c.waits {
			cycle.Edges = append(cycle.Edges, w.edge)
			cycle.Initial += int(w.initial)
		}
		return cycle
	}
	if len(edges) == 0 {
		return &Cycle{Kernels: c.kernels[:1], circle: c}
	}
	at := make(map[int]int) // kernel -> position in edges
	for i, e := range edges {
		at[app.Edges[e].From] = i
		if from, ok := at[app.Edges[e].To]; ok {
			edges = edges[from : i+1]
			break
		}
	}
	first := 0
	for i, e := range edges {
		if app.Edges[e].From < app.Edges[edges[first]].From {
			first = i
		}
	}
	cycle := &Cycle{circle: c}
	for i := range edges {
		e := edges[(first+i)%len(edges)]
		cycle.Edges = append(cycle.Edges, e)
		cycle.Kernels = append(cycle.Kernels, app.Edges[e].From)
		cycle.Initial += app.Edges[e].Initial
	}
	return cycle
}

// initialTurns returns the number of turns for which the initial elements of a cycle last.
func (c *circle) initialTurns(cycle *Cycle) float64 {
	if c.crowd != nil {
		return c.crowd.all
	}
	turns := 0.0
	for _, w := range c.waits {
		if slices.Contains(cycle.Edges, w.edge) {
			turns += w.initial / w.turn
		}
	}
	return turns
}

// way is a path around a cycle in the graph of a circle, with its times.
type way struct {
	circle  *circle
	graph   *ratioGraph
	arcs    []int32
	service []float64
	between []crossing
	ratio   float64
}

// shareCycle computes each station's part of a cycle's limit: the time of its firings or transfers. The prices use
// these parts. The remaining part of the limit, such as latency, belongs to no station.
func (n *Network) shareCycle(l *Limit, w way) {
	c, s, phi := w.circle, w.circle.source(), n.Problem.maxUtilization()
	tokens, fires := w.fires()
	rest := w.ratio * tokens
	for i, x := range fires {
		if x == 0 || w.service[i] == 0 {
			continue
		}
		rest -= x * w.service[i]
		n.addShare(l, c.kernels[i], x/(c.firings[i]*tokens)*phi)
	}
	own := n.OwnLoads(nil)
	for i, x := range w.crosses() {
		waits := &c.waits[i]
		for hop, link := range n.Mapping.Route[waits.edge] {
			station := n.hops[waits.edge] + hop
			size := n.Problem.Application.Edges[waits.edge].ElementBytes
			bulk := n.Problem.Architecture.Links[link].BulkElements(size)
			element := own[station][s] / (c.turns[s] * waits.turn)
			if x == 0 || !(element > 0) {
				continue
			}
			elements := min(x*bulk, max(0, rest/element))
			rest -= elements * element
			n.addShare(l, station, elements/(waits.turn*tokens)*phi)
		}
	}
	if !(rest > 0) {
		return
	}
	if len(l.Members) == 0 {
		n.addShare(l, c.kernels[0], 0)
	}
	if a := n.Stations[l.Members[0]].arrival[s]; a > 0 {
		l.Costs = append(l.Costs, Cost{Member: 0, Part: Unused, Edge: -1,
			Weight: rest / tokens * phi * c.turns[s] / a})
	}
}

// crosses returns the number of passes of the way through each wait.
func (w *way) crosses() []float64 {
	if x := w.circle.crowd; x != nil {
		_, waits := x.stays(w.circle, w.between)
		return waits
	}
	times := make([]float64, len(w.circle.waits))
	for _, a := range w.arcs {
		if e := w.graph.arcs[a].edge; e >= 0 {
			times[w.circle.waitOf(int(e))]++
		}
	}
	return times
}

// fires returns the number of turns for which the tokens on the way last, and the firings of each kernel in that time.
func (w *way) fires() (tokens float64, fires []float64) {
	c := w.circle
	if c.crowd != nil {
		fires, _ = c.crowd.stays(c, w.between)
		return c.crowd.all, fires
	}
	fires = make([]float64, len(c.kernels))
	kernelAt := c.kernelOf(w.graph)
	for _, i := range w.arcs {
		a := &w.graph.arcs[i]
		tokens += a.tokens
		fires[kernelAt(a.to)]++
		if a.edge < 0 || w.graph.nodes != len(c.kernels) {
			continue
		}
		at := c.waitOf(int(a.edge))
		writer, reader := c.waits[at].gathers()
		fires[c.waits[at].from] += writer + w.between[at].writer
		fires[c.waits[at].to] += reader + w.between[at].reader
	}
	return tokens, fires
}

// waitOf returns the index of an edge's wait.
func (c *circle) waitOf(edge int) int {
	return slices.IndexFunc(c.waits, func(w wait) bool { return w.edge == edge })
}

// Parts returns each member's part of the utilization of a limit at a solution. For a cycle, the parts add up to 1
// minus the part without a station, such as the latency of links.
func (n *Network) Parts(limit int, s *Solution) []float64 {
	l := &n.Limits[limit]
	parts := make([]float64, len(l.Members))
	for i, m := range l.Members {
		if l.Cycle == nil {
			parts[i] = s.Stations[m].Share
			continue
		}
		parts[i] = s.Stations[m].ArrivalRate * l.Weight[i]
	}
	if l.Cycle == nil {
		return parts
	}
	for _, c := range l.Costs {
		if c.Part != Unused {
			parts[c.Member] += s.costRate(l, &c) * c.Weight
		}
	}
	turning := 0.0 // used part of the limit; each free source with turns yields the same value
	for f, t := range l.Cycle.circle.turns {
		if t > 0 {
			turning = n.Firings(s, l.Cycle.circle.kernels[0]) / n.Flows.FiringRate(l.Cycle.circle.kernels[0],
				f) * l.load[f]
			break
		}
	}
	for i := range parts {
		parts[i] /= turning
	}
	return parts
}

// kernelOf returns a function that maps the nodes of a circle's graph to the circle's kernels.
func (c *circle) kernelOf(g *ratioGraph) func(node int32) int {
	if g.nodes == len(c.kernels) {
		return func(node int32) int { return int(node) }
	}
	return func(node int32) int {
		for k, x := range c.firings {
			if node -= int32(x); node < 0 {
				return k
			}
		}
		return 0
	}
}

// addShare makes a station a member of the limit of a cycle, with a fraction of its weight in the limit of its server.
func (n *Network) addShare(l *Limit, station int, share float64) {
	at, m := slices.Index(l.Members, station), n.Stations[station].member
	own := &n.Limits[n.Stations[station].limit]
	if at < 0 {
		at = len(l.Members)
		l.Members, l.Weight = append(l.Members, station), append(l.Weight, 0)
	}
	l.Weight[at] += own.Weight[m] * share
	for _, c := range own.Costs {
		if c.Member == m {
			c.Member, c.Weight = at, c.Weight*share
			l.Costs = append(l.Costs, c)
		}
	}
}

// lackingError returns the error for a circle that has too few initial elements for one turn.
func (c *circle) lackingError(app *Application) error {
	w := &c.waits[c.lacking]
	before := make([]int, len(c.kernels)) // the wait through which the search reaches each kernel from the reader
	for i := range before {
		before[i] = -1
	}
	for queue := []int{w.to}; len(queue) > 0 && w.to != w.from; queue = queue[1:] {
		for i, x := range c.waits {
			if x.from == queue[0] && x.to != w.to && before[x.to] < 0 {
				before[x.to] = i
				queue = append(queue, x.to)
			}
		}
	}
	var names []string
	for at := w.from; ; at = c.waits[before[at]].from {
		names = append(names, app.Kernels[c.kernels[at]].Name)
		if at == w.to {
			break
		}
	}
	slices.Reverse(names)
	return &InitialError{Kernels: names, Edge: app.Edges[w.edge].Name, Reader: app.Kernels[c.kernels[w.to]].Name,
		Consumes: int(w.consumes), Initial: int(w.initial), Needed: c.needs}
}
