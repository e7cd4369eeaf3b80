package flow

import (
	"fmt"
	"math"
	"slices"
)

// Network is the flow network G_F of one mapping (Beard 2013 §3.1). It has a station for every kernel and for every
// link that an edge crosses. The sharing of resources and links determines its limits.
type Network struct {
	*Prepared
	Mapping  *Mapping  // with every route filled in
	Stations []Station // of the kernels, in order, then of each edge's route
	Limits   []Limit   // of resources, of links, then of cycles

	hops    []int // station of the first link that each edge crosses; the stations of its other links follow
	crossed []int // by link: number of stations
}

// StationKind distinguishes kernels from links.
type StationKind uint8

const (
	KernelStation StationKind = iota
	LinkStation
)

// Station is a queue with its server.
type Station struct {
	Kind StationKind
	Name string // "top.fft", or "top.e1 over PCI"

	Kernel   int
	Edge     int // the edge that crosses the link, or -1
	Hop      int // position of the link in the edge's route, from 0
	Resource int // resource on which the kernel runs, or -1
	Link     int // link that the edge crosses, or -1

	// ServiceRate is the unshared μ in bytes/s: the rate of the kernel on its resource, or the link's bandwidth.
	ServiceRate float64
	// arrival is λ per byte/s of each free source.
	arrival []float64
	// limit is the limit of the station's server, and member is the station's position among the members of this limit.
	limit, member int
	Origin        Origin
	// Slowdown is the factor on the kernel's execution time due to kernels on other cores of its memory, at the
	// throughput of the mapping. It is 0 if nothing slows the kernel.
	Slowdown float64
}

// Limit is one constraint on the flow. The sum of λ·Weight over its members, plus its Costs, is at most φ (Beard 2013,
// Eq. 4 and 6 after sharing).
type Limit struct {
	Name     string // "top.fft on proc[1]", "proc[1]", "PCI", "cycle top.a -> top.b -> top.a"
	Resource int    // or -1
	Link     int    // or -1
	// Cycle is the cycle whose initial elements limit the flow; nil for the limit of a resource or link. This limit
	// does not represent a server: each member is also a member of the limit of its own server.
	Cycle *Cycle
	// Station is the station to which the limit applies, if each station has its own limit (equal and area sharing). It
	// is -1 if members share the limit (conserving and bulk sharing).
	Station int
	Members []int     // stations
	sharers float64   // factor on a member's weight: under equal sharing, the number of sharers
	Weight  []float64 // by member: utilization per byte/s of arrival rate, 1/μ divided by the member's share
	Costs   []Cost    // additional loads of members

	load []float64 // utilization per byte/s of each free source
}

// NewNetwork builds the network of one mapping of p. The problem must satisfy [Problem.Validate]. The error is an
// *InfeasibleError that lists all violations of the mapping, or an error of [NewFlows].
func NewNetwork(p *Problem, m *Mapping) (*Network, error) {
	prepared, err := prepare(p)
	if err != nil {
		return nil, err
	}
	return prepared.Network(m)
}

// Network builds the network of one mapping. The error is an *InfeasibleError that lists all violations of the mapping.
func (p *Prepared) Network(m *Mapping) (*Network, error) {
	full, violations := completeMapping(p.Problem, p.Routes, m)
	violations = append(violations, areaViolations(p.Problem, m)...)
	if len(violations) > 0 {
		return nil, &InfeasibleError{Violations: violations}
	}
	n, flows := &Network{Prepared: p, Mapping: full}, p.Flows
	n.addKernels()
	n.addLinks()
	for i := range n.Limits {
		n.Limits[i].load = n.loadOf(&n.Limits[i])
	}
	n.contend()
	if len(flows.circles) > 0 {
		if violations = n.addCycles(); len(violations) > 0 {
			return nil, &InfeasibleError{Violations: violations}
		}
	}
	return n, nil
}

