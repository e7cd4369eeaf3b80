package settings

import (
	"fmt"
	"strconv"
	"strings"

	"xopt/cmd/internal/options"
	"xopt/internal/fault"
	"xopt/internal/units"
	"xopt/mapper"
)

func percentage(now any) error {
	if _, err := ParsePercent(now.(string)); err != nil {
		return options.Expected("a percentage below 100, such as 20")
	}
	return notPart(now.(string))
}

// keptPart checks that a value is a percentage above 0 and below 100.
func keptPart(now any) error {
	if x, err := ParsePercent(now.(string)); err != nil || x == 0 {
		return options.Expected("a percentage above 0 and below 100, such as 99%%")
	}
	return notPart(now.(string))
}

// notPart rejects a number up to 1 without a percent sign, because 0.99 may mean 99 % or 0.99 %.
func notPart(text string) error {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || x <= 0 || x > 1 {
		return nil
	}
	if x == 1 {
		return options.Expected("a percentage with the sign %%: 1%% for one hundredth")
	}
	return options.Expected(
		"a percentage with the sign %%: %s%% for the fraction %s, or %s%% for less than one hundredth",
		strconv.FormatFloat(100*x, 'g', 6, 64), text, text)
}

// ParsePercent parses a percentage below 100 and returns it as a fraction.
func ParsePercent(text string) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(text, "%")), 64)
	if err == nil && !(x >= 0 && x < 100) {
		err = strconv.ErrRange
	}
	return x / 100, err
}

// RobustOptions returns the options of a ranking by robust throughput; nil without --robust.
func (s *Settings) RobustOptions() (*mapper.RobustOptions, error) {
	if !s.Robust {
		return nil, nil
	}
	o := &mapper.RobustOptions{Seed: s.Seed}
	if s.Doubt != "" {
		var err error
		if o.Doubt, err = ParsePercent(s.Doubt); err != nil {
			return nil, fault.Usage(fmt.Errorf("--doubt: %w", err))
		}
	}
	return o, nil
}

// Goal returns the objectives and constraints of a search.
func (s *Settings) Goal() (mapper.Goal, error) {
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

// objectives checks --objective.
func objectives(now any) error {
	_, err := mapper.ParseObjectives(now.(string))
	return err
}

// assignments checks that all entries are of the form NAME=VALUE.
func assignments(now any) error {
	for _, x := range now.([]string) {
		if name, _, ok := strings.Cut(x, "="); !ok || strings.TrimSpace(name) == "" {
			return fault.WrongOptionValue.Errorf("%s: expected NAME.config=VALUE, such as PCI.bandwidth=10MB/s, or "+
				"RESOURCE=NUMBER, such as fpga=2", x)
		}
	}
	return nil
}
