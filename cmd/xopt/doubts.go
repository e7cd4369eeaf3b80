package main

import (
	"context"

	"xopt/cmd/faults"
	"xopt/cmd/internal/progress"
	"xopt/cmd/internal/report"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/internal/units"
)

// noteOnce prints remarks that were not printed before.
func (a *app) noteOnce(remarks []string) {
	a.remarked.IsSweep = len(a.setBy) > 0
	noteEach(a, "%s", a.remarked.New(remarks))
}

// noteDoubts prints each warning and note about the figures of a design once. With --fresh, it rejects stale and
// unchecked figures.
func (a *app) noteDoubts(d *design.Design) error {
	a.remarked.IsSweep = len(a.setBy) > 0
	profile := report.ProfileUse{Path: a.settings.Profile, Fresh: a.settings.Fresh, Full: a.isFull()}
	noteEach(a, "%s", a.remarked.Figures(d, profile))
	if n := len(d.Stale) + len(d.Unchecked); n > 0 && a.settings.Fresh {
		return faults.StaleFigures.Usagef("--fresh rejects %s: figures of %s are stale or cannot be checked; "+
			"measure them again with: %s", profile.Path, units.Counted(n, "kernel", "kernels"), d.MeasureCommand())
	}
	return nil
}

// noteBusy warns before a measurement if other programs use the processors, and states the consequence. With
// --wait-quiet, it first waits for a quiet machine. Otherwise it warns only with --full or in a terminal, where a user
// can stop the command. The answer always reports the disturbance.
func (a *app) noteBusy(ctx context.Context, consequence string) {
	limit := a.settings.WaitQuiet
	if limit == 0 && !a.isFull() && !progress.IsTerminal(a.notes) {
		return
	}
	work := a.longWork("checking whether other programs use the processors")
	load := profile.AwaitQuiet(ctx, limit, func(load profile.Foreign) { work.At("waiting: " + load.Text) })
	work.Stop()
	if text := load.Disturbance(); text != "" {
		a.noteID(faults.MachineBusy, "warning: the machine is busy: %s; %s", text, consequence)
	}
}
