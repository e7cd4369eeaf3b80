package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/internal/campaign"
	"xopt/mapper/sweep"
)

// settleSweep refuses a time limit, with which the answer of a point would depend on its machine.
func (a *app) settleSweep() error {
	if a.settings.Time > 0 {
		return wrongUse("--time is not of a campaign of a sweep: each point ends with --evals, wherever it is computed")
	}
	return nil
}

// missing reports whether a campaign has not computed a point.
func (a *app) missing(i int) bool { return a.answers != nil && a.answers[i] == nil }

// answer returns the answer of a point of a campaign; nil without one.
func (a *app) answer(i int) (*sweep.Answer, error) {
	if a.answers == nil || a.missing(i) {
		return nil, nil
	}
	x := new(sweep.Answer)
	if err := json.Unmarshal(a.answers[i], x); err != nil {
		return nil, fmt.Errorf("reading the answer of point %d: %w", i+1, err)
	}
	return x, nil
}

// quickPoint adds a point of a campaign without reading its files again, and reports whether it could.
func (a *app) quickPoint(s *sweeping, i int) (bool, error) {
	if a.answers == nil || i == s.Points()-1 { // the last one's files are described
		return false, nil
	}
	if a.missing(i) {
		s.AddMissing(i)
		return true, nil
	}
	x, err := a.answer(i)
	if err != nil {
		return false, err
	}
	return s.AddQuickly(i, x)
}

// sweepPoints returns the points of a sweep.
func (a *app) sweepPoints(c *cobra.Command, files []string) ([]campaign.Point, error) {
	s, err := a.prepareSweep(c.Context(), files, &a.settings.sweep)
	if err != nil {
		return nil, err
	}
	if err := s.Check(c.Context()); err != nil {
		return nil, err
	}
	points := make([]campaign.Point, s.Points())
	for i := range points {
		points[i].Label = strings.Join(s.Settings(i)[len(s.Given):], " ")
	}
	return points, nil
}

// sweepComputer computes the points of a sweep.
func (a *app) sweepComputer(c *cobra.Command, files []string) (computer, error) {
	s, err := a.prepareSweep(c.Context(), files, &a.settings.sweep)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, p *campaign.Task) (any, error) {
		d, err := s.Design(ctx, p.N)
		switch {
		case errors.Is(err, sweep.ErrNoResource):
			return &sweep.Answer{None: true}, nil
		case err != nil:
			return nil, err
		}
		return s.Answer(ctx, d, p.N)
	}, nil
}