// completeMapping fills in default routes and returns the violations.
func completeMapping(p *Problem, routes *Routes, m *Mapping) (*Mapping, []Violation) {
	var bad []Violation
	add := func(kind ViolationKind, kernel, edge, resource int, format string, args ...any) {
		bad = append(bad, Violation{Kind: kind, Kernel: kernel, Edge: edge, Resource: resource,
			Text: fmt.Sprintf(format, args...)})
	}
	app, arch := &p.Application, &p.Architecture
	full := &Mapping{Place: m.Place, Route: make([][]int, len(app.Edges))}
	placed := len(m.Place) == len(app.Kernels)
	if !placed {
		add(NoImplementation, -1, -1, -1, "only %d of %d kernels are placed", len(m.Place), len(app.Kernels))
		return full, bad
	}
	for k, r := range m.Place {
		switch {
		case r < 0 || r >= len(arch.Resources):
			add(NoImplementation, k, -1, r, "kernel %s is not placed on any resource", app.Kernels[k].Name)
			placed = false
		case !p.Figures[k][r].Available:
			add(NoImplementation, k, -1, r, "kernel %s has no implementation for %s (%s)",
				app.Kernels[k].Name, arch.Resources[r].Name, arch.Resources[r].Platform)
		}
	}
	if !placed {
		return full, bad
	}
	for e := range app.Edges {
		edge := &app.Edges[e]
		from, to := m.Place[edge.From], m.Place[edge.To]
		var given []int
		if e < len(m.Route) {
			given = m.Route[e]
		}
		switch {
		case from == to && len(given) == 0:
			full.Route[e] = []int{}
		case from == to:
			add(BadRoute, -1, e, from, "edge %s stays inside %s but is mapped to a link", edge.Name,
				arch.Resources[from].Name)
		case len(given) > 0 && !arch.Joins(given, from, to):
			add(BadRoute, -1, e, -1, "edge %s leads from %s to %s, which %s does not connect",
				edge.Name, arch.Resources[from].Name, arch.Resources[to].Name, arch.linkNames(given))
		case len(given) > 0:
			full.Route[e] = given
		default:
			alternatives := routes.Between(from, to)
			if len(alternatives) == 0 {
				add(NoRoute, -1, e, -1, "edge %s leads from %s to %s, but no link connects these resources",
					edge.Name, arch.Resources[from].Name, arch.Resources[to].Name)
				continue
			}
			full.Route[e] = alternatives[0]
		}
	}
	return full, bad
}

func (a *Architecture) linkNames(route []int) string {
	s := ""
	for i, l := range route {
		if i > 0 {
			s += ", "
		}
		if l < 0 || l >= len(a.Links) {
			s += fmt.Sprintf("link %d", l)
			continue
		}
		s += a.Links[l].Name
	}
	return s
}

// areasUsed returns the total area of the kernels on each resource.
func (p *Problem) areasUsed(m *Mapping) []Area {
	used := make([]Area, len(p.Architecture.Resources))
	for k, r := range m.Place {
		if r >= 0 && r < len(used) {
			for kind, need := range p.Figures[k][r].Area {
				used[r][kind] += need
			}
		}
	}
	return used
}

// areaViolations returns the violations of Beard 2013, Eq. 10, for every kind of area.
func areaViolations(p *Problem, m *Mapping) []Violation {
	var bad []Violation
	areas := p.areasUsed(m)
	for r := range p.Architecture.Resources {
		res, used := &p.Architecture.Resources[r], &areas[r]
		if res.Sharing.Rule != AreaOnly {
			continue
		}
		for kind := range used {
			if have := res.Area[kind]; used[kind] > have*(1+areaRounding) {
				bad = append(bad, Violation{Kind: AreaExceeded, Kernel: -1, Edge: -1, Resource: r,
					Text: fmt.Sprintf("kernels on %s need %.6g %s, but only %.6g %s are usable", res.Name, used[kind],
						AreaKind(kind), have, AreaKind(kind))})
			}
		}
	}
	return bad
}

// areaRounding is the tolerance for sums of fractions.
const areaRounding = 1e-12

func (n *Network) addKernels() {
	p := n.Problem
	members, clocks := make([][]int, len(p.Architecture.Resources)), n.clocks()
	n.Stations = slices.Grow(n.Stations, len(p.Application.Kernels)+len(p.Application.Edges))
	for k := range p.Application.Kernels {
		r := n.Mapping.Place[k]
		fig := &p.Figures[k][r]
		members[r] = append(members[r], len(n.Stations))
		n.Stations = append(n.Stations, Station{
			Kind: KernelStation, Name: p.Application.Kernels[k].Name,
			Kernel: k, Edge: -1, Resource: r, Link: -1,
			ServiceRate: fig.rateAt(clocks[r]), arrival: n.Flows.Arrival(k), Origin: fig.Origin,
		})
	}
	for r, stations := range members {
		res := &p.Architecture.Resources[r]
		n.addLimits(res.Name, r, -1, res.Sharing.Rule, stations)
	}
	n.addCosts()
}

// clocks returns the clock of each FPGA: the lowest f_max of its kernels, or +Inf if no rate depends on the clock.
func (n *Network) clocks() []float64 {
	clocks := make([]float64, len(n.Architecture.Resources))
	for r := range clocks {
		clocks[r] = math.Inf(1)
	}
	for k, r := range n.Mapping.Place {
		if c := n.Figures[k][r].MaxClock; c > 0 && n.Architecture.Resources[r].Sharing.Rule == AreaOnly {
			clocks[r] = min(clocks[r], c)
		}
	}
	return clocks
}

// rateAt returns the service rate if the clock of the resource is at most the given frequency in Hz.
func (f *Figures) rateAt(clock float64) float64 {
	if clock >= f.MaxClock {
		return f.ServiceRate
	}
	return f.ServiceRate * (clock / f.MaxClock)
}

