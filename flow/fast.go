package flow

import (
	"context"
	"fmt"
	"math"

	"xopt/flow/faults"
)

// Solver finds the maximum throughput of a network.
type Solver interface {
	// Solve returns the solution. An error that wraps [ErrInfeasible] or [ErrUnbounded] names the constraint.
	Solve(ctx context.Context, n *Network) (*Solution, error)
}

// bottleneckSteps is the length of the sequence of bottlenecks: the first bottleneck and the next three bottlenecks.
const bottleneckSteps = 4

// Fast solves a network with the flows of its free sources as variables. With one free source, the throughput is a
// minimum over the limits. Otherwise it is the solution of a linear program with one variable per free source. The zero
// value is ready to use.
type Fast struct{}

// Solve implements [Solver]. It does not block, so it checks ctx only once.
func (Fast) Solve(ctx context.Context, n *Network) (*Solution, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var lp packing
	if err := n.pack(&lp, nil); err != nil {
		return nil, err
	}
	s := n.state(lp.z)
	s.Prices = n.prices(lp.price, s)
	s.Bottlenecks = n.bottlenecks()
	return s, nil
}

// Solve returns the network of a mapping and its solution with unlimited buffers. The error is an error of [NewNetwork]
// or [Fast.Solve], such as ErrInfeasible.
func (p *Problem) Solve(ctx context.Context, m *Mapping) (*Network, *Solution, error) {
	n, err := NewNetwork(p, m)
	if err != nil {
		return nil, nil, err
	}
	s, err := Fast{}.Solve(ctx, n)
	return n, s, err
}

// pack solves the network's linear program without the limits in resolved.
func (n *Network) pack(lp *packing, resolved map[int]bool) error {
	n.fill(lp, resolved, -1)
	lp.solve(n.Flows.objective)
	switch lp.status {
	case packingUnbounded:
		return n.unbounded()
	case packingStalled:
		return fmt.Errorf("solving %d limits for %d free sources: %w", lp.rows, lp.cols, errStalled)
	}
	if !(lp.value() > 0) {
		return n.noFlow()
	}
	return nil
}

// fill sets the rows of the network's linear program, without the limits in resolved. It reduces the limit with the
// index lower slightly; -1 for none.
func (n *Network) fill(lp *packing, resolved map[int]bool, lower int) {
	phi := n.Problem.maxUtilization()
	lp.reset(n.Flows.Free)
	for i := range n.Limits {
		switch {
		case resolved[i]:
			lp.add(make([]float64, n.Flows.Free), phi)
		case i == lower:
			lp.add(n.Limits[i].load, phi*(1-bindStep))
		default:
			lp.add(n.Limits[i].load, phi)
		}
	}
	n.Flows.addSlackSources(lp)
}

// addSlackSources prevents negative flows from sources that are differences of free sources.
func (f *Flows) addSlackSources(lp *packing) {
	for i := 0; i < len(f.slackRows); i += f.Free {
		lp.add(f.slackRows[i:i+f.Free], 0)
	}
}

func (n *Network) unbounded() error {
	e := &UnboundedError{}
	for s, k := range n.Flows.Sources {
		limited := false
		for i := range n.Limits {
			for f, w := range n.Flows.Source(s) {
				limited = limited || w != 0 && n.Limits[i].load[f] > 0
			}
		}
		if !limited {
			e.Sources = append(e.Sources, n.Problem.Application.Kernels[k].Name)
		}
	}
	if len(e.Sources) == 0 {
		for _, k := range n.Flows.Sources {
			e.Sources = append(e.Sources, n.Problem.Application.Kernels[k].Name)
		}
	}
	return e
}

// noFlow returns the reason for a throughput of zero: the joins that tie the sources together.
func (n *Network) noFlow() error {
	text := "no positive flow satisfies the network"
	for i, t := range n.Flows.ties {
		if t.join == turns {
			continue
		}
		k := &n.Problem.Application.Kernels[t.kernel]
		ports := k.Joins[t.join].Ports
		sep := ", nor "
		if i == 0 || n.Flows.ties[i-1].join == turns {
			sep = ": the sources cannot supply "
		}
		text += fmt.Sprintf("%sport %s of kernel %s together with port %s", sep, ports[t.b].Name, k.Name,
			ports[t.a].Name)
	}
	return fmt.Errorf("%s (check gain, routing and the counts of joins): %w", text, ErrInfeasible)
}

