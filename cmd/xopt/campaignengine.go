package main

import (
	"context"
	"errors"
	"path/filepath"

	"xopt/cmd/faults"
	"xopt/cmd/internal/campaign"
	"xopt/cmd/internal/campaign/engine"
	"xopt/cmd/internal/options"
	"xopt/internal/fault"
)

// runOf prepares the computation of a campaign by the selected engine.
func (a *app) runOf(f *campaign.Folder) *engine.Run {
	f.Engine = a.settings.Campaign.Override(f.Engine)
	note := func(format string, args ...any) {
		a.note(format, args...)
		a.flush() // workers write to the same output
	}
	first := func() engine.Bar { return a.longWork("computing point") }
	flags := []string{"--quiet", "--cache-size", a.settings.CacheSize}
	if dir, err := filepath.Abs(a.settings.Cache); err == nil && a.settings.Cache != "" {
		flags = append(flags, "--cache", dir)
	}
	return &engine.Run{Folder: f, Note: note, StartBar: first,
		Stdout: a.stdout.Under(), Stderr: a.stderr.Under(), Quiet: a.settings.Quiet,
		Node: a.settings.Campaign.Node, Flags: flags}
}

// ended sets the exit code according to the end of a computation.
func (a *app) ended(code int, err error) error {
	a.code = max(a.code, code)
	return err
}

// start computes the points of a campaign.
func (a *app) start(ctx context.Context, f *campaign.Folder) error {
	a.flush()
	return a.ended(a.runOf(f).Start(ctx))
}

// workAs runs a worker for a campaign.
func (a *app) workAs(ctx context.Context, f *campaign.Folder, _ string) error {
	if _, err := kindIn(f); err != nil {
		return err
	}
	return a.ended(a.runOf(f).Work(ctx))
}

// resumeCampaign computes the missing points.
func (a *app) resumeCampaign(ctx context.Context, f *campaign.Folder, _ string) error {
	if _, err := kindIn(f); err != nil {
		return err
	}
	if err := a.otherEngine(a.settings.Campaign.Override(f.Engine).Name); err != nil {
		return err
	}
	damaged, err := f.Resume()
	if err != nil {
		return err
	}
	noteEach(a, "%v; xopt computes the points of this file again", damaged)
	return a.start(ctx, f)
}

// otherEngine rejects flags that do not apply to the engine.
func (a *app) otherEngine(name string) error {
	var errs []error
	for _, flag := range []string{"hosts", "launch"} {
		if v := a.inForce[flag]; v != nil && v.Origin == options.OriginFlag && name != campaign.SSH {
			errs = append(errs, faults.NotForEngine.Errorf("--%s requires --engine %s; the engine is %s",
				flag, campaign.SSH, name))
		}
	}
	if v := a.inForce["workers"]; v != nil && v.Origin == options.OriginFlag && name == campaign.SSH {
		errs = append(errs, faults.NotForEngine.Errorf("--engine ssh accepts no --workers: "+engine.OneOnEachHost))
	}
	if err := errors.Join(errs...); err != nil {
		return fault.Usage(err)
	}
	return nil
}

// flush writes buffered output.
func (a *app) flush() {
	if err := errors.Join(a.stdout.Flush(), a.stderr.Flush()); err != nil {
		a.code = max(a.code, exitFailed)
	}
}
