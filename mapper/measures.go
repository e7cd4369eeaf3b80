package mapper

import (
	"math"

	"xopt/flow"
	"xopt/flow/buffers"
)

// Measures are the figures of a mapping other than its throughput.
type Measures struct {
	// Rate is the throughput for which latency and energy were computed, in bytes/s.
	Rate Number `json:"rate"`
	// Latency is the largest mean latency of any path, in s ([Paths]). Worst is the mean latency of the elements that
	// wait longest for a full join, transfer or element, in s.
	Latency Number `json:"latency"`
	Worst   Number `json:"worst"`
	// Buffers is the total size of the buffers that [buffers.Sizer] recommends at full throughput, and Buffer the size
	// of the largest one, in bytes.
	Buffers Number `json:"buffers"`
	Buffer  Number `json:"buffer"`
	// Area is the sum over the FPGAs of the used fraction of the FPGA's scarcest kind of area: 1 is one full FPGA.
	Area   Number `json:"area"`
	Cores  int    `json:"cores"`            // resources in use
	Power  Number `json:"power,omitempty"`  // power of the resources in use, W; 0 if none is stated
	Energy Number `json:"energy,omitempty"` // J/byte
	Price  Number `json:"price,omitempty"`  // price of the resources in use, $/h; 0 if none is stated
}

// Value returns the value of an objective, to be minimized: for Throughput, the negated throughput.
func (m *Measures) Value(o Objective, throughput float64) float64 {
	switch o {
	case Latency:
		return float64(m.Latency)
	case AreaUse:
		return float64(m.Area)
	case Buffers:
		return float64(m.Buffers)
	case Cores:
		return float64(m.Cores)
	case Energy:
		return float64(m.Energy)
	case Cost:
		return float64(m.Price)
	}
	return -throughput
}

// measurer computes the measures of a scorer's mapping. After the first calls, it allocates no memory. It is not safe
// for concurrent use.
type measurer struct {
	problem *flow.Problem
	paths   *Paths
	sizer   *buffers.Sizer
	rings   *flow.Rings
}

func newMeasurer(p *flow.Problem, flows *flow.Flows) *measurer {
	return &measurer{problem: p, paths: NewPaths(p, flows),
		sizer: buffers.NewSizer(p, flows), rings: flow.NewRings(p)}
}

// measurer returns a measurer for one goroutine. All measurers of a space share the minimum buffer sizes, because large
// applications need much time to compute them.
func (s *space) measurer(flows *flow.Flows) *measurer {
	if s.sizer == nil {
		s.sizer = buffers.NewSizer(s.problem, flows)
	}
	return &measurer{problem: s.problem, paths: NewPaths(s.problem, flows), sizer: s.sizer.Clone(),
		rings: flow.NewRings(s.problem)}
}

// measure computes the measures at a rate in bytes/s; 0 means OperatingLoad times the throughput. Latency and buffers
// are computed only if queues is set. Both are infinite if the rate is not below the throughput.
func (m *measurer) measure(s *flow.Scorer, rate float64, queues bool) Measures {
	throughput := s.Operate()
	if rate == 0 {
		rate = OperatingLoad * throughput
	}
	x := Measures{Rate: Number(rate)}
	m.resources(s, &x, rate/throughput)
	if !queues {
		return x
	}
	if part := rate / throughput; part < 1 && !math.IsInf(throughput, 1) {
		m.queues(s, &x, part)
	} else {
		unlimited := Number(math.Inf(1))
		x.Latency, x.Worst, x.Buffers, x.Buffer = unlimited, unlimited, unlimited, unlimited
	}
	return x
}

// resources adds up the area, power and price of the resources in use, at a fraction of the throughput.
func (m *measurer) resources(s *flow.Scorer, x *Measures, part float64) {
	x.Cores = s.Used()
	loads := s.Loads()
	for r := range m.problem.Architecture.Resources {
		if !s.InUse(r) {
			continue
		}
		res := &m.problem.Architecture.Resources[r]
		x.Area += Number(s.AreaUsed(r))
		x.Power += Number(res.Idle + math.Max(0, res.Power-res.Idle)*math.Min(1, part*loads[r]))
		x.Price += Number(res.Price)
	}
	if x.Rate > 0 {
		x.Energy = x.Power / x.Rate
	}
}

// queues computes the latency at a fraction of the throughput, and buffers at full throughput.
func (m *measurer) queues(s *flow.Scorer, x *Measures, part float64) {
	latency, worst, _ := m.paths.Longest(s, part)
	x.Latency, x.Worst = Number(latency), Number(worst)
	m.sizer.SetOperation(s)
	for e := range m.problem.Application.Edges {
		x.Buffer = max(x.Buffer, Number(m.sizer.Elements(e)*m.problem.Application.Edges[e].ElementBytes))
	}
	x.Buffers = Number(m.rings.Memory(s, m.sizer.Elements))
}
