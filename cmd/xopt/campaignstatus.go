package main

import (
	"context"

	"xopt/cmd/internal/campaign"
)

// campaignStatus shows the progress of a campaign.
func (a *app) campaignStatus(ctx context.Context, dir string) error {
	f, err := openCampaign(dir)
	if err != nil {
		return err
	}
	r := a.runOf(f)
	var s *campaign.State
	if a.settings.Campaign.Watch {
		s, err = r.Watch(ctx)
	} else {
		s, err = r.Look()
	}
	if err != nil {
		return err
	}
	if f.Engine.Name == campaign.Slurm && !s.Over() {
		r.LoseWorkers(ctx, s)
	}
	if a.settings.JSON {
		return a.printJSON(f.Progress(s))
	}
	f.WriteStatus(a.stdout, s)
	r.Failures(s)
	if why := f.Refused(); why != "" && !s.Complete() {
		a.note("Slurm has refused to start workers: %s", why)
	}
	switch {
	case s.Complete():
		a.note("xopt campaign collect %s prints the result", shellWord(dir))
	case s.Cancelled:
		a.note("cancelled; xopt campaign resume %s goes on", shellWord(dir))
	case len(s.Workers) == 0 && f.Engine.Name == campaign.Slurm:
		a.note("no worker is at it: Slurm has begun none yet, or all have ended; xopt campaign resume %s asks Slurm, "+
			"and has it start those that are missing", shellWord(dir))
	case len(s.Workers) == 0:
		a.note("nobody works on it; xopt campaign resume %s goes on", shellWord(dir))
	}
	return nil
}
