package buffers

import (
	"fmt"
	"math"
	"slices"

	"xopt/flow"
	"xopt/queueing/maxplus"
)

// Model is a mapped application as a network of stations with buffers, for event simulation. Every kernel is a station,
// and so is every link that an edge crosses. Every edge is a buffer from its writer to its reader, across all its
// links. [flow.Network] is the corresponding model of flows.
//
// Simplifications:
//   - The reader receives elements at the end of each firing, not in batches.
//   - Turns of kernels on a core have their average length.
//   - The random output of a firing is independent of its random duration.
type Model struct {
	Net *maxplus.Network
	// Kernel is the station of each kernel, and Edge is the buffer of each edge; -1 without a flow.
	Kernel, Edge []int
	// Weight contains, by station, the bytes that a firing adds to the throughput. If Work is true, it contains the
	// bytes that a second of service adds.
	Weight []float64
	Work   bool
	// Firings is the number of firings of one iteration if counts are static, else 0.
	Firings int64

	flow         *flow.Network
	solution     *flow.Solution
	crossing     map[crossing]int // stations of links
	into         [][]int          // edges by reader
	acknowledged []bool           // by edge: the writer is on another host (see edgeSize)
	rational     []bool           // by edge: a join merges its stream with another stream from the same kernel
}

// crossing is a link on the route of an edge.
type crossing struct{ edge, hop int }

// Style selects how kernels share a core in a run.
type Style uint8

// These are the styles.
const (
	CoreStyle   Style = iota // one process per core, whose kernels take turns
	KernelStyle              // one process per kernel; the operating system shares the core among them
)

// Setting describes the conditions of a simulation.
type Setting struct {
	Style Style
	// Load is the fraction of the solution's flows at which sources send; 0 for the maximum rate.
	Load float64
	// OneFiring limits turns to one firing, as in runs in virtual time.
	OneFiring bool
}

// Network creates the simulation network of a mapping from the solution of its flows. All buffers of the network are
// unlimited. [Simulation.Run] sets buffer sizes.
func Network(n *flow.Network, s *flow.Solution, set Setting) (*Model, error) {
	app := &n.Problem.Application
	m := &Model{Net: &maxplus.Network{}, into: edgesTo(app), Kernel: make([]int, len(app.Kernels)),
		Edge: make([]int, len(app.Edges)), acknowledged: make([]bool, len(app.Edges)),
		flow: n, solution: s}
	m.rational = m.meets()
	m.addKernels(set)
	if err := m.simulable(); err != nil {
		return nil, err
	}
	if err := m.addEdges(set); err != nil {
		return nil, err
	}
	for e, b := range m.Edge {
		// In virtual time, readers acknowledge space immediately.
		m.acknowledged[e] = b >= 0 && !set.OneFiring && n.Problem.Architecture.Until(n.Mapping.Route[e]) > 0
	}
	m.addTurns()
	m.addArrivals(set)
	m.weigh()
	if err := m.Net.Validate(); err != nil {
		return nil, fmt.Errorf("building the network for simulation: %w", err)
	}
	return m, nil
}

// weigh chooses the measure of throughput. If all flows are a multiple of one source, the measure is the work of the
// first bottleneck with constant work per byte. This work varies much less than the output of the sources, especially
// while buffers fill. In other cases the measure is the output of the sources.
func (m *Model) weigh() {
	n, s := m.flow, m.solution
	m.Weight = make([]float64, len(m.Net.Stations))
	for i := 0; n.Flows.Free == 1 && i < len(s.Bottlenecks); i++ {
		for _, l := range s.Bottlenecks[i].Limits {
			if m.weighWork(&n.Limits[l], s.Bottlenecks[i].Throughput) {
				m.Work = true
				return
			}
		}
	}
	clear(m.Weight)
	for _, src := range s.Sources {
		if i := m.Kernel[src.Kernel]; i >= 0 {
			m.Weight[i] = src.Rate / n.Firings(s, src.Kernel)
		}
	}
}