// RateFactors returns the factors applied to the measured or stated service rate of a kernel, in order.
func (n *Network) RateFactors(kernel int) []Factor {
	f := &n.Figures[kernel][n.Mapping.Place[kernel]]
	factors := slices.Clone(f.Factors)
	if rate := n.Stations[kernel].ServiceRate; rate != f.ServiceRate {
		factors = append(factors, Factor{Name: "clock of the FPGA", Times: rate / f.ServiceRate})
	}
	return factors
}

func (n *Network) addLinks() {
	p := n.Problem
	members := make([][]int, len(p.Architecture.Links))
	n.hops, n.crossed = make([]int, len(p.Application.Edges)), make([]int, len(members))
	for e := range p.Application.Edges {
		edge := &p.Application.Edges[e]
		n.hops[e] = len(n.Stations)
		for hop, l := range n.Mapping.Route[e] {
			link := &p.Architecture.Links[l]
			members[l] = append(members[l], len(n.Stations))
			n.Stations = append(n.Stations, Station{
				Kind: LinkStation, Name: edge.Name + " over " + link.Name,
				Kernel: -1, Edge: e, Hop: hop, Resource: -1, Link: l,
				ServiceRate: link.Bandwidth, arrival: n.Flows.Edge(e), Origin: link.Origin,
			})
		}
	}
	for l, stations := range members {
		link := &p.Architecture.Links[l]
		n.crossed[l] = len(stations)
		first := len(n.Limits)
		n.addLimits(link.Name, -1, l, link.Sharing.Rule, stations)
		for i := range n.Limits[first:] {
			n.addTransfers(&n.Limits[first+i], link)
		}
	}
}

// addTransfers adds the transfer costs of the members to the limit of a link.
func (n *Network) addTransfers(l *Limit, link *Link) {
	if link.Sharing.TransferCost == 0 {
		return
	}
	for m, s := range l.Members {
		cost := l.sharers * link.TransferCost(n.Problem.Application.Edges[n.Stations[s].Edge].ElementBytes)
		l.Costs = append(l.Costs, Cost{Member: m, Part: Transfers, Edge: -1, Weight: cost})
	}
}

// addLimits creates the limits of one resource or link from its members.
func (n *Network) addLimits(name string, resource, link int, rule SharingRule, stations []int) {
	if len(stations) == 0 {
		return
	}
	if rule == Conserving || rule == Bulk {
		limit := Limit{Name: name, Resource: resource, Link: link, Station: -1, Members: stations, sharers: 1}
		if len(stations) == 1 {
			limit.Station = stations[0]
		}
		for m, s := range stations {
			st := &n.Stations[s]
			st.limit, st.member = len(n.Limits), m
			limit.Weight = append(limit.Weight, timePerByte(st.ServiceRate))
		}
		n.Limits = append(n.Limits, limit)
		return
	}
	share := 1.0
	if rule == Equal {
		share = float64(len(stations))
	}
	for _, s := range stations {
		on := " on " + name
		if link >= 0 {
			on = ""
		}
		n.Stations[s].limit = len(n.Limits)
		n.Limits = append(n.Limits, Limit{
			Name: n.Stations[s].Name + on, Resource: resource, Link: link, Station: s,
			Members: []int{s}, sharers: share, Weight: []float64{share * timePerByte(n.Stations[s].ServiceRate)},
		})
	}
}

// loadOf sums the members' arrival rates by weight, per free source.
func (n *Network) loadOf(l *Limit) []float64 {
	load := make([]float64, n.Flows.Free)
	for i, s := range l.Members {
		for f, a := range n.Stations[s].arrival {
			load[f] += a * l.Weight[i]
		}
	}
	for _, c := range l.Costs {
		for f, a := range n.costRates(l, &c) {
			load[f] += a * c.Weight
		}
	}
	return load
}

// costRates returns the rate to which a cost of a limit applies, per byte/s of each free source.
func (n *Network) costRates(l *Limit, c *Cost) []float64 {
	if c.Edge >= 0 {
		return n.Flows.Edge(c.Edge)
	}
	return n.Stations[l.Members[c.Member]].arrival
}

// sharedRate returns μ_s of a station: the service rate available to it if the other members have the given arrival
// rates. Under equal sharing it is μ/n (Beard 2013, Eq. 9 and 11); under area sharing it is μ (Eq. 10). Under
// conserving sharing it is μ multiplied by 1 − Σ_{j≠i} ρ_j, the fraction that other members leave free. With this rate,
// λ/μ_s is the parameter of the geometric occupancy of a class on a processor-sharing server.
//
// own is the fraction of the server's time that the member uses, including all of its costs.
func sharedRate(l *Limit, member int, utilization, own, arrival float64) float64 {
	weight := l.Weight[member]
	if arrival > 0 {
		weight = own / arrival
	}
	if weight == 0 {
		return math.Inf(1)
	}
	if len(l.Members) == 1 {
		return 1 / weight
	}
	return math.Max(0, 1-(utilization-own)) / weight
}
