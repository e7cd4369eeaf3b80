package predict

import (
	"xopt/mapper"
	"xopt/mapper/result"
)

// MeasuresOf are those of a mapping as a search has worked them out.
func MeasuresOf(m *mapper.Measures) *result.Measures {
	return &result.Measures{Rate: result.Number(m.Rate), Latency: result.Number(m.Latency),
		Worst:   result.Number(m.Worst),
		Buffers: result.Number(m.Buffers), Buffer: result.Number(m.Buffer), Area: result.Number(m.Area), Cores: m.Cores,
		Power: result.Number(m.Power), Energy: result.Number(m.Energy), Price: result.Number(m.Price)}
}
