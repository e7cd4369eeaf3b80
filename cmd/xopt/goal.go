package main

import (
	"strings"

	"xopt/cmd/internal/options"
	"xopt/internal/fault"
	"xopt/internal/units"
	"xopt/mapper"
)

// goal reads what a search looks for. The options have been checked when they were read.
func (s *settings) goal() (mapper.Goal, error) {
	var g mapper.Goal
	var err error
	if s.Objective != "" {
		if g.Objectives, err = mapper.ParseObjectives(s.Objective); err != nil {
			return g, err
		}
	}
	for _, x := range []struct {
		text  string
		parse func(string) (float64, error)
		value *float64
	}{
		{s.MinThroughput, units.ParseRate, &g.MinThroughput},
		{s.MaxLatency, units.ParseTime, &g.MaxLatency},
		{s.MaxBuffer, units.ParseSize, &g.MaxBuffer},
	} {
		if x.text == "" {
			continue
		}
		if *x.value, err = x.parse(x.text); err != nil {
			return g, err
		}
	}
	return g, nil
}

// goalFlags are the flags of the goal, where it is not the default.
func (a *app) goalFlags() []string { return a.table.Flags(a.inForce, options.AffectsGoal) }

// scoreFlags are the flags that a score depends on, where they are not the defaults.
func (a *app) scoreFlags() []string { return a.table.Flags(a.inForce, options.AffectsScore) }

// objectives checks --objective.
func objectives(now any) error {
	_, err := mapper.ParseObjectives(now.(string))
	return err
}

// assignments checks that a list is of NAME=VALUE.
func assignments(now any) error {
	for _, x := range now.([]string) {
		if name, _, ok := strings.Cut(x, "="); !ok || strings.TrimSpace(name) == "" {
			return fault.WrongOptionValue.Errorf("%s: want NAME.config=VALUE, such as PCI.bandwidth=10MB/s, or "+
				"RESOURCE=NUMBER, such as fpga=2", x)
		}
	}
	return nil
}
