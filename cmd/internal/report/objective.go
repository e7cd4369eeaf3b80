package report

import (
	"xopt/mapper"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// objective shows a figure of a search objective with its unit.
func objective[T real](name string, v T) Cell {
	switch name {
	case mapper.Throughput.String():
		return alone(v, "B/s")
	case mapper.Latency.String():
		return alone(v, "s")
	case mapper.AreaUse.String():
		return decimals(v, 3).in("FPGAs")
	case mapper.Buffers.String():
		return alone(v, "B")
	case mapper.Energy.String():
		c := alone(v, "J")
		return c.in(c.Unit + "/B")
	case mapper.Cost.String():
		return digits(v, 3).in("$/h")
	}
	return digits(v, 17)
}

// objectiveUnit returns the SI unit of an objective; "" for a plain number.
func objectiveUnit(name string) string {
	return map[string]string{mapper.Throughput.String(): "B/s", mapper.Latency.String(): "s",
		mapper.AreaUse.String(): "FPGAs", mapper.Buffers.String(): "B", mapper.Energy.String(): "J/B",
		mapper.Cost.String(): "$/h"}[name]
}

// in returns the cell with the given unit.
func (c Cell) in(unit string) Cell {
	c.Unit = unit
	return c
}

// objectiveOf returns a candidate's figure for an objective; a dash if it has none.
func objectiveOf(c *result.Candidate, name string) Cell {
	value, isKnown := predict.ObjectiveOf(c, name)
	if !isKnown {
		return dash()
	}
	return objective(name, value)
}

// FormatObjective formats a figure of an objective with its unit.
func FormatObjective(name string, v float64) string {
	c := objective(name, v)
	return c.String()
}

// ObjectiveOf formats a candidate's figure of the objective.
func ObjectiveOf(c *result.Candidate, name string) string {
	x := objectiveOf(c, name)
	return x.String()
}

// objectiveColumns returns the objectives, except throughput, that have a column in tables of candidates.
func objectiveColumns(s *result.Search) []string {
	if s == nil {
		return nil
	}
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

// objectiveWords lists a candidate's figures of the search objectives except throughput. A comma precedes each figure;
// "" for none.
func objectiveWords(s *result.Search, c *result.Candidate) string {
	words := ""
	if low := robustLow(s, c); low != "" {
		words = ", " + low
	}
	for _, name := range objectiveColumns(s) {
		if x := objectiveOf(c, name); x.Valued {
			words += ", " + name + " " + x.String()
		}
	}
	return words
}
