package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"xopt/bench/unseen"
	"xopt/cmd/internal/campaign"
)

// unseenPoints are the seeds of applications that are drawn.
func (a *app) unseenPoints(c *cobra.Command, files []string) ([]campaign.Point, error) {
	if n := a.settings.bench.apps; len(a.settings.campaign.seeds) == 0 && n > 1 {
		a.settings.campaign.seeds = []string{fmt.Sprintf("%d..%d", a.settings.Seed, a.settings.Seed+uint64(n)-1)}
		delete(a.inForce, "seed") // it is among them
	}
	return a.seedPoints(c, files)
}

// unseenComputer measures and runs the application of one seed.
func (a *app) unseenComputer(*cobra.Command, []string) (computer, error) {
	f := &a.settings.bench
	return func(ctx context.Context, p *campaign.Task) (any, error) {
		seed, err := seedOf(p.Point)
		if err != nil {
			return nil, err
		}
		r, err := unseen.Run(ctx, unseen.Options{Seed: seed, Apps: 1, Mappings: f.mappings, Runs: f.runs,
			Window: f.window, Budget: f.budget})
		if err == nil && r.Overall == nil {
			err = errors.New("the application could not be run")
			if len(r.Apps) > 0 && r.Apps[0].Fail != "" {
				err = errors.New(r.Apps[0].Fail)
			}
		}
		return r, err
	}, nil
}

// collectUnseen shows the figures of all applications.
func (a *app) collectUnseen() error {
	list, err := answersAs[unseen.Results](a)
	if err != nil {
		return err
	}
	all := &unseen.Results{}
	for i := range list {
		one := &list[i]
		if i == 0 {
			all.Machine = one.Machine
		} else if m := &one.Machine; m.CPU != all.Machine.CPU || m.Cores != all.Machine.Cores {
			a.note("note: the applications ran on machines that differ; the table names the first one")
		}
		all.Apps = append(all.Apps, one.Apps...)
	}
	all.Summarize()
	return a.showUnseen(all, &a.settings.bench)
}
