package main

import (
	"context"
	"time"

	"xopt/cmd/faults"
	"xopt/flow/profile"
)

// busyLook is the time for which noteBusy observes the machine: 30 ticks of Linux's processor time accounting.
const busyLook = 300 * time.Millisecond

// noteBusy warns before a measurement if other programs use the processors, and states the consequence.
func (a *app) noteBusy(ctx context.Context, consequence string) {
	w := profile.NewWatch()
	select {
	case <-ctx.Done():
		return
	case <-time.After(busyLook):
	}
	load := w.Foreign()
	if text := load.Disturbance(); text != "" {
		a.noteID(faults.MachineBusy, "warning: the machine is busy: %s; %s", text, consequence)
	}
}
