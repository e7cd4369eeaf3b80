package main

import (
	"context"
	"fmt"
	"slices"

	"xopt/cmd/faults"
	"xopt/cmd/internal/progress"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/internal/units"
)

// noteOnce prints remarks that were not printed before.
func (a *app) noteOnce(remarks []string) {
	a.remarked.IsSweep = len(a.setBy) > 0
	noteEach(a, "%s", a.remarked.New(remarks))
}

// noteDoubts prints each warning and note about the figures of a design once. It reports figures that are stale or
// cannot be checked against the sources, and kernels whose output differs from the output on a core. With --fresh, it
// rejects stale and unchecked figures.
func (a *app) noteDoubts(d *design.Design) error {
	var remarks []string
	for _, w := range d.Warnings {
		remarks = append(remarks, "warning: "+w.String())
	}
	for _, n := range d.Notes {
		remarks = append(remarks, "note: "+n.String())
	}
	a.noteOnce(remarks)
	profile := a.settings.Profile
	if d.Disturbed != "" && a.isFull() && len(a.remarked.New([]string{"disturbed"})) > 0 {
		a.noteID(faults.ProfileDisturbed, "warning: the machine was disturbed while %s was measured: %s; calibrate "+
			"again on a quiet machine", profile, d.Disturbed)
	}
	cure := "; measure them again with: " + d.MeasureCommand()
	if d.StaleByPoint {
		cure = ": the sweep uses these figures at all points, although they were measured for one value " +
			"of the config; measure the figures of this point with: " + d.MeasureCommand()
	}
	if a.settings.Fresh { // the error contains the doubts
		cure = ""
	}
	stale := a.remarked.Doubts(d.Stale, fmt.Sprintf("warning: these figures of %s are stale%s", profile, cure))
	found := slices.DeleteFunc(slices.Clone(d.Unchecked), func(x design.Doubt) bool { return x.NoSource })
	unchecked := a.remarked.Doubts(found, fmt.Sprintf(
		"note: these figures of %s cannot be checked against the sources%s", profile, cure))
	head := "warning: on these resources, the output of kernels differs from the output on a core"
	if !a.settings.AllowMismatch {
		head += ", so xopt does not place the kernels there (--allow-mismatch permits it)"
	}
	mismatched := a.remarked.Doubts(d.Mismatched, head)
	noteEach(a, "%s", slices.Concat(stale, unchecked, mismatched))
	if n := len(d.Stale) + len(d.Unchecked); n > 0 && a.settings.Fresh {
		return faults.StaleFigures.Usagef("--fresh rejects %s: figures of %s are stale or cannot be checked; "+
			"measure them again with: %s", profile, units.Counted(n, "kernel", "kernels"), d.MeasureCommand())
	}
	return nil
}

// noteBusy warns before a measurement if other programs use the processors, and states the consequence. With
// --wait-quiet, it first waits for a quiet machine. Otherwise it warns only with --full or if a user can stop the
// command, because the answer also reports the disturbance.
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
