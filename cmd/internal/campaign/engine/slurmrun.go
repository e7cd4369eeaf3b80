package engine

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"xopt/cmd/faults"
	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/campaign/slurm"
	"xopt/internal/safetext"
	"xopt/internal/units"
)

// Grace periods of a worker after a request to stop. By default, Slurm waits 30 s between SIGTERM and SIGKILL. It sends
// SIGUSR1 60 s before the time limit of a job.
const (
	graceAtEnd   = 20 * time.Second
	graceNearEnd = 45 * time.Second
	patienceIdle = 2 // timeout for points of other workers, in units of Stale
)

// startSlurm submits the missing workers and returns.
func (r *Run) startSlurm(ctx context.Context) (code int, err error) {
	state, err := r.Look()
	if err != nil {
		return 0, err
	}
	if state.IsOver() || state.Cancelled {
		return r.worked(ctx, state)
	}
	jobs, err := slurm.Queue(ctx, r.Folder.Run)
	if err != nil {
		return 0, err
	}
	if len(jobs) > 0 {
		r.Note("Slurm already has %s of this campaign", units.Counted(len(jobs), "worker", "workers"))
	}
	job, n, err := r.topUp(ctx, state, jobs)
	if err != nil {
		return 0, err
	}
	if n > 0 {
		r.Note("submitted %s (job %s); you can log out", units.Counted(n, "worker", "workers"), job)
	}
	r.Note("xopt campaign status %s shows the progress (with --watch, until the end)", safetext.ShellWord(r.Folder.Dir))
	return Done, nil
}

// topUp submits the workers that are missing beside the given jobs. If the points belong to nodes, it submits one
// worker for each node without a job.
func (r *Run) topUp(ctx context.Context, s *campaign.State, there []slurm.Job) (job string, n int,
	err error) {
	if len(s.Nodes) == 0 {
		n = max(0, min(r.Folder.Engine.Workers-len(there), s.Waiting+s.Running))
		if n > 0 {
			job, err = r.submitJobs(ctx, n, "")
		}
		return job, n, err
	}
	for _, node := range s.Nodes {
		if slices.ContainsFunc(there, func(j slurm.Job) bool { return j.Wants == node }) {
			continue
		}
		one, err := r.submitJobs(ctx, 1, node)
		if err != nil {
			return job, n, fmt.Errorf("node %s: %w", node, err)
		}
		job, n = strings.TrimPrefix(job+", "+one, ", "), n+1
	}
	return job, n, nil
}

// submitJobs submits n workers to the given node; "" for any node.
func (r *Run) submitJobs(ctx context.Context, n int, node string) (job string, err error) {
	line, err := r.workLine()
	if err != nil {
		return "", err
	}
	logs, err := filepath.Rel(r.Folder.Dir, r.Folder.Logs())
	if err != nil {
		return "", err
	}
	job, err = slurm.Submit(ctx, &slurm.Array{Run: r.Folder.Run, Folder: r.Folder.Dir, Logs: logs,
		Lines: r.Folder.Engine.Slurm, Workers: n, Exclusive: r.Folder.Cores == 0, Node: node, Command: line})
	if err != nil {
		if e := r.Folder.NoteRefused(err.Error()); e != nil {
			r.Note("warning: %v", e)
		}
		return "", err
	}
	if e := r.Folder.NoteRefused(""); e != nil {
		r.Note("warning: %v", e)
	}
	// CancelJobs uses the name of this file to detect that jobs existed.
	note := filepath.Join(r.Folder.Logs(), "slurm-"+filepath.Base(job)+".submitted")
	if err := os.WriteFile(note, fmt.Appendf(nil, "%d workers\n", n), 0o644); err != nil {
		r.Note("warning: %v", err)
	}
	return job, nil
}

// CancelJobs cancels the jobs of a campaign, if any.
func (r *Run) CancelJobs(ctx context.Context) error {
	entries, err := os.ReadDir(r.Folder.Logs())
	if err != nil {
		return fmt.Errorf("finding the jobs of the campaign: %w", err)
	}
	ever := slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), "slurm-") })
	if r.Folder.Engine.Name != campaign.Slurm && !ever {
		return nil
	}
	return slurm.Cancel(ctx, r.Folder.Run)
}

// askAgain is the period of Slurm queries while xopt watches a campaign.
const askAgain = time.Minute

// lookAgain is the polling period of the folder while xopt watches a campaign.
const lookAgain = 2 * time.Second

