package mapper

import (
	"fmt"

	"xopt/flow"
)

// CandidateOf is a mapping that was found otherwise, with its throughput and its measures at [OperatingLoad].
func CandidateOf(p *flow.Problem, m *flow.Mapping) (Candidate, error) {
	prepared, err := flow.Prepare(p)
	if err != nil {
		return Candidate{}, fmt.Errorf("scoring a mapping: %w", err)
	}
	s, err := prepared.Scorer(m)
	if err != nil {
		return Candidate{}, fmt.Errorf("scoring a mapping: %w", err)
	}
	return Candidate{Mapping: m, Throughput: s.Throughput(), Resources: s.Used(), Traffic: s.Traffic(),
		Measures: newMeasurer(p, prepared.Flows).measure(s, 0, true)}, nil
}
