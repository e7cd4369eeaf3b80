package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/campaign/slurm"
	"xopt/internal/units"
)

// startSlurm has Slurm start as many workers as are missing, and returns.
func (a *app) startSlurm(ctx context.Context, f *campaign.Folder) error {
	state, err := a.look(f)
	if err != nil {
		return err
	}
	if state.Over() || state.Cancelled {
		return a.worked(ctx, f, state)
	}
	jobs, err := slurm.Queue(ctx, f.Run)
	if err != nil {
		return err
	}
	if len(jobs) > 0 {
		a.note("Slurm has %s of this campaign already", units.Counted(len(jobs), "worker", "workers"))
	}
	job, n, err := a.topUp(ctx, f, state, jobs)
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

// topUp has Slurm start the workers that are missing when these are there: for points of nodes, one on each.
func (a *app) topUp(ctx context.Context, f *campaign.Folder, s *campaign.State, there []slurm.Job) (job string, n int,
	err error) {
	if len(s.Nodes) == 0 {
		n = max(0, min(f.Engine.Workers-len(there), s.Waiting+s.Running))
		if n > 0 {
			job, err = a.submitJobs(ctx, f, n, "")
		}
		return job, n, err
	}
	for _, node := range s.Nodes {
		if slices.ContainsFunc(there, func(j slurm.Job) bool { return j.Wants == node }) {
			continue
		}
		one, err := a.submitJobs(ctx, f, 1, node)
		if err != nil {
			return job, n, fmt.Errorf("node %s: %w", node, err)
		}
		job, n = strings.TrimPrefix(job+", "+one, ", "), n+1
	}
	return job, n, nil
}

// submitJobs has Slurm start so many workers, on a node or on any.
func (a *app) submitJobs(ctx context.Context, f *campaign.Folder, n int, node string) (job string, err error) {
	line, err := a.workLine(f)
	if err != nil {
		return "", err
	}
	logs, err := filepath.Rel(f.Dir, f.Logs())
	if err != nil {
		return "", err
	}
	job, err = slurm.Submit(ctx, &slurm.Array{Run: f.Run, Folder: f.Dir, Logs: logs, Lines: f.Engine.Slurm, Workers: n,
		Exclusive: f.Cores == 0, Node: node, Command: line})
	if err != nil {
		if e := f.NoteRefused(err.Error()); e != nil {
			a.note("warning: %v", e)
		}
		return "", err
	}
	if e := f.NoteRefused(""); e != nil {
		a.note("warning: %v", e)
	}
	note := filepath.Join(f.Logs(), "slurm-"+filepath.Base(job)+".submitted") // cancel sees that there were jobs
	if err := os.WriteFile(note, fmt.Appendf(nil, "%d workers\n", n), 0o644); err != nil {
		a.note("warning: %v", err)
	}
	return job, nil
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
	job, n, err := a.topUp(ctx, f, s, jobs)
	if err != nil || n == 0 {
		return err
	}
	a.working.clear()
	a.note("Slurm starts %s more, as job %s, for those that have ended", units.Counted(n, "worker", "workers"), job)
	return nil
}
