package report

import (
	"slices"

	"xopt/flow"
	"xopt/mapper"
)

// latencyLoad is the part of the throughput at which latency is told: at all of it the
// bottleneck's queue has no bound.
const latencyLoad = mapper.OperatingLoad

// latency finds the path from a source to a sink that takes longest in the mean: the sum of
// what each station takes, its service time over 1-ρ, where ρ is that of all that share its
// server in time (Jackson; Baskett, Chandy, Muntz and Palacios 1975).
func (b *builder) latency() {
	app := &b.design.Problem.Application
	in := make([][]int, len(app.Kernels))        // edges that end in each
	arrives := make([]float64, len(app.Kernels)) // bytes/s
	number := make([]float64, len(app.Kernels))  // elements/s
	for e, edge := range app.Edges {
		in[edge.To] = append(in[edge.To], e)
		arrives[edge.To] += b.solution.EdgeFlow[e]
		if edge.ElementBytes > 0 {
			number[edge.To] += b.solution.EdgeFlow[e] / edge.ElementBytes
		}
	}
	kernel := make([]float64, len(app.Kernels)) // seconds in it, and before it
	crossing := make([]float64, len(app.Edges))
	for i := range b.network.Stations {
		st, state := &b.network.Stations[i], &b.solution.Stations[i]
		var size float64
		switch {
		case st.Kind == flow.LinkStation:
			size = app.Edges[st.Edge].ElementBytes
		case number[st.Kernel] > 0:
			size = arrives[st.Kernel] / number[st.Kernel]
		default: // a source waits for nobody
			continue
		}
		if !(state.ArrivalRate > 0) {
			continue
		}
		own, total := state.Utilization, state.Utilization // of its server, by itself and with all
		if rule := b.stationRule(st); rule == flow.Conserving || rule == flow.Bulk {
			own, total = state.Share, b.load(st)
		}
		t := size * own / state.ArrivalRate / (1 - latencyLoad*total)
		if st.Kind == flow.LinkStation {
			crossing[st.Edge] += t
		} else {
			kernel[st.Kernel] += t
		}
	}
	// Longest paths, kernel by kernel, when all before it are known.
	const open, under, done = 0, 1, 2
	state, longest, before := make([]int, len(kernel)), make([]float64, len(kernel)), make([]int, len(kernel))
	circle := false
	var visit func(k int)
	visit = func(k int) {
		state[k], before[k] = under, -1
		for _, e := range in[k] {
			edge := &app.Edges[e]
			if b.solution.EdgeFlow[e] == 0 {
				continue
			}
			switch state[edge.From] {
			case under:
				circle = true
				continue
			case open:
				visit(edge.From)
			}
			if t := longest[edge.From] + crossing[e]; before[k] < 0 || t > longest[k] {
				longest[k], before[k] = t, edge.From
			}
		}
		longest[k] += kernel[k]
		state[k] = done
	}
	last := -1
	for k := range kernel {
		if state[k] == open {
			visit(k)
		}
		if last < 0 || longest[k] > longest[last] {
			last = k
		}
	}
	if circle || last < 0 || !(longest[last] > 0) {
		return
	}
	l := &Latency{Load: latencyLoad, Seconds: Number(longest[last])}
	for k := last; k >= 0; k = before[k] {
		l.Kernels = append(l.Kernels, app.Kernels[k].Name)
	}
	slices.Reverse(l.Kernels)
	b.out.Latency = l
}

// stationRule is how the server of a station is shared.
func (b *builder) stationRule(st *flow.Station) flow.SharingRule {
	if st.Kind == flow.LinkStation {
		return b.design.Problem.Architecture.Links[st.Link].Sharing.Rule
	}
	return b.design.Problem.Architecture.Resources[st.Resource].Sharing.Rule
}

// load is the utilization of the server of a station.
func (b *builder) load(st *flow.Station) float64 {
	if st.Kind == flow.LinkStation {
		return b.solution.Links[st.Link].Utilization
	}
	return b.solution.Resources[st.Resource].Utilization
}