// state computes all rates and utilizations from the flows of the free sources.
func (n *Network) state(z []float64) *Solution {
	app := &n.Problem.Application
	r := rates{
		source:  make([]float64, len(n.Flows.Sources)),
		edge:    make([]float64, len(app.Edges)),
		arrival: make([]float64, len(n.Stations)),
	}
	for i := range r.source {
		r.source[i] = math.Max(0, dot(n.Flows.Source(i), z))
	}
	for e := range r.edge {
		r.edge[e] = math.Max(0, dot(n.Flows.Edge(e), z))
	}
	for i := range r.arrival {
		r.arrival[i] = math.Max(0, dot(n.Stations[i].arrival, z))
	}
	return n.solution(r)
}

// rates are the flows of a solution, in bytes/s.
type rates struct {
	source  []float64 // per source
	edge    []float64 // per edge
	arrival []float64 // per station
}

// solution computes all utilizations from the flows.
func (n *Network) solution(r rates) *Solution {
	s := &Solution{
		EdgeFlow:  r.edge,
		Stations:  make([]StationState, len(n.Stations)),
		Resources: make([]ResourceState, len(n.Problem.Architecture.Resources)),
		Links:     make([]ResourceState, len(n.Problem.Architecture.Links)),
	}
	for i, k := range n.Flows.Sources {
		s.Sources = append(s.Sources, SourceFlow{Kernel: k, Rate: r.source[i]})
		s.Throughput += r.source[i]
	}
	for i := range n.Stations {
		st := &n.Stations[i]
		s.Stations[i].ArrivalRate = r.arrival[i]
		s.Stations[i].ServiceRate = st.ServiceRate
	}
	for i := range n.Limits {
		if n.Limits[i].Cycle == nil {
			n.applyLimit(&n.Limits[i], s)
		}
	}
	for i := range n.Limits {
		if n.Limits[i].Cycle == nil {
			n.leftUnused(&n.Limits[i], s)
		}
	}
	for i := range n.Stations {
		st := &s.Stations[i]
		if st.ArrivalRate > 0 {
			st.Utilization = st.ArrivalRate / st.SharedRate
		}
	}
	for i, used := range n.Problem.areasUsed(n.Mapping) {
		s.Resources[i].Area = used
	}
	s.Warnings = n.starved(s)
	if err := n.unknownContention(); err != nil {
		s.Warnings = append(s.Warnings, err)
	}
	return s
}

// applyLimit sets the shared rates of a limit's members, and the utilization of its resource or link.
func (n *Network) applyLimit(l *Limit, s *Solution) {
	utilization := 0.0
	own := make([]float64, len(l.Members))
	use := func(member int, part Part, u float64) {
		own[member] += u
		s.Stations[l.Members[member]].Parts[part] += u / l.sharers
		s.Stations[l.Members[member]].Share += u / l.sharers
	}
	for i, m := range l.Members {
		use(i, Compute, s.Stations[m].ArrivalRate*l.Weight[i])
	}
	for _, c := range l.Costs {
		use(c.Member, c.Part, s.costRate(l, &c)*c.Weight)
	}
	for _, u := range own {
		utilization += u
	}
	for i, m := range l.Members {
		s.Stations[m].SharedRate = sharedRate(l, i, utilization, own[i], s.Stations[m].ArrivalRate)
	}
	state := &s.Resources
	at := l.Resource
	if l.Link >= 0 {
		state, at = &s.Links, l.Link
	}
	(*state)[at].Members += len(l.Members)
	(*state)[at].Utilization = math.Max((*state)[at].Utilization, utilization)
}

// costRate returns the rate in bytes/s to which a cost of a limit applies.
func (s *Solution) costRate(l *Limit, c *Cost) float64 {
	if c.Edge >= 0 {
		return s.EdgeFlow[c.Edge]
	}
	return s.Stations[l.Members[c.Member]].ArrivalRate
}

// leftUnused computes the unused part of each share under equal sharing, in which the member with the largest load
// determines the utilization. With this part, the members' parts add up to the utilization.
func (n *Network) leftUnused(l *Limit, s *Solution) {
	rule := n.Problem.Architecture.Resources[max(0, l.Resource)].Sharing.Rule
	if l.Link >= 0 {
		rule = n.Problem.Architecture.Links[l.Link].Sharing.Rule
	}
	if rule != Equal {
		return
	}
	state := &s.Resources[max(0, l.Resource)]
	if l.Link >= 0 {
		state = &s.Links[l.Link]
	}
	st := &s.Stations[l.Station]
	st.Parts[Unused] = math.Max(0, state.Utilization/float64(state.Members)-st.Share)
}

