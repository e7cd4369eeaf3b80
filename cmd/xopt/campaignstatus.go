package main

import (
	"context"
	"fmt"
	"strings"

	"xopt/internal/campaign"
	"xopt/internal/units"
)

// campaignStatus says how far a campaign is.
func (a *app) campaignStatus(ctx context.Context, dir string) error {
	f, err := openCampaign(dir)
	if err != nil {
		return err
	}
	var s *campaign.State
	if a.settings.campaign.watch {
		s, err = a.watchCampaign(ctx, f)
	} else {
		s, err = a.look(f)
	}
	if err != nil {
		return err
	}
	if a.settings.JSON {
		return a.printJSON(s)
	}
	what := f.Kind
	if len(f.Files) > 0 {
		what += " of " + strings.Join(f.Files, " ")
	}
	part := float64(s.Done) / float64(s.All)
	full := int(part * barWidth)
	fmt.Fprintf(a.stdout, "%s: %3.0f%% |%s%s| %d of %d points\n", what, 100*part,
		strings.Repeat("█", full), strings.Repeat(" ", barWidth-full), s.Done, s.All)
	type row struct {
		what string
		n    int
	}
	rows := []row{{"done", s.Done}, {"failed", s.Failed}, {"set aside", s.Aside}, {"in hand of workers", s.Running},
		{"waiting", s.Waiting}}
	if s.Blocked > 0 {
		rows = append(rows, row{"blocked by failed", s.Blocked})
	}
	for _, r := range rows {
		fmt.Fprintf(a.stdout, "%-19s %*d\n", r.what, len(fmt.Sprint(s.All)), r.n)
	}
	if s.Done > 0 {
		fmt.Fprintf(a.stdout, "%-19s %s a point in the mean, measured\n", "time", units.Time(s.Seconds/float64(s.Done)))
	}
	if s.Left > 0 {
		fmt.Fprintf(a.stdout, "%-19s about %s\n", "left", roundTime(s.Left))
	}
	for _, b := range s.Workers {
		fmt.Fprintf(a.stdout, "%-19s %d of %d cores used, %s at once\n", "worker on "+b.By.Host, b.Used, b.Given,
			units.Counted(b.Slots, "point", "points"))
	}
	a.tellFailures(s)
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
