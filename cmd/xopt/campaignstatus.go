package main

import (
	"context"
	"fmt"
	"strings"

	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/progress"
	"xopt/internal/units"
)

// campaignStatus says how far a campaign is.
func (a *app) campaignStatus(ctx context.Context, dir string) error {
	f, err := openCampaign(dir)
	if err != nil {
		return err
	}
	r := a.runOf(f)
	var s *campaign.State
	if a.settings.campaign.watch {
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
	what := f.Kind
	if len(f.Files) > 0 {
		what += " of " + strings.Join(f.Files, " ")
	}
	part := float64(s.Done) / float64(s.All)
	fmt.Fprintf(a.stdout, "%s: %3.0f%% %s %d of %d points\n", what, 100*part, progress.Bar(part), s.Done, s.All)
	type row struct {
		what string
		n    int
	}
	rows := []row{{"done", s.Done}, {"failed", s.Failed}, {"set aside", s.Aside}, {"in hand of workers", s.Running},
		{"waiting", s.Waiting}}
	for _, r := range rows {
		fmt.Fprintf(a.stdout, "%-19s %*d\n", r.what, len(fmt.Sprint(s.All)), r.n)
	}
	if s.Done > 0 {
		fmt.Fprintf(a.stdout, "%-19s %s a point in the mean, measured\n", "time", units.Time(s.Seconds/float64(s.Done)))
	}
	if s.Left > 0 {
		fmt.Fprintf(a.stdout, "%-19s about %s\n", "left", progress.RoundTime(s.Left))
	}
	for _, b := range s.Workers {
		fmt.Fprintf(a.stdout, "%-19s %d of %d cores used, %s at once\n", "worker on "+b.At(), b.Used, b.Given,
			units.Counted(b.Slots, "point", "points"))
	}
	for i := range s.Lost {
		if i == mostLost {
			fmt.Fprintf(a.stdout, "and %s more were lost\n", units.Counted(len(s.Lost)-i, "worker", "workers"))
			break
		}
		b := &s.Lost[i]
		fmt.Fprintf(a.stdout, "%-19s lost: process %d on %s%s ended without a last word\n", "worker on "+b.At(),
			b.By.PID, b.By.Host, ofJob(b.Job))
	}
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

// mostLost is the number of lost workers that are shown.
const mostLost = 5

// ofJob returns the words for the job of a worker; "" for none.
func ofJob(job string) string {
	if job == "" {
		return ""
	}
	return ", job " + job + " of Slurm,"
}
