package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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
	"xopt/flow/xlang"
	"xopt/internal/fault"
	"xopt/internal/safetext"
	"xopt/internal/units"
	"xopt/mapper"
	"xopt/mapper/predict"
	"xopt/mapper/replicate"
)

// chosen contains the mappings that a validation runs.
type chosen struct {
	design   *design.Design
	names    []string
	mappings []*flow.Mapping
	designs  []*design.Design // of mappings with copies of kernels; nil, or a nil entry, for the design
	buffers  []map[int]int    // of each; nil for the design's
	purpose  design.Purpose
	files    []string // map files that contain them; "" for searched or random mappings
	keep     *checkpoint.Saver
	saved    json.RawMessage // the runs of a campaign's point
	earlier  *validate.Done  // the runs of an interrupted call
	notes    []fault.Note
}

// choose returns the mappings of the files. Without any, or for --best or --random, it searches for and draws others.
// For an interrupted call it returns its mappings.
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
	mapFiles := mapFilesOf(p)
	if a.role.Point {
		mapFiles = mapFiles[max(0, len(mapFiles)-1):]
	}
	for _, file := range mapFiles {
		d, err := a.lower(ctx, only(p, file), source, files, design.ForMapping)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		var own *design.Design
		if hasCopies(d.Program) {
			if own = d; f.Refine != "" {
				return nil, fault.CopiesUnsupported.Usagef("%s runs kernels in copies, and --refine learns from "+
					"mappings without; leave one of the two out", file)
			}
		}
		x.designs, x.files = append(x.designs, own), append(x.files, file)
		x.names, x.mappings, x.buffers = append(x.names, strings.TrimSuffix(filepath.Base(file), ".x")),
			append(x.mappings, d.Mapping), append(x.buffers, d.Buffers)
	}
	searched := len(mapFiles) == 0 || a.given("best") || a.given("random")
	x.purpose = design.ForCheck // the relevant figures have been checked
	if searched {
		x.purpose = design.ForSearch
	}
	if x.design, err = a.lower(ctx, only(p, ""), source, files, x.purpose); err != nil {
		return nil, err
	}
	if a.answers != nil {
		done, err := a.runsOf(x)
		if err != nil {
			return nil, err
		}
		return x, x.takeUp(done)
	}
	if x.keep, err = a.newSaver(baseName(files)+".validate.checkpoint.json", "validate",
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
		x.names, x.mappings = append(x.names, names...), append(x.mappings, found...)
		for range found {
			x.buffers, x.designs = append(x.buffers, x.design.Buffers), append(x.designs, nil)
			x.files = append(x.files, "")
		}
	}
	return x, x.once(a)
}

// noteCopies reports that mappings with copies of kernels are not searched, if a search would try them and no map
// file has any.
func (x *chosen) noteCopies(a *app, files, mapFiles []string) {
	if !replicate.Any(x.design.Program) || len(x.design.Program.Resources) < 2 ||
		slices.ContainsFunc(x.designs, func(d *design.Design) bool { return d != nil }) {
		return
	}
	others := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return slices.Contains(mapFiles, f) })
	if len(others) == 0 { // one file contains everything
		others = files
	}
	search, run := append([]string{"xopt", "search"}, others...), append([]string{"xopt", "validate"}, others...)
	if a.given("profile") {
		search, run = append(search, "--profile", a.settings.Profile), append(run, "--profile", a.settings.Profile)
	}
	n := faults.CopiesNotTried.Notef("the mappings searched here have no copies of kernels, and one with copies may "+
		"be predicted better: %s, then %s", safetext.ShellLine(search),
		safetext.ShellLine(append(run, baseName(others)+".1.map.x")))
	a.note("note: %s", n)
	x.notes = append(x.notes, n)
}

// once removes mappings that differ from another only in the names of equal cores, and reports them.
func (x *chosen) once(a *app) error {
	var plain []*flow.Mapping // without copies
	var at []int
	for i, m := range x.mappings {
		if x.designs[i] == nil {
			plain, at = append(plain, m), append(at, i)
		}
	}
	mirrors, err := mapper.Mirrors(x.design.Problem, x.design.Constraints, plain)
	if err != nil {
		return err
	}
	first := make([]int, len(x.mappings))
	for i := range first {
		first[i] = i
	}
	for j, f := range mirrors {
		first[at[j]] = at[f]
	}
	var one chosen
	for i, f := range first {
		if f != i && maps.Equal(x.buffers[f], x.buffers[i]) {
			twin := faults.MappingTwice.Notef("%s is %s with equal cores exchanged, the same mapping: it is run once, "+
				"as %s", x.names[i], x.names[f], x.names[f])
			a.note("note: %s", twin)
			x.notes = append(x.notes, twin)
			continue
		}
		one.names, one.mappings, one.buffers = append(one.names, x.names[i]), append(one.mappings, x.mappings[i]),
			append(one.buffers, x.buffers[i])
		one.designs, one.files = append(one.designs, x.designs[i]), append(one.files, x.files[i])
	}
	x.names, x.mappings, x.buffers, x.designs, x.files = one.names, one.mappings, one.buffers, one.designs, one.files
	return nil
}

