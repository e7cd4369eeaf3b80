package engine

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"xopt/cmd/faults"
	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/campaign/hosts"
	"xopt/internal/fault"
	"xopt/internal/safetext"
)

// startHosts computes all points with one worker per host.
func (r *Run) startHosts(ctx context.Context) (code int, err error) {
	e := &r.Folder.Engine
	line, err := r.workLine()
	if err != nil {
		return 0, err
	}
	command := func(host string) []string { return slices.Insert(slices.Clone(line), 3, "--node="+host) }
	bar := r.StartBar()
	defer bar.Stop()
	finished := make(chan struct{})
	var looking sync.WaitGroup
	looking.Go(func() { r.follow(bar, finished) })
	var reported sync.Mutex
	report := func(format string, args ...any) {
		reported.Lock()
		defer reported.Unlock()
		bar.Clear()
		r.Note(format, args...)
	}
	lost := 0
	err = hosts.Run(ctx, hosts.Options{Launch: e.Launch, Hosts: e.Hosts, Command: command,
		Output: func(host, line string) { report("%s: %s", host, line) },
		Ended: func(host string, err error) {
			if err != nil && ctx.Err() == nil {
				lost++
				report("warning: the worker on host %s %s; the other hosts compute its points", host, hosts.Why(err))
			}
		}})
	close(finished)
	looking.Wait()
	bar.Stop()
	if err != nil {
		return 0, fault.Usage(err)
	}
	state, err := r.Look()
	if err != nil {
		return 0, err
	}
	if lost > 0 && !state.IsOver() && !state.Cancelled && ctx.Err() == nil {
		return 0, faults.PointsLeft.Errorf("%d of %d points are done; %d of %d workers ended early; to continue: "+
			"xopt campaign resume %s", state.Done, state.All, lost, len(e.Hosts), safetext.ShellWord(r.Folder.Dir))
	}
	return r.worked(ctx, state)
}

// follow updates the progress of a campaign that other processes compute.
func (r *Run) follow(bar Bar, finished <-chan struct{}) {
	w := campaign.NewWatch(r.Folder, r.Folder.Engine.Stale)
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for {
		select {
		case <-finished:
			return
		case <-tick.C:
		}
		if w.Look() == nil { // after an error, the next poll tries again
			bar.Step(w.State().Done, len(r.Folder.Points))
		}
	}
}

// workAttached runs a worker until the program that started it on this host ends and thereby closes its standard input.
func (r *Run) workAttached(ctx context.Context) (code int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	state, err := r.workHere(ctx, campaign.WorkOptions{Node: r.Node})
	if err != nil {
		return 0, err
	}
	if ctx.Err() != nil {
		code = Interrupted
	}
	if !state.IsOver() && ctx.Err() == nil && !state.Cancelled {
		return 0, errors.New("this worker found no free points, but other workers are still computing")
	}
	return code, nil
}
