package flow

import "math"

// This file computes the limits of cycles ([Cycle]) in a Scorer.

// scorerCycles contains the buffers for the computation of cycles.
type scorerCycles struct {
	graph   ratioGraph
	service []float64
	between []crossing
	ratio   []float64 // by circle, s per turn; +Inf if no data move
}

func newScorerCycles(circles []*circle) *scorerCycles {
	if len(circles) == 0 {
		return nil
	}
	return &scorerCycles{ratio: make([]float64, len(circles))}
}

// turning returns, for one free source, the load that is equivalent to the limit of the cycles: a resource with this
// load would permit the same throughput. It is +Inf if no data move.
func (s *Scorer) turning() float64 {
	if !s.solved {
		s.turn()
		s.solved = true
	}
	maximum := 0.0
	for i, c := range s.Flows.circles {
		maximum = max(maximum, c.turns[0]*s.waiting.ratio[i]*s.phi/s.unit)
	}
	return maximum
}

// turn computes the ratio of time to turns of each circle for the current mapping.
func (s *Scorer) turn() {
	x := s.waiting
	for i, c := range s.Flows.circles {
		x.service, x.between = c.times(s.Prepared, s, x.service[:0], x.between[:0])
		x.ratio[i] = math.Inf(1)
		stuck := false
		for at := range x.between {
			stuck = stuck || x.between[at].stuck
		}
		if !stuck {
			x.ratio[i], _ = c.maxRatio(&x.graph, x.service, x.between)
		}
	}
}

// stuck reports whether no data move on a cycle. The caller must call turn first.
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

// kernelLoad implements [circleLoads].
func (s *Scorer) kernelLoad(k, source int) float64 {
	r := int(s.place[k])
	own := (s.memberLoad(r, int32(k), source) + s.slower(k, r)) * s.unit
	switch s.rule[r] {
	case equally:
		own *= float64(s.count[r])
	case inArea:
		if clock := s.clocks[r]; clock != nil && clock.follows[k] {
			own *= s.Figures[k][r].MaxClock * s.period[r].greatest()
		}
	}
	return own
}

func (s *Scorer) hopCount(edge int) int { return len(s.hopsOn(s.route[edge])) }

func (s *Scorer) hopLoad(edge, hop, source int) (link int, load, sharers float64) {
	link, sharers = int(s.hopsOn(s.route[edge])[hop]), 1
	if at := s.resources + link; s.rule[at] == equally {
		sharers = float64(s.count[at])
	}
	return link, s.memberLoad(s.resources+link, int32(edge), source) * s.unit * sharers, sharers
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
				row[f] = 0 // no data move in any solution of the program
			}
		}
	}
}

// CycleBound returns an upper bound in bytes/s on the throughput of every mapping, due to cycles. It assumes that each
// kernel is on its fastest resource, and that there are no delays between kernels. It is +Inf if there are no cycles,
// or several free sources.
func (s *Scorer) CycleBound() float64 {
	if s.free > 1 || s.waiting == nil {
		return math.Inf(1)
	}
	maximum := 0.0
	for _, c := range s.Flows.circles {
		service := make([]float64, len(c.kernels))
		for i, k := range c.kernels {
			minimum := math.Inf(1)
			for r := range s.resources {
				if s.Problem.Figures[k][r].Available {
					minimum = min(minimum, s.alone[k*s.resources+r].Load()*s.unit)
				}
			}
			service[i] = minimum / s.Flows.FiringRate(k, 0)
		}
		var g ratioGraph
		ratio, _ := c.maxRatio(&g, service, make([]crossing, len(c.waits)))
		maximum = max(maximum, c.turns[0]*ratio)
	}
	return s.Flows.objective[0] / maximum
}
