package report

import (
	"fmt"
	"strings"

	"xopt/internal/units"
	"xopt/mapper"
)

// MeasuresOf are those of a mapping as a search has worked them out.
func MeasuresOf(m *mapper.Measures) *Measures {
	return &Measures{Rate: Number(m.Rate), Latency: Number(m.Latency), Worst: Number(m.Worst),
		Buffers: Number(m.Buffers), Buffer: Number(m.Buffer), Area: Number(m.Area), Cores: m.Cores,
		Power: Number(m.Power), Energy: Number(m.Energy), Price: Number(m.Price)}
}

// Objective prints the figure of an objective, with its unit.
func (c *Candidate) Objective(name string) string {
	m := c.Measures
	if name == mapper.Throughput.String() {
		return units.Rate(float64(c.Throughput))
	}
	if m == nil {
		return "-"
	}
	value, ok := map[string]float64{
		mapper.Latency.String(): float64(m.Latency), mapper.AreaUse.String(): float64(m.Area),
		mapper.Buffers.String(): float64(m.Buffers),
		mapper.Cores.String():   float64(m.Cores), mapper.Energy.String(): float64(m.Energy),
		mapper.Cost.String(): float64(m.Price),
	}[name]
	if !ok {
		return "-"
	}
	return FormatObjective(name, value)
}

// FormatObjective prints a figure of an objective other than throughput, with its unit.
func FormatObjective(name string, value float64) string {
	switch name {
	case mapper.Latency.String():
		return units.Time(value)
	case mapper.AreaUse.String():
		return fmt.Sprintf("%.3f FPGAs", value)
	case mapper.Buffers.String():
		return units.Size(value)
	case mapper.Energy.String():
		return units.Energy(value) + "/B"
	case mapper.Cost.String():
		return fmt.Sprintf("%.4g $/h", value)
	}
	return fmt.Sprint(value)
}

// Wanted says in words what a search looked for; empty for the greatest throughput.
func (s *Search) Wanted() string {
	var parts []string
	switch {
	case len(s.Objectives) > 1:
		parts = append(parts, "mappings of which none is as good in "+strings.Join(s.Objectives, " and ")+
			", and better in one")
	case len(s.Objectives) == 1 && s.Objectives[0] != mapper.Throughput.String():
		parts = append(parts, "least "+s.Objectives[0])
	}
	if s.MinThroughput > 0 {
		parts = append(parts, "at least "+units.Rate(float64(s.MinThroughput)))
	}
	if s.MaxLatency > 0 {
		parts = append(parts, "latency up to "+units.Time(float64(s.MaxLatency)))
	}
	if s.MaxBuffer > 0 {
		parts = append(parts, "no buffer above "+units.Size(float64(s.MaxBuffer)))
	}
	return strings.Join(parts, "; ")
}

// columns are the objectives that a table of candidates shows beside throughput.
func (s *Search) columns() []string {
	var names []string
	for _, o := range mapper.Objectives() {
		shown := o == mapper.Latency.String() && s.MaxLatency > 0 || o == mapper.Buffers.String() && s.MaxBuffer > 0
		for _, named := range s.Objectives {
			shown = shown || named == o
		}
		if shown && o != mapper.Throughput.String() {
			names = append(names, o)
		}
	}
	return names
}

// measures prints a mapping's figures beside throughput.
func (t *textWriter) measures(m *Measures) {
	latency := units.Time(float64(m.Latency))
	if m.Worst > m.Latency*(1+tieTolerance) {
		latency += fmt.Sprintf(" in the mean, %s where it waits longest for a round or transfer to fill",
			units.Time(float64(m.Worst)))
	}
	text := fmt.Sprintf("latency %s, buffers %s in all, the largest %s; %s in use", latency,
		units.Size(float64(m.Buffers)), units.Size(float64(m.Buffer)), count(m.Cores, "resource"))
	if m.Area > 0 {
		text += fmt.Sprintf(", %.3f FPGAs full", float64(m.Area))
	}
	if m.Power > 0 {
		text += fmt.Sprintf("; %.4g W, %s/B by the powers stated", float64(m.Power), units.Energy(float64(m.Energy)))
	}
	if m.Price > 0 {
		text += fmt.Sprintf("; %.4g $/h by the prices stated", float64(m.Price))
	}
	t.lead("Measures", "at %s: %s (predicted)", units.Rate(float64(m.Rate)), text)
}
