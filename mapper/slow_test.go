package mapper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"xopt/flow"
)

// slow computes measures from the network of a mapping, path by path.
type slow struct {
	t     *testing.T
	p     *flow.Problem
	place []int
	n     *flow.Network
	s     *flow.Solution
	part  float64 // of the throughput
	x     Measures

	own, total []float64 // utilization of each station alone, and of its server
	kernel     map[int]int
	crossing   map[int][]int // stations of each edge
	elements   []float64     // into each kernel, elements/s
}

// slowMeasures computes the throughput, and the measures at a rate; 0 stands for the operating load.
func slowMeasures(t *testing.T, p *flow.Problem, m *flow.Mapping, rate float64) (Measures, float64) {
	t.Helper()
	n, err := flow.NewNetwork(p, m)
	if err != nil {
		return Measures{}, 0
	}
	s, err := flow.Fast{}.Solve(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	if rate == 0 {
		rate = OperatingLoad * s.Throughput
	}
	w := &slow{t: t, p: p, place: m.Place, n: n, s: s, part: rate / s.Throughput, x: Measures{Rate: Number(rate)}}
	w.resources()
	w.x.Energy = w.x.Power / Number(rate)
	if w.part >= 1 {
		unlimited := Number(math.Inf(1))
		w.x.Latency, w.x.Buffers, w.x.Buffer = unlimited, unlimited, unlimited
		return w.x, s.Throughput
	}
	w.stations()
	w.buffers()
	for k := range p.Application.Kernels {
		if !slices.ContainsFunc(p.Application.Edges, func(e flow.Edge) bool { return e.To == k }) {
			w.path(k, 0)
		}
	}
	return w.x, s.Throughput
}

// resources adds up the costs of the resources in use.
func (w *slow) resources() {
	for r, state := range w.s.Resources {
		if state.Members == 0 {
			continue
		}
		res := &w.p.Architecture.Resources[r]
		w.x.Cores++
		w.x.Price += Number(res.Price)
		w.x.Power += Number(res.Idle + (res.Power-res.Idle)*math.Min(1, w.part*state.Utilization))
		if res.Sharing.Rule == flow.AreaOnly {
			w.x.Area += Number(state.Area[flow.LUT] / res.Area[flow.LUT])
		}
	}
}

// stations computes the utilizations of every station and its server, and indexes the stations of kernels and edges.
func (w *slow) stations() {
	w.own, w.total = make([]float64, len(w.n.Stations)), make([]float64, len(w.n.Stations))
	w.kernel, w.crossing = map[int]int{}, map[int][]int{}
	for i, st := range w.n.Stations {
		state := &w.s.Stations[i]
		w.own[i], w.total[i] = state.Utilization, state.Utilization
		switch {
		case st.Kind == flow.LinkStation:
			w.crossing[st.Edge] = append(w.crossing[st.Edge], i)
			if w.p.Architecture.Links[st.Link].Sharing.Rule != flow.Equal {
				w.own[i], w.total[i] = state.Share, w.s.Links[st.Link].Utilization
			}
		default:
			w.kernel[st.Kernel] = i
			if w.p.Architecture.Resources[st.Resource].Sharing.Rule == flow.Conserving {
				w.own[i], w.total[i] = state.Share, w.s.Resources[st.Resource].Utilization
			}
		}
	}
	w.elements = make([]float64, len(w.p.Application.Kernels))
	for e, edge := range w.p.Application.Edges {
		w.elements[edge.To] += w.s.EdgeFlow[e] / edge.ElementBytes
	}
}

// scv returns the squared coefficient of variation of a kernel's service times on its resource.
func (w *slow) scv(k int) float64 {
	if v := w.p.Figures[k][w.place[k]].ServiceSCV; v >= 0 {
		return v
	}
	return 1
}

// serviceTime returns the time in a station: S + S·ρ/(1-ρ)·(1+cs²)/2.
func (w *slow) serviceTime(i int, size, scv float64) float64 {
	service, rho := size*w.own[i]/w.s.Stations[i].ArrivalRate, w.part*w.total[i]
	return service * (1 + rho/(1-rho)*(1+scv)/2)
}

// buffers adds up the largest buffers of the rings: a port on a core has one, each edge from an FPGA its own.
func (w *slow) buffers() {
	rings := make(map[string]float64)
	for e, edge := range w.p.Application.Edges {
		rate := w.s.EdgeFlow[e] / edge.ElementBytes // elements/s; a firing of the reader consumes one
		sends := w.sends(e)
		brings := math.Max(1, math.Ceil(sends*(1-1e-4)))
		size := 1 + brings
		before, writer := w.before(edge.From)
		behind, reader := w.behind(edge.To)
		loads := []float64{before, behind}
		for _, i := range w.crossing[e] {
			size++ // an element that crosses it
			loads = append(loads, w.total[i])
		}
		slices.Sort(loads)
		load := loads[len(loads)-2] // the two that are busiest wait for each other
		if len(w.crossing[e]) > 0 {
			size++ // and one that fills meanwhile
		}
		if load > 0.01 {
			size += brings - 1 // those of the next firing
		}
		size += math.Max(w.variation(e, sends, load, writer, reader), w.bridge(e, rate))
		if bytes := math.Ceil(size*(1-1e-9)) * edge.ElementBytes; w.s.EdgeFlow[e] > 0 {
			ring := fmt.Sprint(edge.From, edge.FromPort)
			if w.p.Architecture.Resources[w.place[edge.From]].Sharing.Rule == flow.AreaOnly {
				ring = fmt.Sprint("edge", e)
			}
			rings[ring] = math.Max(rings[ring], bytes)
			w.x.Buffer = max(w.x.Buffer, Number(bytes))
		} else {
			w.t.Fatal("an edge without flow")
		}
	}
	for _, bytes := range rings {
		w.x.Buffers += Number(bytes)
	}
}

// sends returns the elements that a firing of an edge's writer sends.
func (w *slow) sends(e int) float64 {
	edge := &w.p.Application.Edges[e]
	rate := w.s.EdgeFlow[e] / edge.ElementBytes
	if n := w.elements[edge.From]; n > 0 {
		return rate / n
	}
	// A source fires once per element of its busiest port.
	ports, maximum := map[string]float64{}, 0.0
	for o, other := range w.p.Application.Edges {
		if other.From == edge.From {
			ports[other.FromPort] += w.s.EdgeFlow[o] / other.ElementBytes
			maximum = math.Max(maximum, ports[other.FromPort])
		}
	}
	return rate / maximum
}

// before returns the load of the busiest server upstream of a kernel's outputs, and the variation of its firings.
func (w *slow) before(k int) (load, scv float64) {
	load, scv = w.total[w.kernel[k]], w.scv(k)
	rho, maximum, fed := math.Min(1, load), 0.0, false
	for e, edge := range w.p.Application.Edges {
		if edge.To != k {
			continue
		}
		up, x := w.before(edge.From)
		load, maximum, fed = math.Max(load, up), math.Max(maximum, w.sent(e, x)), true
		for _, i := range w.crossing[e] {
			load = math.Max(load, w.total[i])
		}
	}
	if fed {
		scv = rho*rho*scv + (1-rho*rho)*maximum
	}
	return load, scv
}

// behind returns the load of the busiest server downstream of a kernel's inputs, and the variation of its firings.
func (w *slow) behind(k int) (load, scv float64) {
	load, scv = w.total[w.kernel[k]], w.scv(k)
	rho, maximum, feeds := math.Min(1, load), 0.0, false
	for e, edge := range w.p.Application.Edges {
		if edge.From != k {
			continue
		}
		down, x := w.behind(edge.To)
		load, maximum, feeds = math.Max(load, down), math.Max(maximum, x/math.Max(1, w.sends(e))), true
		for _, i := range w.crossing[e] {
			load = math.Max(load, w.total[i])
		}
	}
	if feeds {
		scv = rho*rho*scv + (1-rho*rho)*maximum
	}
	return load, scv
}

// variation returns the room that keeps 99 % of the throughput on edges between resources, or between parallel
// kernels of an FPGA.
func (w *slow) variation(e int, sends, rho, writer, reader float64) float64 {
	edge := &w.p.Application.Edges[e]
	from, to := w.place[edge.From], w.place[edge.To]
	if from == to && w.p.Architecture.Resources[from].Sharing.Rule != flow.AreaOnly {
		return 0
	}
	v := reader + w.sent(e, writer)
	if rho > 1-1e-11 {
		return v / 0.02
	}
	return v / (-2 * math.Log(rho)) * math.Log(1+(1-rho)/0.01)
}

// sent returns the variation of the elements that firings with variation scv send.
func (w *slow) sent(e int, scv float64) float64 {
	edge := &w.p.Application.Edges[e]
	sends, gathers := w.sends(e), 1.0
	if n := w.elements[edge.From]; n > 0 {
		in := 0.0 // bytes/s
		for o, other := range w.p.Application.Edges {
			if other.To == edge.From {
				in += w.s.EdgeFlow[o]
			}
		}
		gathers = math.Max(1, math.Min(1/sends, edge.ElementBytes/(in/n)))
	}
	switch {
	case sends < 1:
		return sends*scv + 1 - sends*gathers
	case math.Abs(sends-math.Round(sends)) < 1e-3*sends:
		return sends * scv
	}
	return sends*scv + 1
}

// bridge returns the runtime's minimum size.
func (w *slow) bridge(e int, rate float64) float64 {
	edge := &w.p.Application.Edges[e]
	from, to := w.place[edge.From], w.place[edge.To]
	members := func(r int) float64 {
		n := 0.0
		for _, at := range w.place {
			if at == r {
				n++
			}
		}
		return n
	}
	fpgas := 0
	for _, r := range []int{from, to} {
		if w.p.Architecture.Resources[r].Sharing.Rule == flow.AreaOnly {
			fpgas++
		}
	}
	switch {
	case from == to && fpgas == 0:
		return rate * 10e-6 * members(from)
	case from == to:
		return 0
	case fpgas == 0:
		return 8*math.Min(rate*20e-6, 4096/edge.ElementBytes) + rate*10e-6*(members(from)+members(to)-2)
	}
	n := 0.0
	for _, r := range []int{from, to} {
		if w.p.Architecture.Resources[r].Sharing.Rule != flow.AreaOnly {
			n += members(r)
		}
	}
	return rate * (1.28e-6 + 10e-6*n)
}

// path follows every path from a kernel that is reached after some time.
func (w *slow) path(k int, so float64) {
	bytes := 0.0
	for e, edge := range w.p.Application.Edges {
		if edge.To == k {
			bytes += w.s.EdgeFlow[e]
		}
	}
	n := w.elements[k]
	if n > 0 {
		so += w.serviceTime(w.kernel[k], bytes/n, w.scv(k))
	}
	w.x.Latency = max(w.x.Latency, Number(so))
	for e, edge := range w.p.Application.Edges {
		if edge.From != k || w.s.EdgeFlow[e] <= 0 {
			continue
		}
		next := so
		if n > 0 { // elements made of several wait for them
			made := math.Min(n/(w.s.EdgeFlow[e]/edge.ElementBytes), edge.ElementBytes/(bytes/n))
			if made > 1 {
				next += (made - 1) / 2 / (w.part * n)
			}
		}
		for _, i := range w.crossing[e] {
			next += w.serviceTime(i, edge.ElementBytes, 1)
		}
		w.path(edge.To, next)
	}
}
