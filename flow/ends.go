package flow

// Interval is the 95 % confidence interval of a figure; both ends are 0 if it is unknown.
type Interval struct{ Low, High float64 }

// Bound selects one end of all intervals.
type Bound uint8

// These are the ends of an interval.
const (
	Bad  Bound = iota // rates at their lower ends, costs at their upper ends: the lowest throughput
	Good              // rates at their upper ends, costs at their lower ends: the highest throughput
	NumEnds
)

// Uncertainty is the uncertainty of a mapping's prediction due to the 95 % confidence intervals of its figures.
type Uncertainty struct {
	Throughput [NumEnds]float64 // Γ with all figures at an end
	// Possible contains the limits that could be the bottleneck instead of the first bottlenecks of the solution, as
	// indices into Network.Limits. With its own figures at their bad ends and all other figures at their good ends,
	// such a limit has the highest load at the solution's flow. If two limits share a figure, such as the figure of a
	// common block, this figure is at the same end for both limits.
	Possible []int
	// Assumed contains the stations with an assumed wide interval, as indices into Network.Stations; one station per
	// link.
	Assumed []int
}

// Uncertainty computes the uncertainty of a mapping from the intervals of its figures, given its solution. It returns
// nil if no figure has an interval. Throughput never rises when a rate falls or a cost rises. Therefore the ends of the
// throughput's interval are the throughputs of two networks: one with all figures at their bad ends, and one with all
// figures at their good ends. In these networks, all errors add up, so the true value is probably far from the ends.
func (n *Network) Uncertainty(s *Solution) (*Uncertainty, error) {
	isKnown, assumed := n.doubtful()
	if !isKnown {
		return nil, nil
	}
	e := &Uncertainty{Assumed: assumed}
	var at packing
	if err := n.pack(&at, nil); err != nil {
		return nil, err
	}
	var load [NumEnds][]float64
	var networks [NumEnds]*Network
	for bound := range NumEnds {
		m, throughput, err := n.with(n.atEnd(bound))
		if err != nil {
			return nil, err
		}
		e.Throughput[bound], networks[bound] = throughput, m
		for i := range m.Limits {
			load[bound] = append(load[bound], m.loadAt(i, at.z, at.value()/throughput))
		}
	}
	if len(s.Bottlenecks) == 0 {
		return e, nil
	}
	first := s.Bottlenecks[0].Limits
	list := possibleLimits(load, first)
	if len(list) == 0 {
		return e, nil
	}
	of := func(limit int) figureLoads {
		x := make(figureLoads)
		for bound, m := range networks {
			x.add(n, limit, endOfLoads{Bound(bound), m, at.z, at.value() / e.Throughput[bound]})
		}
		return x
	}
	maximum := of(first[0])
	for _, i := range list {
		if of(i).reaches(maximum) {
			e.Possible = append(e.Possible, i)
		}
	}
	return e, nil
}

// with returns the network of the same mapping with the figures of another problem, and its throughput.
func (n *Network) with(p *Problem) (*Network, float64, error) {
	m, err := n.Prepared.With(p).Network(n.Mapping)
	if err != nil {
		return nil, 0, err
	}
	var lp packing
	if err := m.pack(&lp, nil); err != nil {
		return nil, 0, err
	}
	return m, lp.value(), nil
}

// ThroughputOf returns the throughput of the same mapping with the figures of another problem for the same application
// and architecture.
func (n *Network) ThroughputOf(p *Problem) (float64, error) {
	_, throughput, err := n.with(p)
	return throughput, err
}

// possibleLimits lists the limits that may have the highest load within the intervals of the figures. It omits the
// limits in first.
func possibleLimits(load [NumEnds][]float64, first []int) []int {
	isFirst := make([]bool, len(load[Good]))
	for _, i := range first {
		isFirst[i] = true
	}
	maximum, next := -1, -1 // the largest two good ends
	for i, x := range load[Good] {
		switch {
		case maximum < 0 || x > load[Good][maximum]:
			maximum, next = i, maximum
		case next < 0 || x > load[Good][next]:
			next = i
		}
	}
	var list []int
	for i, x := range load[Bad] {
		other := maximum
		if i == maximum {
			other = next
		}
		if !isFirst[i] && other >= 0 && x >= load[Good][other] {
			list = append(list, i)
		}
	}
	return list
}

