package mapper

import (
	"math"

	"xopt/flow"
	"xopt/queueing"
)

// Measures are the figures of one mapping beside its throughput.
type Measures struct {
	// Rate is the throughput at which latency, buffers and energy hold, in bytes/s.
	Rate    float64
	Latency float64 // of the path that takes longest in the mean, s
	Buffers float64 // all buffers, for P[N > K] ≤ 1e-7 of M/M/1, bytes
	Buffer  float64 // the largest of them, bytes
	Area    float64 // FPGAs' areas in use, each by its scarcest kind: 1 is one FPGA full
	Cores   int     // resources that hold kernels
	Power   float64 // of these, W; 0 where none states it
	Energy  float64 // J/byte
	Price   float64 // of these, $/h; 0 where none states it
}

// value is the figure of an objective: what is to be low.
func (m *Measures) value(o Objective, throughput float64) float64 {
	switch o {
	case Latency:
		return m.Latency
	case AreaUse:
		return m.Area
	case Buffers:
		return m.Buffers
	case Cores:
		return float64(m.Cores)
	case Energy:
		return m.Energy
	case Cost:
		return m.Price
	}
	return -throughput
}

// measurer works out the measures of a scorer's mapping. It allocates nothing once it has
// grown, and belongs to one goroutine.
type measurer struct {
	problem *flow.Problem
	flows   *flow.Flows
	in      [][]int   // edges into each kernel
	longest []float64 // to the end of each kernel, s
	waits   []float64 // on the links of each edge, s
}

func newMeasurer(p *flow.Problem, flows *flow.Flows) *measurer {
	m := &measurer{problem: p, flows: flows, in: make([][]int, len(p.Application.Kernels)), longest: make([]float64, len(p.Application.Kernels)), waits: make([]float64, len(p.Application.Edges))}
	for e := range p.Application.Edges {
		to := p.Application.Edges[e].To
		m.in[to] = append(m.in[to], e)
	}
	return m
}

// measure works them out at a rate, in bytes/s, or OperatingLoad of the throughput where that
// is 0. queues is whether latency and buffers are wanted; they are unbounded at a rate of the
// throughput or more, and where there is none.
func (m *measurer) measure(s *flow.Scorer, rate float64, queues bool) Measures {
	throughput := s.Operate()
	if rate == 0 {
		rate = OperatingLoad * throughput
	}
	x := Measures{Rate: rate}
	m.resources(s, &x, rate/throughput)
	if !queues {
		return x
	}
	if part := rate / throughput; part < 1 && !math.IsInf(throughput, 1) {
		m.queues(s, &x, part)
	} else {
		x.Latency, x.Buffers, x.Buffer = math.Inf(1), math.Inf(1), math.Inf(1)
	}
	return x
}

// resources adds up what the resources in use take and draw, at a part of the throughput.
func (m *measurer) resources(s *flow.Scorer, x *Measures, part float64) {
	x.Cores = s.Used()
	loads := s.Loads()
	for r := range m.problem.Architecture.Resources {
		if !s.InUse(r) {
			continue
		}
		res := &m.problem.Architecture.Resources[r]
		x.Area += s.AreaUsed(r)
		x.Power += res.Idle + math.Max(0, res.Power-res.Idle)*math.Min(1, part*loads[r])
		x.Price += res.Price
	}
	if x.Rate > 0 {
		x.Energy = x.Power / x.Rate
	}
}

// queues works out latency and buffers at a part of the throughput.
func (m *measurer) queues(s *flow.Scorer, x *Measures, part float64) {
	app := &m.problem.Application
	for e := range app.Edges {
		size := app.Edges[e].ElementBytes
		m.waits[e] = 0
		for _, l := range s.Route(e) {
			load := s.LinkLoad(e, l)
			m.waits[e] += response(&load, part, size)
			x.buffer(&load, part, size)
		}
	}
	for _, k := range m.flows.Order {
		m.longest[k] = 0
		load := s.KernelLoad(k)
		bytes, elements := 0.0, 0.0
		for _, e := range m.in[k] {
			rate := s.EdgeRate(e)
			if size := app.Edges[e].ElementBytes; size > 0 {
				bytes, elements = bytes+rate, elements+rate/size
			}
			if rate > 0 {
				m.longest[k] = math.Max(m.longest[k], m.longest[app.Edges[e].From]+m.waits[e])
			}
			x.buffer(&load, part, app.Edges[e].ElementBytes)
		}
		if elements > 0 { // a source waits for nobody
			m.longest[k] += response(&load, part, bytes/elements)
		}
		x.Latency = math.Max(x.Latency, m.longest[k])
	}
}

// response is the mean time that an element spends at a station, queueing included: its
// service time over 1-ρ, where ρ is that of all that share the server (M/M/1, and processor
// sharing).
func response(l *flow.StationLoad, part, size float64) float64 {
	if !(l.Rate > 0) {
		return 0
	}
	return size * l.Own / l.Rate / (1 - part*l.Total)
}

// buffer adds the buffer of an edge in front of a station.
func (x *Measures) buffer(l *flow.StationLoad, part, size float64) {
	own, total := part*l.Own, part*l.Total
	bytes := math.Inf(1)
	if own = math.Min(own, total); total < 1 && own >= 0 {
		if rho, err := queueing.SharedUtilization(own, total); err == nil {
			if k, err := queueing.TailCapacity(rho, queueing.DefaultProbability); err == nil {
				bytes = k * size
			}
		}
	}
	x.Buffers += bytes
	x.Buffer = math.Max(x.Buffer, bytes)
}
