package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	"xopt/cmd/internal/campaign"
	"xopt/mapper/result"
	"xopt/mapper/sweep"
)

// prepareSweepCampaign rejects a time limit, because it would make the answer of a point depend on the machine.
func (a *app) prepareSweepCampaign(files []string) error {
	if a.settings.Time > 0 {
		return faults.NotInCampaign.Usagef("--time does not apply to a sweep campaign; limit each point with --evals")
	}
	return a.planSweep(files)
}

// sweepPoints returns the points of a sweep. Each point is a sweep with one value per setting.
func (a *app) sweepPoints(c *cobra.Command, x *submission) ([]campaign.Point, error) {
	s, err := a.prepareSweep(c.Context(), x.files)
	if err != nil {
		return nil, err
	}
	if err := s.Check(c.Context()); err != nil {
		return nil, err
	}
	points := make([]campaign.Point, s.Points())
	line := x.line([]string{"vary", "points"}, "--checkpoint", "0s")
	for i := range points {
		set := s.Settings(i)[len(s.Given):]
		points[i].Label, points[i].Args = strings.Join(set, " "), line[:len(line):len(line)]
		for _, text := range set {
			points[i].Args = append(points[i].Args, "--vary", text)
		}
	}
	return points, nil
}

// joinSweep combines the answers of a campaign into one sweep.
func (a *app) joinSweep(ctx context.Context, s *sweeping) error {
	for i, x := range a.answers {
		var r result.Result // has no sweep if the point is missing
		if x != nil {
			if err := json.Unmarshal(x.JSON, &r); err != nil {
				return fmt.Errorf("reading the result of point %d: %w", i+1, err)
			}
		}
		if err := s.Join(ctx, r.Sweep); err != nil {
			return err
		}
	}
	for i := s.Points() - 1; i >= 0 && s.design == nil; i-- { // describe the files of the last point
		d, err := s.Design(ctx, i)
		if err != nil && !errors.Is(err, sweep.ErrNoResource) {
			return err
		}
		s.design = d
	}
	return nil
}