// loadAt returns the load of a limit at a flow z. The costs of contention in the limit apply to another flow; times
// converts them to the flow z.
func (n *Network) loadAt(limit int, z []float64, times float64) float64 {
	l := &n.Limits[limit]
	load := dot(l.load, z)
	for _, c := range l.Costs {
		if c.Part == Contended {
			load += dot(n.Stations[l.Members[c.Member]].arrival, z) * c.Weight * (times - 1)
		}
	}
	return load
}

// doubtful reports whether a figure of the mapping has an interval, and lists the stations with an assumed interval.
func (n *Network) doubtful() (isKnown bool, assumed []int) {
	is := func(x Interval) { isKnown = isKnown || x != Interval{} }
	links := make([]bool, len(n.Problem.Architecture.Links))
	for i := range n.Stations {
		st := &n.Stations[i]
		if st.Kind == LinkStation {
			l := &n.Problem.Architecture.Links[st.Link]
			is(Interval{l.Low, l.High})
			is(l.Sharing.TransferInterval)
			is(l.Sends.ByteInterval)
			is(l.Receives.ByteInterval)
			if l.Unusable && !links[st.Link] {
				assumed = append(assumed, i)
			}
			links[st.Link] = true
			continue
		}
		f := &n.Problem.Figures[st.Kernel][st.Resource]
		is(Interval{f.Low, f.High})
		is(f.CoLocationInterval)
		is(f.SwitchInterval)
		is(f.ReceiveInterval)
		is(f.SendInterval)
		is(n.Problem.Architecture.Resources[st.Resource].Sharing.SwitchInterval)
		isKnown = isKnown || f.ContentionEnds[Bad] != nil
		if f.Unusable || len(f.CostsAssumed) > 0 {
			assumed = append(assumed, i)
		}
	}
	return isKnown, assumed
}

// atEnd returns a copy of the problem. Each figure that the mapping uses is at the given end of its interval.
func (n *Network) atEnd(bound Bound) *Problem {
	p := *n.Problem
	p.Architecture.Resources = append([]Resource(nil), p.Architecture.Resources...)
	p.Architecture.Links = append([]Link(nil), p.Architecture.Links...)
	for i := range p.Architecture.Resources {
		s := &p.Architecture.Resources[i].Sharing
		s.SwitchCost = s.SwitchInterval.cost(s.SwitchCost, bound)
	}
	for i := range p.Architecture.Links {
		l := &p.Architecture.Links[i]
		l.Bandwidth = Interval{l.Low, l.High}.rate(l.Bandwidth, bound)
		l.Sharing.TransferCost = l.Sharing.TransferInterval.cost(l.Sharing.TransferCost, bound)
		l.Sends, l.Receives = l.Sends.atEnd(bound), l.Receives.atEnd(bound)
	}
	resources := len(p.Architecture.Resources)
	all := make([]Figures, len(p.Figures)*resources)
	p.Figures = make([][]Figures, len(n.Problem.Figures))
	for k, r := range n.Mapping.Place {
		p.Figures[k] = all[k*resources : (k+1)*resources]
		f := n.Problem.Figures[k][r]
		f.ServiceRate = Interval{f.Low, f.High}.rate(f.ServiceRate, bound)
		f.CoLocationCost = f.CoLocationInterval.cost(f.CoLocationCost, bound)
		f.SwitchKnown = f.SwitchKnown || f.SwitchCost > 0 // even if the end is 0
		f.SwitchCost = f.SwitchInterval.cost(f.SwitchCost, bound)
		f.ReceiveCost = f.ReceiveInterval.cost(f.ReceiveCost, bound)
		f.SendCost = f.SendInterval.cost(f.SendCost, bound)
		if c := f.ContentionEnds[bound]; c != nil && f.Contention != nil {
			f.Contention = c
		}
		p.Figures[k][r] = f
	}
	return &p
}

// rate returns a rate at one end of its interval, and cost returns a cost. A figure outside its interval, such as a
// replaced figure, stays unchanged.
func (x Interval) rate(value float64, bound Bound) float64 {
	switch {
	case !(x.Low > 0 && x.Low <= value && value <= x.High):
		return value
	case bound == Bad:
		return x.Low
	}
	return x.High
}

func (x Interval) cost(value float64, bound Bound) float64 {
	switch {
	case !(x.Low >= 0 && x.Low <= value && value <= x.High):
		return value
	case bound == Bad:
		return x.High
	}
	return x.Low
}
