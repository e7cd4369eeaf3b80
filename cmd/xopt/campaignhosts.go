package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/campaign/hosts"
)

// startHosts has a worker on each host compute the points, until all are done.
func (a *app) startHosts(ctx context.Context, f *campaign.Folder) error {
	e := &f.Engine
	line, err := a.workLine(f)
	if err != nil {
		return err
	}
	command := func(host string) []string { return slices.Insert(slices.Clone(line), 3, "--node="+host) }
	bar := a.longWork("computing point")
	defer bar.end()
	over := make(chan struct{})
	var looking sync.WaitGroup
	looking.Go(func() { follow(f, bar, over) })
	var told sync.Mutex
	tell := func(format string, args ...any) {
		told.Lock()
		defer told.Unlock()
		bar.clear()
		a.note(format, args...)
	}
	lost := 0
	err = hosts.Run(ctx, hosts.Options{Launch: e.Launch, Hosts: e.Hosts, Command: command,
		Say: func(host, line string) { tell("%s: %s", host, line) },
		Ended: func(host string, err error) {
			if err != nil && ctx.Err() == nil {
				lost++
				tell("warning: host %s: its worker %s; the other hosts compute its points", host, hosts.Why(err))
			}
		}})
	close(over)
	looking.Wait()
	bar.end()
	if err != nil {
		return &usageError{err}
	}
	state, err := a.look(f)
	if err != nil {
		return err
	}
	if lost > 0 && !state.Over() && !state.Cancelled && ctx.Err() == nil {
		return fmt.Errorf("%d of %d points are done; %d of %d hosts ended early; xopt campaign resume %s goes on",
			state.Done, state.All, lost, len(e.Hosts), shellWord(f.Dir))
	}
	return a.worked(ctx, f, state)
}

// follow moves the bar of a campaign that others compute.
func follow(f *campaign.Folder, bar *longWork, over <-chan struct{}) {
	w := campaign.NewWatch(f, f.Engine.Stale)
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for {
		select {
		case <-over:
			return
		case <-tick.C:
		}
		if w.Look() == nil { // else it is read again
			bar.step(w.State().Done, len(f.Points))
		}
	}
}