// weighWork sets Weight so that throughput is measured by the work of the members of a limit. It returns false for a
// cycle bound. It also returns false if the work is not proportional to the moved bytes, because a timeout may shorten
// transfers. throughput is the throughput that this limit alone would permit.
func (m *Model) weighWork(l *flow.Limit, throughput float64) bool {
	if l.Cycle != nil {
		return false
	}
	clear(m.Weight)
	phi := m.flow.Problem.MaxUtilization
	if phi == 0 {
		phi = flow.DefaultMaxUtilization
	}
	any := false
	for _, x := range l.Members {
		st := &m.flow.Stations[x]
		i := -1
		if st.Kind == flow.KernelStation {
			i = m.Kernel[st.Kernel]
		} else if c, ok := m.crossing[crossing{st.Edge, st.Hop}]; ok {
			i = c
			if m.Net.Stations[i].Bulk > 1 && m.Net.Stations[i].Service != nil && !math.IsInf(m.Net.Stations[i].Flush,
				1) {
				return false
			}
		}
		if i >= 0 {
			m.Weight[i] = throughput / phi
			any = true
		}
	}
	return any
}

// servers returns the server of each shared resource or link, or -1 if each member has its own server.
func (m *Model) servers(members []int, rule func(int) flow.SharingRule, d maxplus.Discipline) []int {
	list := make([]int, len(members))
	for r, n := range members {
		list[r] = -1
		if n > 1 && (rule(r) == flow.Conserving || rule(r) == flow.Bulk) {
			list[r] = len(m.Net.Servers)
			m.Net.Servers = append(m.Net.Servers, maxplus.Server{Discipline: d})
		}
	}
	return list
}

// addKernels adds a station for each kernel with a flow. The stations are in data order, so that the kernels nearest to
// the sinks have the first turn, as in deploy/runtime/sched.c.
func (m *Model) addKernels(set Setting) {
	n := m.flow
	arch := &n.Problem.Architecture
	members := make([]int, len(arch.Resources))
	for _, r := range n.Mapping.Place {
		members[r]++
	}
	discipline := maxplus.Turns
	if set.Style == KernelStyle {
		discipline = maxplus.Sharing
	}
	servers := m.servers(members, func(r int) flow.SharingRule { return arch.Resources[r].Sharing.Rule }, discipline)
	for k := range m.Kernel {
		m.Kernel[k] = -1
	}
	for _, k := range n.Flows.Order {
		if !(n.Firings(m.solution, k) > 0) {
			continue
		}
		m.Kernel[k] = len(m.Net.Stations)
		r := n.Mapping.Place[k]
		st := maxplus.Station{Name: n.Problem.Application.Kernels[k].Name, Server: servers[r]}
		m.serve(&st, k, members[r], set.OneFiring)
		m.Net.Stations = append(m.Net.Stations, st)
	}
}

// These constants limit turns in a run (deploy/runtime/turn.c). The turns of sources and of readers have different time
// limits and a common limit of bytes. The turns of sources also have a limit of firings.
const (
	sourceTurn  = 35e-6 // s
	readerTurn  = 1e-3  // s
	turnBytes   = 16384
	sourceCalls = 256
)

// serve sets the service times of a kernel's firings, and the maximum number of firings in a turn. If one is true,
// turns are limited to one firing.
func (m *Model) serve(st *maxplus.Station, k, sharers int, one bool) {
	n := m.flow
	r := n.Mapping.Place[k]
	figures := &n.Problem.Figures[k][r]
	groups := m.groups(k)
	source := len(groups) == 0
	if source {
		groups = []group{{bytes: 1 / n.Flows.Firings(k)[0].PerByte}}
	}
	times := 1.0
	if n.Problem.Architecture.Resources[r].Sharing.Rule == flow.Equal {
		times = float64(sharers)
	}
	compute := make([]float64, len(groups))
	costs := make([]float64, len(groups))
	for g := range groups {
		compute[g] = times * groups[g].bytes / n.Stations[k].ServiceRate // the first stations are the kernels, in order
		costs[g] = times * m.costs(k, r, sharers, &groups[g])
	}
	// All groups use the distribution of the first group, with their own mean.
	first := compute[0] + costs[0]
	if first > 0 {
		scv := Variation(n.Problem, k, r)
		st.Service = service(figures, scv, compute[0], costs[0])
		if len(groups) > 1 {
			for g := range groups {
				st.Scale = append(st.Scale, (compute[g]+costs[g])/first)
			}
		}
	}
	turn := readerTurn
	if source {
		turn = sourceTurn
	}
	maximum := max(1, turnBytes/groups[0].bytes)
	if first > 0 {
		maximum = min(maximum, turn/first)
	}
	if source {
		maximum = min(maximum, sourceCalls)
	}
	if st.Burst = int(max(1, min(maximum, math.MaxInt32))); one {
		st.Burst = 1
	}
}

