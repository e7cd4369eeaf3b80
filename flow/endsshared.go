package flow

// figureLoads maps the figures of a limit to their load at both ends of their intervals. Kernels of
// the same block on the same platform share an entry, because their figure is at the same end for all of them.
type figureLoads map[figureID][NumEnds]float64

// figureID identifies a figure by its part, owner, value and interval. A figure of contention, or without an interval,
// belongs to one station.
type figureID struct {
	part    Part
	of      string // block and platform, platform, or linktype
	value   float64
	at      Interval
	station int // -1 if other stations can have the same figure
}

// idOf returns the identity of the figure that determines a part of a station's load.
func (n *Network) idOf(station int, part Part) figureID {
	arch := &n.Problem.Architecture
	st := &n.Stations[station]
	id := figureID{part: part, station: -1}
	if st.Kind == LinkStation {
		l := &arch.Links[st.Link]
		id.of, id.value, id.at = l.Type, l.Bandwidth, Interval{l.Low, l.High}
		if part == Transfers {
			id.value, id.at = l.Sharing.TransferCost, l.Sharing.TransferInterval
		}
		return id.orOwn(station)
	}
	f, r := &n.Problem.Figures[st.Kernel][st.Resource], &arch.Resources[st.Resource]
	id.of = n.Problem.Application.Kernels[st.Kernel].Block + " on " + r.Platform
	switch part {
	case Compute:
		id.value, id.at = f.ServiceRate, Interval{f.Low, f.High}
	case CoLocation:
		id.value, id.at = f.CoLocationCost, f.CoLocationInterval
	case Receiving:
		id.value, id.at = f.ReceiveCost, f.ReceiveInterval
	case Sending:
		id.value, id.at = f.SendCost, f.SendInterval
	case Switching:
		if n.Problem.OwnSwitchCost(st.Kernel, st.Resource) {
			id.value, id.at = f.SwitchCost, f.SwitchInterval
			break
		}
		id.of, id.value, id.at = r.Platform, r.Sharing.SwitchCost, r.Sharing.SwitchInterval
	}
	return id.orOwn(station)
}

// workIDs returns the identities of the figures of a link that determine a core's work for an edge. For each figure, it
// returns the fraction of the work in network at, whose figures are at one end of their intervals.
func (n *Network) workIDs(at *Network, station, edge int) map[figureID]float64 {
	route, side := n.Mapping.Route[edge], "bytes sent over "
	work := func(m *Network) Work { return m.Problem.Architecture.Links[route[0]].Sends }
	link := route[0]
	if n.Stations[station].Kernel != n.Problem.Application.Edges[edge].From {
		link, side = route[len(route)-1], "bytes received over "
		work = func(m *Network) Work { return m.Problem.Architecture.Links[link].Receives }
	}
	of := side + n.Problem.Architecture.Links[link].Type
	now, then, bytes := work(n), work(at), n.Problem.Application.Edges[edge].ElementBytes
	ids := make(map[figureID]float64, 2)
	for _, x := range []struct {
		id   figureID
		load float64
	}{{figureID{part: Carrying, of: of, value: now.PerByte, at: now.ByteInterval, station: -1}, then.PerByte},
		{figureID{part: Carrying, of: of + ", for each element", value: now.PerElement, at: now.ElementInterval,
			station: -1}, then.PerElement / bytes}} {
		ids[x.id.orOwn(station)] += x.load / then.For(bytes)
	}
	return ids
}

// orOwn replaces a figure without an interval by a figure that belongs to the station alone.
func (id figureID) orOwn(station int) figureID {
	if id.at == (Interval{}) {
		id.station = station
	}
	return id
}

// endOfLoads is a network with all figures at one end of their intervals.
type endOfLoads struct {
	bound Bound
	at    *Network  // with the figures at that end
	z     []float64 // flow of each free source, in bytes/s
	times float64   // as for [Network.loadAt]
}

// add adds the components of a limit's load by figure. n supplies the identities of the figures.
func (s figureLoads) add(n *Network, limit int, o endOfLoads) {
	at, z := o.at, o.z
	l := &at.Limits[limit]
	put := func(id figureID, load float64) {
		x := s[id]
		x[o.bound] += load
		s[id] = x
	}
	if l.Cycle != nil { // one entry for all figures of the cycle
		put(figureID{part: NumParts, station: limit}, dot(l.load, z))
		return
	}
	for m, st := range l.Members {
		put(n.idOf(st, Compute), dot(at.Stations[st].arrival, z)*l.Weight[m])
	}
	for _, c := range l.Costs {
		st, rate, scale := l.Members[c.Member], at.costRates(l, &c), 1.0
		if c.Part == Contended {
			scale = o.times
		}
		if c.Part == Carrying {
			for id, part := range n.workIDs(at, st, c.Edge) {
				put(id, dot(rate, z)*c.Weight*part)
			}
			continue
		}
		put(n.idOf(st, c.Part), dot(rate, z)*c.Weight*scale)
	}
}

// reaches reports whether the load of a limit can reach the load of another limit. Shared figures are at the same end
// of their intervals.
func (s figureLoads) reaches(other figureLoads) bool {
	more, scale := 0.0, 0.0
	for id, x := range s {
		y := other[id]
		more += max(x[Bad]-y[Bad], x[Good]-y[Good])
		scale = max(scale, x[Bad], y[Bad])
	}
	for id, y := range other {
		if _, both := s[id]; !both {
			more -= min(y[Bad], y[Good])
		}
	}
	return more >= -roundingOfLoads*scale
}

// roundingOfLoads is the relative rounding tolerance for sums of loads.
const roundingOfLoads = 1e-12
