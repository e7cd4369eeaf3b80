package mapper

import (
	"fmt"

	"xopt/flow"
)

// CandidateOf is a mapping that was found otherwise, with its throughput and its measures at [OperatingLoad].
func CandidateOf(p *flow.Problem, m *flow.Mapping) (Candidate, error) {
	s, err := flow.NewScorer(p, m)
	if err != nil {
		return Candidate{}, fmt.Errorf("scoring a mapping: %w", err)
	}
	flows, err := flow.NewFlows(&p.Application, p.JoinTolerance)
	if err != nil {
		return Candidate{}, fmt.Errorf("scoring a mapping: %w", err)
	}
	return Candidate{Mapping: m, Throughput: s.Throughput(), Resources: s.Used(), Traffic: s.Traffic(),
		Measures: newMeasurer(p, flows).measure(s, 0, true)}, nil
}
