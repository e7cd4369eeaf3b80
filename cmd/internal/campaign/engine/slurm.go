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

// How long a worker computes on when it is told to end: Slurm waits 30 s between telling (SIGTERM) and ending, where
// nothing else is configured, and says 60 s before that a job's time is over (SIGUSR1).
const (
	graceAtEnd   = 20 * time.Second
	graceNearEnd = 45 * time.Second
	patienceIdle = 2 // times the silence after which a worker is dead: as long a worker waits for points of others
)

// startSlurm has Slurm start as many workers as are missing, and returns.
func (r *Run) startSlurm(ctx context.Context) (code int, err error) {
	state, err := r.Look()
	if err != nil {
		return 0, err
	}
	if state.Over() || state.Cancelled {
		return r.worked(ctx, state)
	}
	jobs, err := slurm.Queue(ctx, r.Folder.Run)
	if err != nil {
		return 0, err
	}
	if len(jobs) > 0 {
		r.Note("Slurm has %s of this campaign already", units.Counted(len(jobs), "worker", "workers"))
	}
	job, n, err := r.topUp(ctx, state, jobs)
	if err != nil {
		return 0, err
	}
	if n > 0 {
		r.Note("Slurm starts %s, as job %s; nothing else has to run here", units.Counted(n, "worker", "workers"), job)
	}
	r.Note("xopt campaign status %s says how far it is; --watch goes on saying it", safetext.ShellWord(r.Folder.Dir))
	return Done, nil
}

// topUp has Slurm start the workers that are missing when these are there: for points of nodes, one on each.
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

// submitJobs has Slurm start so many workers, on a node or on any.
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
	note := filepath.Join(r.Folder.Logs(), "slurm-"+filepath.Base(job)+".submitted") // cancel sees that there were jobs
	if err := os.WriteFile(note, fmt.Appendf(nil, "%d workers\n", n), 0o644); err != nil {
		r.Note("warning: %v", err)
	}
	return job, nil
}

// CancelJobs ends the jobs of a campaign, if it ever had any.
func (r *Run) CancelJobs(ctx context.Context) error {
	entries, err := os.ReadDir(r.Folder.Logs())
	if err != nil {
		return fmt.Errorf("looking for jobs: %w", err)
	}
	ever := slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), "slurm-") })
	if r.Folder.Engine.Name != campaign.Slurm && !ever {
		return nil
	}
	return slurm.Cancel(ctx, r.Folder.Run)
}

// askAgain is the time between two questions to Slurm while a campaign is watched.
const askAgain = time.Minute

// lookAgain is the time between two looks at the folder while a campaign is watched.
const lookAgain = 2 * time.Second

// Watch shows how far a campaign is until its end. Where Slurm has its workers, it has those replaced that have
// died.
func (r *Run) Watch(ctx context.Context) (*campaign.State, error) {
	w := campaign.NewWatch(r.Folder, r.Folder.Engine.Stale)
	bar := r.Begin()
	defer bar.End()
	var asked time.Time
	for {
		if err := w.Look(); err != nil {
			return nil, err
		}
		s := w.State()
		bar.Step(s.Done, s.All)
		if s.Over() || s.Cancelled || ctx.Err() != nil {
			return s, nil
		}
		if r.Folder.Engine.Name == campaign.Slurm && time.Since(asked) >= askAgain {
			asked = time.Now()
			if err := r.replaceJobs(ctx, s, bar); err != nil {
				bar.Clear()
				r.Note("warning: %v; the campaign goes on without", err)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(lookAgain):
		}
	}
}

// replaceJobs has Slurm start workers for those that have died.
func (r *Run) replaceJobs(ctx context.Context, s *campaign.State, bar Bar) error {
	jobs, err := slurm.Queue(ctx, r.Folder.Run)
	if err != nil {
		return err
	}
	if s.Waiting == 0 && len(jobs) > 0 { // the others end it
		return nil
	}
	job, n, err := r.topUp(ctx, s, jobs)
	if err != nil || n == 0 {
		return err
	}
	bar.Clear()
	r.Note("Slurm starts %s more, as job %s, for those that have ended", units.Counted(n, "worker", "workers"), job)
	return nil
}

// workInSlurm works as a job of Slurm. Told that its time is nearly over, or to end, it takes no more points, ends
// those in hand, and has Slurm start it again if work is left.
func (r *Run) workInSlurm(ctx context.Context) (code int, err error) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGTERM, os.Interrupt)
	defer signal.Stop(signals)
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // SIGTERM ends it in good order
	defer cancel()
	stop, over := make(chan struct{}), make(chan struct{})
	told := false
	listening := make(chan struct{})
	go func() {
		defer close(listening)
		for {
			select {
			case <-over:
				return
			case s := <-signals:
				if !told {
					told = true
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
	close(over)
	<-listening
	if err != nil {
		return 0, err
	}
	left := state.Waiting > 0 || state.Running == 0 && !state.Over()
	if !told || !inSlurm || !left || state.Cancelled {
		return r.worked(ctx, state)
	}
	if starts, _ := strconv.Atoi(os.Getenv("SLURM_RESTART_COUNT")); mine == 0 && starts+1 >= fruitlessJobs {
		return 0, faults.JobWithoutProgress.Errorf("job %s was started %d times, and no point was done in its time: "+
			"give it more with #SBATCH --time under slurm in the campaign file", self, starts+1)
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), graceAtEnd)
	defer done()
	again, err := self.Again(ctx)
	if err != nil {
		return 0, faults.PointsLeft.Errorf("%d of %d points are done, and work is left: %w", state.Done, state.All, err)
	}
	if again {
		fmt.Fprintf(r.Stdout, "%d of %d points are done; Slurm starts this job again\n", state.Done, state.All)
	}
	return Done, nil
}

// givenBySlurm returns the number of cores of this job on this machine; 0 for all that it may use.
func givenBySlurm(getenv func(string) string) int {
	n, err := strconv.Atoi(getenv("SLURM_CPUS_ON_NODE"))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// slurmAnswer limits the wait for Slurm's answer to campaign status, which is complete without it.
const slurmAnswer = 5 * time.Second

// LoseWorkers counts the workers as lost whose jobs Slurm no longer runs. Where Slurm does not answer, none are.
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
