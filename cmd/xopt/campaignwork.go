package main

import (
	"context"
	"fmt"
	"strings"

	"xopt/cmd/internal/campaign"
	"xopt/internal/units"
)

// work computes points of a campaign on this machine, and says how it ended.
func (a *app) work(ctx context.Context, f *campaign.Folder) error {
	work := a.longWork("computing point")
	defer work.end()
	state, err := a.workHere(ctx, f, campaign.WorkOptions{Slots: f.Engine.Workers, Node: thisNode(),
		Progress: work.step, Full: func(full bool) { work.stall(full, "waiting for room in "+f.Dir) }})
	work.end()
	if err != nil {
		return err
	}
	return a.worked(ctx, f, state)
}

// worked says how a worker ended.
func (a *app) worked(ctx context.Context, f *campaign.Folder, s *campaign.State) error {
	a.tellFailures(s)
	dir := shellWord(f.Dir)
	switch {
	case s.Complete():
		a.note("all %d points are done; xopt campaign collect %s", s.All, dir)
		return nil
	case ctx.Err() != nil:
		a.code = exitInterrupted
		a.note("interrupted with %d of %d points done; xopt campaign resume %s goes on", s.Done, s.All, dir)
		return nil
	case s.Cancelled: // by somebody else
		a.code = exitInterrupted
		a.note("cancelled with %d of %d points done; xopt campaign resume %s goes on", s.Done, s.All, dir)
		return nil
	case s.Over():
		what := fmt.Sprintf("%d of %d points are done, %d failed, %d are set aside", s.Done, s.All, s.Failed, s.Aside)
		if k := kindOf(f.Kind); k != nil && !k.alone && s.Aside == 0 {
			return fmt.Errorf("%s; the campaign has copies of the files and options: where these are wrong, correct "+
				"yours and submit them into another folder; where something else was, xopt campaign resume %s tries "+
				"again", what, dir)
		}
		return fmt.Errorf("%s; xopt campaign resume %s tries them again", what, dir)
	}
	a.note("%d of %d points are done", s.Done, s.All)
	return nil
}

// mostTold is how many failures are told in full.
const mostTold = 5

// mostLines is how many lines are shown of what the first of them printed.
const mostLines = 20

// tellFailures says which points went wrong, and how.
func (a *app) tellFailures(s *campaign.State) {
	for i, x := range s.Failures {
		if i == mostTold {
			a.note("and %s more went wrong; their output is in the folder failed of the campaign",
				units.Counted(len(s.Failures)-i, "point", "points"))
			return
		}
		what := "failed"
		if !x.Wrong {
			what = fmt.Sprintf("is set aside: it took its process with it %d times, the last on %s", campaign.MaxTries,
				x.Host)
		}
		a.note("point %d (%s) %s: %s", x.Point+1, x.Label, what, x.How)
		if lines := strings.Split(strings.TrimSpace(x.Output), "\n"); x.Output != "" && !x.Wrong && i == 0 {
			a.note("%s", strings.Join(lines[:min(len(lines), mostLines)], "\n"))
		}
	}
	for _, err := range s.Damaged {
		a.note("warning: %v; its points are computed again by xopt campaign resume", err)
	}
}

// resumeCampaign computes what is missing.
func (a *app) resumeCampaign(ctx context.Context, dir string) error {
	f, err := openCampaign(dir)
	if err != nil {
		return err
	}
	if _, err := kindIn(f); err != nil {
		return err
	}
	if err := a.otherEngine(a.settings.campaign.over(f.Engine).Name); err != nil {
		return err
	}
	damaged, err := f.Resume()
	if err != nil {
		return err
	}
	for _, d := range damaged {
		a.note("%v: its points are computed again", d)
	}
	return a.start(ctx, f)
}