// Variation returns the squared coefficient of variation of a kernel's service times on a resource. If the variation is
// unknown, Variation returns 0 for an FPGA, because its kernels are clocked, and 1 for other resources.
func Variation(p *flow.Problem, k, r int) float64 {
	scv := p.Figures[k][r].ServiceSCV
	if scv >= 0 {
		return scv
	}
	if p.Architecture.Resources[r].Sharing.Rule == flow.AreaOnly {
		return 0
	}
	return 1
}

// service returns the distribution of the duration of a firing with the given mean computing time, plus costs. It is
// the measured distribution or, without measured times, a distribution with this mean and the variation scv.
func service(f *flow.Figures, scv, compute, costs float64) maxplus.Service {
	if f.Times != nil && f.Times.Samples() > 0 && f.Times.Mean() > 0 && compute > 0 {
		h := maxplus.NewBins(f.Times)
		return maxplus.Scaled{Of: h, Factor: compute / h.Mean(), Plus: costs}
	}
	s := maxplus.Moments(compute, scv)
	if costs > 0 {
		return maxplus.Scaled{Of: s, Factor: 1, Plus: costs}
	}
	return s
}

// costs returns the time in seconds that a firing needs in addition to its service; see [flow.Part].
func (m *Model) costs(k, r, sharers int, g *group) float64 {
	n := m.flow
	p := n.Problem
	if p.Architecture.Resources[r].Sharing.Rule == flow.AreaOnly {
		return 0
	}
	figures := &p.Figures[k][r]
	sum := 0.0
	if sharers > 1 {
		sum += figures.CoLocationCost * g.bytes
		if p.OwnSwitchCost(k, r) {
			sum += figures.SwitchCost * g.bytes
		} else {
			sum += p.Architecture.Resources[r].Sharing.SwitchCost
		}
	}
	if slower := n.Stations[k].Slowdown - 1; slower > 0 { // the first stations are the kernels, in order
		sum += slower * g.bytes / figures.ServiceRate
	}
	for e := range p.Application.Edges {
		edge := &p.Application.Edges[e]
		if edge.To == k && n.Mapping.Place[edge.From] != r {
			sum += (figures.ReceiveCost + p.Receiving(e, n.Mapping.Route[e])) * g.of(e)
		}
		if edge.From == k && n.Mapping.Place[edge.To] != r {
			sum += (figures.SendCost + p.Sending(e, n.Mapping.Route[e])) * m.perFiring(e) * edge.ElementBytes
		}
	}
	return sum
}

// group is a set of input edges from which a kernel consumes together.
type group struct {
	edges    []int
	consumes []float64 // elements of each edge
	bytes    float64   // total of all edges
	each     []float64 // bytes of each edge
	copy     int       // position of the last added edge among its port's edges
}

func (g *group) add(app *flow.Application, e int, bytes float64) {
	g.edges = append(g.edges, e)
	g.consumes = append(g.consumes, max(1, math.Round(bytes/app.Edges[e].ElementBytes)))
	g.each = append(g.each, bytes)
	g.bytes += bytes
}

func (g *group) clone() group {
	return group{slices.Clone(g.edges), slices.Clone(g.consumes), g.bytes, slices.Clone(g.each), g.copy}
}

func (g *group) of(edge int) float64 {
	if i := slices.Index(g.edges, edge); i >= 0 {
		return g.each[i]
	}
	return 0
}

// groups returns the groups of a kernel: the groups of each join, and one group for each edge outside joins. Edges
// without flow belong to no group. A source has no groups.
func (m *Model) groups(k int) []group {
	app := &m.flow.Problem.Application
	var list []group
	joined := make(map[int]bool)
	for _, j := range app.Kernels[k].Joins {
		for _, p := range j.Ports {
			for _, e := range p.Edges {
				joined[e] = true
			}
		}
		list = append(list, m.joinGroups(j)...)
	}
	for _, e := range m.into[k] {
		if !joined[e] && m.solution.EdgeFlow[e] > 0 {
			var g group
			g.add(app, e, app.Edges[e].ElementBytes)
			list = append(list, g)
		}
	}
	return list
}

