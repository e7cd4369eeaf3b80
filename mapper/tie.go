package mapper

import (
	"errors"
	"fmt"
	"math"

	"xopt/flow"
)

// keptTolerance is the relative difference up to which [Tie] considers two figures equal. It is far below the
// uncertainty of any figure, and exceeds the differences between solution methods.
const keptTolerance = 1e-6

// Tie reports whether a mapping ties with the best mapping of a search. The mapping must meet the constraints and the
// limits of the goal. Its objectives and throughput must be within a relative difference of 1e-6 of those of the best
// mapping. If the mapping ties, Tie also returns it as a candidate.
func Tie(p *flow.Problem, c *flow.Constraints, g Goal, m *flow.Mapping, best *Candidate) (*Candidate, bool) {
	if c != nil && len(c.Check(p, m)) > 0 {
		return nil, false
	}
	x, scored, err := scoreMapping(p, m)
	if err != nil || scored.scorer.Violations() > 0 || !nearlySame(x.Throughput, best.Throughput) ||
		x.Throughput < g.MinThroughput*(1-sameThroughput) {
		return nil, false // checked first, because measures take longer
	}
	scored.measure(x, g)
	return x, g.Meets(x) && nearlySame(x.Value, best.Value)
}

// nearlySame reports whether two figures are equal within [keptTolerance].
func nearlySame(a, b float64) bool { return a == b || math.Abs(a-b) <= keptTolerance*math.Abs(b) }

// errViolates reports that a mapping violates a limit of the architecture.
var errViolates = errors.New("scoring a mapping: it violates a limit of the architecture")

// CandidateFor returns a mapping as a candidate for a goal, or an error if the mapping violates a limit.
func CandidateFor(p *flow.Problem, g Goal, m *flow.Mapping) (*Candidate, error) {
	x, scored, err := scoreMapping(p, m)
	if err != nil {
		return nil, err
	}
	if scored.scorer.Violations() > 0 {
		return nil, errViolates
	}
	scored.measure(x, g)
	return x, nil
}

// CandidateOf returns a mapping as a candidate, with its throughput and its measures for a goal. It does not check the
// limits of the architecture.
func CandidateOf(p *flow.Problem, g Goal, m *flow.Mapping) (*Candidate, error) {
	x, scored, err := scoreMapping(p, m)
	if err != nil {
		return nil, err
	}
	x.Mapping = m
	scored.measure(x, g)
	return x, nil
}

// scored is a mapping with a known throughput, but unknown measures.
type scored struct {
	problem *flow.Problem
	flows   *flow.Flows
	scorer  *flow.Scorer
}

func scoreMapping(p *flow.Problem, m *flow.Mapping) (*Candidate, *scored, error) {
	prepared, err := flow.Prepare(p)
	if err != nil {
		return nil, nil, fmt.Errorf("scoring a mapping: %w", err)
	}
	s, err := prepared.Scorer(m)
	if err != nil {
		return nil, nil, fmt.Errorf("scoring a mapping: %w", err)
	}
	return &Candidate{Mapping: s.Mapping(), Throughput: s.Throughput(), Resources: s.Used(), Traffic: s.Traffic()},
		&scored{p, prepared.Flows, s}, nil
}

// measure sets the measures and the value of a candidate for a goal.
func (s *scored) measure(x *Candidate, g Goal) {
	x.Measures = newMeasurer(s.problem, s.flows).measure(s.scorer, g.MinThroughput, true)
	if o := g.First(); o != Throughput {
		x.Value = x.Measures.Value(o, x.Throughput)
	}
}