// starved returns warnings about sources without flow at the optimum. The optimum maximizes the sum of the source
// rates, and ignores fairness between sources.
func (n *Network) starved(s *Solution) []error {
	var warnings []error
	if len(s.Sources) < 2 || !(s.Throughput > 0) {
		return nil
	}
	for _, src := range s.Sources {
		if src.Rate <= 1e-12*s.Throughput {
			warnings = append(warnings, faults.SourceWithoutFlow.Errorf("source %s has no flow, because the total "+
				"throughput is highest without it (if the sources must run together, join their streams)",
				n.Problem.Application.Kernels[src.Kernel].Name))
		}
	}
	return warnings
}

// prices converts the dual values of the limits into prices of the stations. If a member's μ rises by dμ, the load of
// the limit falls by λ·weight·dμ/μ.
func (n *Network) prices(dual []float64, s *Solution) []Price {
	prices := make([]Price, len(n.Stations))
	for i := range n.Limits {
		if dual[i] <= 0 {
			continue
		}
		l := &n.Limits[i]
		for j, m := range l.Members {
			st := &n.Stations[m]
			if math.IsInf(st.ServiceRate, 1) {
				continue
			}
			// Only the 1/μ part of the load falls with μ: d load / (dμ/μ).
			drop := s.Stations[m].ArrivalRate * l.Weight[j]
			prices[m].Shadow += dual[i] * drop / st.ServiceRate
			prices[m].Elasticity += dual[i] * drop / s.Throughput
		}
	}
	return prices
}

// bindingTolerance is the maximum relative difference of two limits that bind at the same time.
const bindingTolerance = 1e-9

// bottlenecks returns the sequence of bottlenecks. It removes the binding limits step by step.
func (n *Network) bottlenecks() []Bottleneck {
	resolved := make(map[int]bool)
	var steps []Bottleneck
	var lp packing
	for len(steps) < bottleneckSteps {
		if n.pack(&lp, resolved) != nil {
			break // nothing limits the flow any more
		}
		b := Bottleneck{Throughput: lp.value(), Limits: n.binding(&lp, resolved)}
		if len(b.Limits) == 0 {
			break
		}
		for _, i := range b.Limits {
			resolved[i] = true
		}
		steps = append(steps, b)
	}
	return steps
}

// binding lists the limits that determine the optimum: the limits that bind at all optimal source rates. With one free
// source, these are all binding limits.
func (n *Network) binding(lp *packing, resolved map[int]bool) []int {
	var limits []int
	phi := n.Problem.maxUtilization()
	alone := n.Flows.Free == 1 || lp.unique()
	existing := make(map[string]bool) // by row: whether it determines the optimum
	for i := range n.Limits {
		if resolved[i] || !(dot(n.Limits[i].load, lp.z) >= phi*(1-bindingTolerance)) {
			continue
		}
		if !alone && !(lp.price[i] > 0) {
			row := fmt.Sprintf("%.12g", n.Limits[i].load)
			isBinding, isKnown := existing[row]
			if !isKnown {
				isBinding = n.isBinding(lp, resolved, i)
				existing[row] = isBinding
			}
			if !isBinding {
				continue
			}
		}
		limits = append(limits, i)
	}
	return limits
}

// bindStep is the reduction of a limit in isBinding. bindNoise is the largest drop of the optimum that isBinding
// ignores. Both are relative.
const (
	bindStep  = 1e-6
	bindNoise = 1e-12
)

// isBinding reports whether the optimum falls when a limit is reduced slightly.
func (n *Network) isBinding(lp *packing, resolved map[int]bool, limit int) bool {
	var lower packing
	n.fill(&lower, resolved, limit)
	lower.solve(n.Flows.objective)
	return lower.status == packed && lower.value() < lp.value()*(1-bindNoise)
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i, x := range a {
		s += x * b[i]
	}
	return s
}

// UnderSharing returns the problem with the given rule for every time-shared processor and link, for a comparison of
// sharing models. Area-shared resources stay unchanged.
func (p *Problem) UnderSharing(rule SharingRule) *Problem {
	q := *p
	q.Architecture.Resources = append([]Resource(nil), p.Architecture.Resources...)
	q.Architecture.Links = append([]Link(nil), p.Architecture.Links...)
	for i := range q.Architecture.Resources {
		if s := &q.Architecture.Resources[i].Sharing; s.Rule != AreaOnly {
			s.Rule = rule
		}
	}
	for i := range q.Architecture.Links {
		s := &q.Architecture.Links[i].Sharing
		if s.Rule = rule; rule == Conserving && s.TransferCost > 0 {
			s.Rule = Bulk
		}
	}
	return &q
}