// resume restores an interrupted call.
func (x *chosen) resume() error {
	var done validate.Done
	if err := x.keep.Read(&done); err != nil {
		return err
	}
	if err := x.takeUp(&done); err != nil {
		return faults.DamagedCheckpoint.Usagef("--resume: %s is damaged: %w", x.keep.Path, err)
	}
	return nil
}

// takeUp selects the mappings of earlier runs.
func (x *chosen) takeUp(done *validate.Done) error {
	if len(done.Flows) != len(done.Cases) || len(done.Cases) == 0 {
		return errors.New("it holds no runs")
	}
	given := *x
	x.names, x.mappings, x.buffers, x.designs, x.earlier = nil, nil, nil, nil, done
	for i := range done.Cases {
		name, m, d := done.Cases[i].Name, done.Cases[i].Mapping, x.design
		own, buffers := (*design.Design)(nil), d.Buffers
		if j := slices.Index(given.names, name); j >= 0 { // of a map file
			given.names[j], own, buffers = "", given.designs[j], given.buffers[j]
		}
		if own != nil {
			d = own
		}
		if m == nil || len(done.Flows[i]) != len(d.Program.Edges) || len(m.Place) != len(d.Program.Kernels) ||
			!holds(d, m) {
			return fmt.Errorf("mapping %d is not one of this application", i+1)
		}
		x.names, x.mappings = append(x.names, name), append(x.mappings, m)
		x.buffers, x.designs = append(x.buffers, buffers), append(x.designs, own)
	}
	return nil
}

// holds reports whether a mapping is valid for a design.
func holds(d *design.Design, m *flow.Mapping) bool {
	_, err := flow.NewNetwork(d.Problem, m)
	return err == nil
}

// validateLine returns the flags that a validation depends on.
func (a *app) validateLine(f *settings.Validate) []string {
	return append(a.scoreFlags(), "--best", fmt.Sprint(f.Best), "--random", fmt.Sprint(f.Random), "--runs",
		fmt.Sprint(f.Runs), "--window", f.Window.String(), "--elements", fmt.Sprint(a.settings.Elements),
		"--search-time", f.Search.String(), "--seed", fmt.Sprint(a.settings.Seed), "--from", a.settings.From, "--input",
		a.settings.Input)
}

// mapFilesOf returns the files that place kernels.
func mapFilesOf(p *xlang.Program) []string {
	var list []string
	seen := make(map[string]bool)
	for i := range p.Maps {
		if m := &p.Maps[i]; m.Kernel >= 0 && !seen[m.Pos.File] {
			seen[m.Pos.File] = true
			list = append(list, m.Pos.File)
		}
	}
	return list
}

// only returns a program with the mapping and buffers of one file; without a mapping for "".
func only(p *xlang.Program, file string) *xlang.Program {
	mapFiles := mapFilesOf(p)
	q := *p
	q.Maps, q.Buffers = nil, nil
	for _, m := range p.Maps {
		if m.Pos.File == file {
			q.Maps = append(q.Maps, m)
		}
	}
	for _, b := range p.Buffers { // buffers in files without a mapping apply to all
		own := true
		for _, other := range mapFiles {
			own = own && (other != b.Pos.File || other == file)
		}
		if own {
			q.Buffers = append(q.Buffers, b)
		}
	}
	return &q
}

// runChosen predicts and runs the mappings. If interrupted, it returns the completed runs, which are stored for
// --resume.
func (a *app) runChosen(ctx context.Context, x *chosen, o validate.Options) ([]validate.Case, error) {
	complete := ctx.Err() == nil && x.keep != nil // not interrupted while mappings were selected
	o.Buffers, o.Designs, o.Earlier, o.Sizes = x.buffers, x.designs, x.earlier, true
	kept := x.earlier != nil
	save := func(d *validate.Done, now bool) {
		if x.keep == nil { // of a campaign
			return
		}
		write := x.keep.Save
		if now {
			write = x.keep.Keep
		}
		if err := write(d); err != nil {
			a.note("warning: %v", err)
			return
		}
		kept = kept || now
	}
	o.Save = func(d *validate.Done) {
		if a.role.Point {
			x.saved, _ = json.Marshal(d) // as it is before it is combined; numbers and texts
		}
		save(d, ctx.Err() != nil)
	}
	o.Stopped = func(d *validate.Done) {
		if complete {
			save(d, true)
		}
	}
	cases, err := validate.Mappings(ctx, x.design, x.names, x.mappings, o)
	switch {
	case err == nil && x.keep == nil:
		return cases, nil
	case err == nil:
		return cases, x.keep.End()
	case ctx.Err() == nil || len(cases) == 0 || !errors.Is(err, ctx.Err()):
		return nil, fmt.Errorf("validating: %w", err)
	}
	a.code = exitInterrupted
	runs := 0
	for i := range cases {
		runs += len(cases[i].Runs)
	}
	if kept {
		a.note("interrupted after %s; --resume goes on from %s", units.Counted(runs, "run", "runs"), x.keep.Path)
	} else {
		a.note("interrupted before anything ran")
	}
	return cases, nil
}
