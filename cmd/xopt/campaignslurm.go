package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"xopt/internal/campaign"
	"xopt/internal/campaign/slurm"
	"xopt/internal/units"
)

// startSlurm has Slurm start as many workers as are missing, and returns.
func (a *app) startSlurm(ctx context.Context, f *campaign.Folder) error {
	if f.Engine.Workers == 0 {
		return wrongUse("say how many workers Slurm should start: --workers N, or workers: N in the campaign file")
	}
	state, err := a.look(f)
	if err != nil {
		return err
	}
	if state.Over() {
		return a.worked(ctx, f, state)
	}
	jobs, err := slurm.Queue(ctx, f.Run)
	if err != nil {
		return err
	}
	if len(jobs) > 0 {
		a.note("Slurm has %s of this campaign already", units.Counted(len(jobs), "worker", "workers"))
	}
	job, n, err := a.topUp(ctx, f, state, len(jobs))
	if err != nil {
		return err
	}
	if n > 0 {
		a.note("Slurm starts %s, as job %s; nothing else has to run here", units.Counted(n, "worker", "workers"), job)
	}
	a.note("xopt campaign status %s says how far it is; --watch goes on saying it", shellWord(f.Dir))
	return nil
}

// look reads how far a campaign is.
func (a *app) look(f *campaign.Folder) (*campaign.State, error) {
	w := campaign.NewWatch(f, f.Engine.Stale)
	if err := w.Look(); err != nil {
		return nil, err
	}
	return w.State(), nil
}

// topUp has Slurm start the workers that are missing when so many are there.
func (a *app) topUp(ctx context.Context, f *campaign.Folder, s *campaign.State, there int) (job string, n int,
	err error) {
	n = min(f.Engine.Workers-there, s.Waiting+s.Running)
	if n <= 0 {
		return "", 0, nil
	}
	line, err := a.workLine(f)
	if err != nil {
		return "", 0, err
	}
	logs, err := filepath.Rel(f.Dir, f.Logs())
	if err != nil {
		return "", 0, err
	}
	job, err = slurm.Submit(ctx, &slurm.Array{Run: f.Run, Folder: f.Dir, Logs: logs, Lines: f.Engine.Slurm, Workers: n,
		Exclusive: f.Cores == 0, Command: line})
	if err != nil {
		return "", 0, err
	}
	note := filepath.Join(f.Logs(), "slurm-"+filepath.Base(job)+".submitted") // cancel sees that there were jobs
	if err := os.WriteFile(note, fmt.Appendf(nil, "%d workers\n", n), 0o644); err != nil {
		a.note("warning: %v", err)
	}
	return job, n, nil
}

// cancelJobs ends the jobs of a campaign, if it ever had any.
func (a *app) cancelJobs(ctx context.Context, f *campaign.Folder) error {
	entries, err := os.ReadDir(f.Logs())
	if err != nil {
		return fmt.Errorf("looking for jobs: %w", err)
	}
	ever := slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), "slurm-") })
	if f.Engine.Name != campaign.Slurm && !ever {
		return nil
	}
	return slurm.Cancel(ctx, f.Run)
}

// askAgain is how often who watches asks Slurm.
const askAgain = time.Minute

// lookAgain is how often who watches reads the folder.
const lookAgain = 2 * time.Second

// watchCampaign says how far a campaign is until its end. Where Slurm has its workers, it has those replaced that have
// died.
func (a *app) watchCampaign(ctx context.Context, f *campaign.Folder) (*campaign.State, error) {
	w := campaign.NewWatch(f, f.Engine.Stale)
	bar := a.longWork("computing point")
	defer bar.end()
	var asked time.Time
	for {
		if err := w.Look(); err != nil {
			return nil, err
		}
		s := w.State()
		bar.step(s.Done, s.All)
		if s.Over() || s.Cancelled || ctx.Err() != nil {
			return s, nil
		}
		if f.Engine.Name == campaign.Slurm && time.Since(asked) >= askAgain {
			asked = time.Now()
			if err := a.replaceJobs(ctx, f, s); err != nil {
				bar.clear()
				a.note("warning: %v; the campaign goes on without", err)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(lookAgain):
		}
	}
}

// replaceJobs has Slurm start workers for those that have died.
func (a *app) replaceJobs(ctx context.Context, f *campaign.Folder, s *campaign.State) error {
	jobs, err := slurm.Queue(ctx, f.Run)
	if err != nil {
		return err
	}
	if s.Waiting == 0 && len(jobs) > 0 { // the others end it
		return nil
	}
	job, n, err := a.topUp(ctx, f, s, len(jobs))
	if err != nil || n == 0 {
		return err
	}
	a.working.clear()
	a.note("%d of %d workers are left; Slurm starts %d more, as job %s", len(jobs), f.Engine.Workers, n, job)
	return nil
}
