package flow

import "math"

// The cycles of a Scorer, where kernels wait for each other: see [Cycle].

// scorerCycles are their buffers.
type scorerCycles struct {
	graph   ratioGraph
	service []float64
	between []crossing
	ratio   []float64 // of each circle, s a turn; +Inf where nothing moves
}

func newScorerCycles(circles []*circle) *scorerCycles {
	if len(circles) == 0 {
		return nil
	}
	return &scorerCycles{ratio: make([]float64, len(circles))}
}

// turning is the greatest load that cycles stand for, with one free source: where it were that
// of a resource, throughput would be what they allow. It is +Inf where nothing moves.
func (s *Scorer) turning() float64 {
	if !s.solved {
		s.turn()
		s.solved = true
	}
	most := 0.0
	for i, c := range s.Flows.circles {
		most = max(most, c.turns[0]*s.waiting.ratio[i]*s.phi/s.unit)
	}
	return most
}

// turn works out the ratios of all circles for the present mapping.
func (s *Scorer) turn() {
	x := s.waiting
	for i, c := range s.Flows.circles {
		s.circleTimes(c)
		x.ratio[i] = math.Inf(1)
		stuck := false
		for at := range x.between {
			stuck = stuck || x.between[at].stuck
		}
		if !stuck {
			x.ratio[i], _ = c.most(&x.graph, x.service, x.between)
		}
	}
}

// stuck reports whether nothing moves on a cycle, once turn has looked.
func (s *Scorer) stuck() bool {
	if s.waiting != nil {
		for _, r := range s.waiting.ratio {
			if math.IsInf(r, 1) {
				return true
			}
		}
	}
	return false
}

// circleTimes fills in the times of the firings of a circle, as Network.circleTimes does.
func (s *Scorer) circleTimes(c *circle) {
	x := s.waiting
	x.service, x.between = x.service[:0], x.between[:0]
	f := c.source()
	for _, k := range c.kernels {
		r := int(s.place[k])
		own := (s.memberLoad(r, int32(k), f) + s.slower(k, r)) * s.unit
		switch s.rule[r] {
		case equally:
			own *= float64(s.count[r])
		case inArea:
			if clock := s.clocks[r]; clock != nil && clock.follows[k] {
				own *= s.Problem.Figures[k][r].MaxClock * s.period[r].greatest()
			}
		}
		x.service = append(x.service, own/s.Flows.FiringRate(k, f))
	}
	for i := range c.waits {
		w := &c.waits[i]
		var between crossing
		bytes := s.Problem.Application.Edges[w.edge].ElementBytes
		for _, l := range s.hopsOn(s.route[w.edge]) {
			at, sharers := s.resources+int(l), 1.0
			if s.rule[at] == equally {
				sharers = float64(s.count[at])
			}
			own := s.memberLoad(at, int32(w.edge), f) * s.unit * sharers
			between.over(w, &s.Problem.Architecture.Links[l], bytes, own/(s.Flows.Edge(w.edge)[f]/bytes), sharers,
				x.service[w.from])
		}
		x.between = append(x.between, between)
	}
}

// cycleRows adds a row for every circle to the linear program.
func (s *Scorer) cycleRows() {
	if s.waiting == nil {
		return
	}
	s.turn()
	for i, c := range s.Flows.circles {
		row := s.row()
		for f, t := range c.turns {
			if row[f] = t * s.waiting.ratio[i] * s.phi; math.IsNaN(row[f]) || math.IsInf(row[f], 1) {
				row[f] = 0 // nothing moves, whatever the program says
			}
		}
	}
}

// CycleBound is a throughput in bytes/s that cycles keep every mapping from exceeding: that with
// each kernel where it is fastest, and nothing between them. +Inf where there are no cycles, or
// several free sources.
func (s *Scorer) CycleBound() float64 {
	if s.free > 1 || s.waiting == nil {
		return math.Inf(1)
	}
	most := 0.0
	for _, c := range s.Flows.circles {
		service := make([]float64, len(c.kernels))
		for i, k := range c.kernels {
			least := math.Inf(1)
			for r := range s.resources {
				if s.Problem.Figures[k][r].Available {
					least = min(least, s.alone[k*s.resources+r].load()*s.unit)
				}
			}
			service[i] = least / s.Flows.FiringRate(k, 0)
		}
		var g ratioGraph
		ratio, _ := c.most(&g, service, make([]crossing, len(c.waits)))
		most = max(most, c.turns[0]*ratio)
	}
	return s.Flows.objective[0] / most
}