// joinGroups returns the groups of a join. If several edges lead to a port, a firing may consume a fractional number of
// elements from each edge on average. A single firing then consumes from only one of these edges. If the edges come
// from copies of one unit, a group contains the edges of one copy. Otherwise, a group may combine any edge of a port
// with any edge of another port, because copies of different kernels have turns of different lengths.
func (m *Model) joinGroups(j flow.Join) []group {
	app := &m.flow.Problem.Application
	copies := m.copiesBefore(j)
	if copies == 1 && (m.hasIntegerShares(j) || m.combinations(j) > maxCombinations) {
		var g group
		for _, p := range j.Ports {
			for _, e := range p.Edges {
				if m.solution.EdgeFlow[e] > 0 {
					g.add(app, e, p.Bytes*m.shareOf(e, p.Edges))
				}
			}
		}
		if len(g.edges) == 0 {
			return nil
		}
		return []group{g}
	}
	list := []group{{}}
	for _, p := range j.Ports {
		var longer []group
		for i, e := range p.Edges {
			if !(m.solution.EdgeFlow[e] > 0) {
				continue
			}
			for before := range list {
				if copies > 1 && len(list[before].edges) > 0 && list[before].copy != i {
					continue
				}
				g := list[before].clone()
				g.copy = i
				g.add(app, e, p.Bytes)
				longer = append(longer, g)
			}
		}
		if len(longer) > 0 {
			list = longer
		}
	}
	if len(list[0].edges) == 0 {
		return nil
	}
	return list
}

// maxCombinations limits the combinations of edges of a simulated join, because each firing checks all combinations.
const maxCombinations = 4096

// combinations returns the number of ways in which a join can choose one edge of each port.
func (m *Model) combinations(j flow.Join) float64 {
	n := 1.0
	for _, p := range j.Ports {
		n *= float64(max(1, len(p.Edges)))
	}
	return n
}

// copiesBefore returns the number of copies that send to every port of a join in equal shares. A firing then consumes
// elements of a single copy. copiesBefore returns 1 if a port has no copies, or if the numbers or shares of copies
// differ between ports.
func (m *Model) copiesBefore(j flow.Join) int {
	app := &m.flow.Problem.Application
	first := j.Ports[0].Edges
	for _, p := range j.Ports {
		if len(p.Edges) != len(first) || len(first) == 0 || app.Edges[p.Edges[0]].Round == 0 {
			return 1
		}
		for i, e := range p.Edges {
			if math.Abs(m.shareOf(e, p.Edges)-m.shareOf(first[i], first)) > meanRounding {
				return 1
			}
		}
	}
	return len(first)
}

// hasIntegerShares reports whether the mean number of elements that a firing of a join consumes from each edge is an
// integer.
func (m *Model) hasIntegerShares(j flow.Join) bool {
	app := &m.flow.Problem.Application
	for _, p := range j.Ports {
		for _, e := range p.Edges {
			if len(p.Edges) == 1 || !(m.solution.EdgeFlow[e] > 0) {
				continue
			}
			x := p.Bytes * m.shareOf(e, p.Edges) / app.Edges[e].ElementBytes
			if n := math.Round(x); n < 1 || math.Abs(n-x) > meanRounding*n {
				return false
			}
		}
	}
	return true
}

// shareOf returns the flow of one edge as a fraction of the flow of all edges that lead to the same port of a join.
func (m *Model) shareOf(e int, edges []int) float64 {
	sum := 0.0
	for _, x := range edges {
		sum += m.solution.EdgeFlow[x]
	}
	if len(edges) == 1 || !(sum > 0) {
		return 1
	}
	return m.solution.EdgeFlow[e] / sum
}

// perFiring returns the average number of elements that a firing of the writer sends on an edge.
func (m *Model) perFiring(e int) float64 {
	edge := &m.flow.Problem.Application.Edges[e]
	if edge.Emits > 0 {
		return float64(edge.Emits)
	}
	firings := m.flow.Firings(m.solution, edge.From)
	if !(firings > 0) {
		return 0
	}
	return rational(m.solution.EdgeFlow[e] / edge.ElementBytes / firings)
}

// rational returns the fraction with a denominator of at most 64 that a rounded count represents, or x if there is
// none. Without this correction, the numbers of elements on two branches of a split would diverge.
func rational(x float64) float64 {
	for q := 1.0; q <= 64; q++ {
		if p := math.Round(x * q); p > 0 && math.Abs(p/q-x) <= meanRounding*x {
			return p / q
		}
	}
	return x
}

// meanRounding is the tolerance for gains and routing fractions that are printed with six digits.
const meanRounding = 1e-4
