package report

import "xopt/mapper"

// MeasuresOf are those of a mapping as a search has worked them out.
func MeasuresOf(m *mapper.Measures) *Measures {
	return &Measures{Rate: Number(m.Rate), Latency: Number(m.Latency), Worst: Number(m.Worst),
		Buffers: Number(m.Buffers), Buffer: Number(m.Buffer), Area: Number(m.Area), Cores: m.Cores,
		Power: Number(m.Power), Energy: Number(m.Energy), Price: Number(m.Price)}
}

// tieTolerance is the relative difference below which two throughputs are one:
// well above rounding, well below anything that can be measured.
const tieTolerance = 1e-9
