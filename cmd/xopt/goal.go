package main

import (
	"fmt"

	"xopt/internal/units"
	"xopt/mapper"
)

// goal reads what a search is to find.
func (s *settings) goal() (mapper.Goal, error) {
	var g mapper.Goal
	var err error
	if s.Objective != "" {
		if g.Objectives, err = mapper.ParseObjectives(s.Objective); err != nil {
			return g, err
		}
	}
	for _, x := range []struct {
		name, text string
		parse      func(string) (float64, error)
		value      *float64
	}{
		{"min-throughput", s.MinThroughput, units.ParseRate, &g.MinThroughput},
		{"max-latency", s.MaxLatency, units.ParseTime, &g.MaxLatency},
		{"max-buffer", s.MaxBuffer, units.ParseSize, &g.MaxBuffer},
	} {
		if x.text == "" {
			continue
		}
		if *x.value, err = x.parse(x.text); err != nil {
			return g, fmt.Errorf("%s: %w", x.name, err)
		}
		if !(*x.value > 0) {
			return g, fmt.Errorf("%s is %s, want more than 0", x.name, x.text)
		}
	}
	return g, nil
}

// goalFlags are the flags that ask for the goal, where it is not the default.
func (s *settings) goalFlags() []string {
	var flags []string
	for _, x := range []struct{ name, text, usual string }{
		{"objective", s.Objective, mapper.Throughput.String()}, {"min-throughput", s.MinThroughput, ""},
		{"max-latency", s.MaxLatency, ""}, {"max-buffer", s.MaxBuffer, ""},
	} {
		if x.text != x.usual {
			flags = append(flags, "--"+x.name, x.text)
		}
	}
	return flags
}