// Watch shows the progress of a campaign until its end. With Slurm, it also replaces dead workers.
func (r *Run) Watch(ctx context.Context) (*campaign.State, error) {
	w := campaign.NewWatch(r.Folder, r.Folder.Engine.Stale)
	bar := r.StartBar()
	defer bar.Stop()
	var requested time.Time
	for {
		if err := w.Look(); err != nil {
			return nil, err
		}
		s := w.State()
		bar.Step(s.Done, s.All)
		if s.IsOver() || s.Cancelled || ctx.Err() != nil {
			return s, nil
		}
		if r.Folder.Engine.Name == campaign.Slurm && time.Since(requested) >= askAgain {
			requested = time.Now()
			if err := r.replaceJobs(ctx, s, bar); err != nil {
				bar.Clear()
				r.Note("warning: %v; the campaign continues without new workers", err)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(lookAgain):
		}
	}
}

// replaceJobs submits workers to replace dead workers.
func (r *Run) replaceJobs(ctx context.Context, s *campaign.State, bar Bar) error {
	jobs, err := slurm.Queue(ctx, r.Folder.Run)
	if err != nil {
		return err
	}
	if s.Waiting == 0 && len(jobs) > 0 { // the running jobs complete the work
		return nil
	}
	job, n, err := r.topUp(ctx, s, jobs)
	if err != nil || n == 0 {
		return err
	}
	bar.Clear()
	r.Note("submitted %s (job %s) to replace workers that ended", units.Counted(n, "worker", "workers"), job)
	return nil
}

// workInSlurm runs a worker as a Slurm job. Near its time limit, or after a request to stop, the worker claims no more
// points and completes the points in progress. It requeues itself if points remain.
func (r *Run) workInSlurm(ctx context.Context) (code int, err error) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGTERM, os.Interrupt)
	defer signal.Stop(signals)
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // SIGTERM stops the worker gracefully
	defer cancel()
	stop, finished := make(chan struct{}), make(chan struct{})
	reported := false
	listening := make(chan struct{})
	go func() {
		defer close(listening)
		for {
			select {
			case <-finished:
				return
			case s := <-signals:
				if !reported {
					reported = true
					close(stop)
				}
				if s != syscall.SIGUSR1 {
					time.AfterFunc(graceAtEnd, cancel)
				}
			}
		}
	}()
	self, inSlurm := slurm.Self(r.Folder.Run, os.Getenv)
	mine := 0
	state, err := r.workHere(ctx, campaign.WorkOptions{Given: givenBySlurm(os.Getenv), Stop: stop,
		Grace: graceNearEnd, Idle: patienceIdle * r.Folder.Engine.Stale, Job: self.String(),
		Node:     os.Getenv("SLURMD_NODENAME"),
		Progress: func(_, _ int) { mine++ }})
	close(finished)
	<-listening
	if err != nil {
		return 0, err
	}
	left := state.Waiting > 0 || state.Running == 0 && !state.IsOver()
	if !reported || !inSlurm || !left || state.Cancelled {
		return r.worked(ctx, state)
	}
	if starts, _ := strconv.Atoi(os.Getenv("SLURM_RESTART_COUNT")); mine == 0 && starts+1 >= fruitlessJobs {
		return 0, faults.JobWithoutProgress.Errorf("job %s was started %d times, but completed no point within its "+
			"time limit: raise the limit with #SBATCH --time under slurm in the campaign file", self, starts+1)
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), graceAtEnd)
	defer done()
	again, err := self.Again(ctx)
	if err != nil {
		return 0, faults.PointsLeft.Errorf("%d of %d points are done, but Slurm did not requeue this job: %w (to "+
			"continue: xopt campaign resume %s)", state.Done, state.All, err, safetext.ShellWord(r.Folder.Dir))
	}
	if again {
		fmt.Fprintf(r.Stdout, "%d of %d points are done; Slurm restarts this job\n", state.Done, state.All)
	}
	return Done, nil
}

// givenBySlurm returns the number of this job's cores on this machine; 0 for all available cores.
func givenBySlurm(getenv func(string) string) int {
	n, err := strconv.Atoi(getenv("SLURM_CPUS_ON_NODE"))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// slurmAnswer is the timeout for Slurm's answer in campaign status, whose output is complete without that answer.
const slurmAnswer = 5 * time.Second

// LoseWorkers marks workers as lost if Slurm no longer runs their jobs. If Slurm does not answer, it marks none.
func (r *Run) LoseWorkers(ctx context.Context, s *campaign.State) {
	ctx, cancel := context.WithTimeout(ctx, slurmAnswer)
	defer cancel()
	jobs, err := slurm.Queue(ctx, r.Folder.Run)
	if err != nil {
		return
	}
	s.Lose(func(job, node string) bool {
		return slices.ContainsFunc(jobs, func(j slurm.Job) bool { return j.ID == job && j.Node == node && !j.Waits() })
	})
}
