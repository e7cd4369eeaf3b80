package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	"xopt/cmd/internal/checkpoint"
	"xopt/cmd/internal/settings"
	"xopt/deploy/validate"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/internal/fault"
	"xopt/internal/safetext"
	"xopt/internal/units"
	"xopt/mapper"
	"xopt/mapper/copies"
	"xopt/mapper/predict"
)

// chosen contains the mappings that validate runs.
type chosen struct {
	design  *design.Design
	list    []validate.Choice
	keep    *checkpoint.Saver
	saved   json.RawMessage // run of a campaign's point
	earlier *validate.Done  // runs of an interrupted call
	notes   []fault.Note
}

// choose returns the mappings in the files. Without mappings in files, or with --best or --random, it also
// searches for mappings and draws random mappings. With --resume, it returns the mappings of the interrupted call.
func (a *app) choose(c *cobra.Command, files []string, f *settings.Validate) (*chosen, error) {
	ctx := c.Context()
	p, source, err := a.programs(ctx, files, true)
	if err != nil {
		return nil, err
	}
	if err := a.checkGiven(p, a.settings.Input); err != nil {
		return nil, err
	}
	x := &chosen{}
	mapFiles := p.MapFiles()
	if a.role.Point {
		mapFiles = mapFiles[max(0, len(mapFiles)-1):]
	}
	for _, file := range mapFiles {
		d, err := a.lower(ctx, p.WithMapsOf(file), source, files, design.ForMapping)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		var own *design.Design
		if d.Program.HasCopies() {
			if own = d; f.Refine != "" {
				return nil, fault.CopiesUnsupported.Usagef("%s has copies of kernels, which --refine does not "+
					"support; leave out the file or --refine", file)
			}
		}
		x.list = append(x.list, validate.Choice{Name: strings.TrimSuffix(filepath.Base(file), ".x"),
			Mapping: d.Mapping, Design: own, Buffers: d.Buffers, File: file})
	}
	searched := len(mapFiles) == 0 || a.given("best") || a.given("random")
	purpose := design.ForCheck // the figures have been checked
	if searched {
		purpose = design.ForSearch
	}
	if x.design, err = a.lower(ctx, p.WithMapsOf(""), source, files, purpose); err != nil {
		return nil, err
	}
	if a.answers != nil {
		done, err := a.runsOf(x)
		if err != nil {
			return nil, err
		}
		return x, x.selectEarlier(done)
	}
	if x.keep, err = a.newSaver(baseName(files)+".validate.checkpoint.json", "validate", files,
		predict.Describe(x.design).Inputs, a.validateLine(f)); err != nil {
		return nil, err
	}
	if searched && f.Best > 0 {
		x.noteCopies(a, files, mapFiles)
	}
	if a.settings.Resume {
		return x, x.resume()
	}
	if searched {
		names, found, err := mapper.Choose(ctx, x.design.Problem, x.design.Constraints, mapper.Choice{
			Best: f.Best, Random: f.Random, Search: f.Search, Seed: a.settings.Seed})
		if err != nil {
			return nil, err
		}
		x.list = append(x.list, validate.Choices(names, found)...)
	}
	var twins []fault.Note
	x.list, twins, err = validate.WithoutTwins(x.design, x.list, func(plain []*flow.Mapping) ([]int, error) {
		return mapper.Mirrors(x.design.Problem, x.design.Constraints, plain)
	})
	noteEach(a, "note: %s", twins)
	x.notes = append(x.notes, twins...)
	return x, err
}

// noteCopies prints a note if xopt search would try copies of kernels, and no mapping in the files has copies.
func (x *chosen) noteCopies(a *app, files, mapFiles []string) {
	if !copies.Any(x.design.Program) || len(x.design.Program.Resources) < 2 ||
		slices.ContainsFunc(x.list, func(c validate.Choice) bool { return c.Design != nil }) {
		return
	}
	others := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return slices.Contains(mapFiles, f) })
	if len(others) == 0 { // every file contains a mapping
		others = files
	}
	search, run := append([]string{"xopt", "search"}, others...), append([]string{"xopt", "validate"}, others...)
	if a.given("profile") {
		search, run = append(search, "--profile", a.settings.Profile), append(run, "--profile", a.settings.Profile)
	}
	n := faults.CopiesNotTried.Notef("this search tried no copies of kernels, although copies may be faster (run %s, "+
		"then %s)", safetext.ShellLine(search),
		safetext.ShellLine(append(run, baseName(others)+".1.map.x")))
	a.note("note: %s", n)
	x.notes = append(x.notes, n)
}

// resume restores an interrupted call.
func (x *chosen) resume() error {
	var done validate.Done
	if err := x.keep.Read(&done); err != nil {
		return err
	}
	if err := x.selectEarlier(&done); err != nil {
		return faults.DamagedCheckpoint.Usagef("--resume: checkpoint %s is damaged: %w (leave out --resume to "+
			"start again)", x.keep.Path, err)
	}
	return nil
}

// selectEarlier selects the mappings that ran earlier.
func (x *chosen) selectEarlier(done *validate.Done) (err error) {
	x.earlier = done
	x.list, err = done.Choices(x.design, x.list)
	return err
}

// validateLine returns the flags that a validation depends on.
func (a *app) validateLine(f *settings.Validate) []string {
	return append(a.scoreFlags(), "--best", fmt.Sprint(f.Best), "--random", fmt.Sprint(f.Random), "--runs",
		fmt.Sprint(f.Runs), "--window", f.Window.String(), "--elements", fmt.Sprint(a.settings.Elements),
		"--search-time", f.Search.String(), "--seed", fmt.Sprint(a.settings.Seed), "--from", a.settings.From, "--input",
		a.settings.Input)
}

// runChosen predicts and runs the mappings. After an interruption it returns the completed runs, which it stores for
// --resume.
func (a *app) runChosen(ctx context.Context, x *chosen, o validate.Options) ([]validate.Case, error) {
	complete := ctx.Err() == nil && x.keep != nil // the choice of mappings was not interrupted
	o.Earlier, o.Sizes = x.earlier, true
	kept := x.earlier != nil
	save := func(d *validate.Done, now bool) {
		if x.keep == nil { // a point of a campaign
			return
		}
		write := x.keep.Save
		if now {
			write = x.keep.Keep
		}
		if err := write(d); err != nil {
			a.note("warning: %s", fault.Text(err))
			return
		}
		kept = kept || now
	}
	o.Save = func(d *validate.Done) {
		if a.role.Point {
			x.saved, _ = json.Marshal(d) // save before the runs are combined; numbers and texts cannot fail to encode
		}
		save(d, ctx.Err() != nil)
	}
	o.Stopped = func(d *validate.Done) {
		if complete {
			save(d, true)
		}
	}
	cases, err := validate.Mappings(ctx, x.design, x.list, o)
	switch {
	case err == nil && x.keep == nil:
		return cases, nil
	case err == nil:
		return cases, x.keep.Close()
	case ctx.Err() == nil || len(cases) == 0 || !errors.Is(err, ctx.Err()):
		return nil, fmt.Errorf("validating: %w", err)
	}
	a.code = exitInterrupted
	if runs, _ := validate.CountRuns(cases); kept {
		a.note("interrupted after %s; to continue: %s", units.Counted(runs, "run", "runs"), x.keep.Resume())
	} else {
		a.note("interrupted before the first run")
	}
	return cases, nil
}
