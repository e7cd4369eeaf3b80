package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"xopt/calibrate/elsewhere"
	"xopt/calibrate/profile"
	"xopt/internal/design"
	"xopt/internal/output"
	"xopt/internal/trace"
	"xopt/internal/units"
	"xopt/internal/view"
	"xopt/internal/xeval"
	"xopt/internal/xlang"
)

// calibrateByTrace measures nothing: it takes the figures of kernels from a trace that was recorded elsewhere, and
// adds them to a profile.
func (a *app) calibrateByTrace(c *cobra.Command, files []string, f *calibrateFlags, path string) error {
	if f.check != "" || f.against != "" || len(f.inputs) > 0 || f.all || len(f.refine) > 0 {
		return wrongUse("--trace measures nothing: leave out --check, --against, --input, --all and --refine")
	}
	plan := a.plan()
	plan.File("-o", path, output.Profile())
	a.planReport(plan, reportName(path))
	planTablesAt(plan, a.settings.CSV, output.Tables())
	if err := planned(plan); err != nil {
		return err
	}
	p, source, err := a.programs(files, true)
	if err != nil {
		return err
	}
	on, err := elsewhere.PlaceOf(p, f.on)
	if err != nil {
		return wrongUse("--on: %w", err)
	}
	work := a.longWork("reading " + f.trace)
	defer work.end()
	t, err := openTrace(f.trace)
	if err != nil {
		return err
	}
	defer func() { _ = t.Close() }() // it was read
	rules, err := a.rulesOfTrace(p, t, f)
	if err != nil {
		return err
	}
	work.at("evaluating the trace")
	r, err := xeval.Evaluate(c.Context(), rules, t, xeval.Options{})
	if work.end(); err != nil {
		return a.shownRules(err, []string{rules.Name})
	}
	o := elsewhere.Options{File: filepath.Base(f.trace), On: on, Implied: f.rules == ""}
	list, notes, err := elsewhere.Kernels(p, t, rules, r, o)
	if err != nil {
		return &usageError{fmt.Errorf("--trace %s: %w", f.trace, err)}
	}
	for _, n := range append(r.Notes, notes...) {
		a.note("note: %s", n)
	}
	profiled := &profile.Profile{Schema: profile.Schema, Machine: profile.Machine{CPU: "", Kernel: "elsewhere"}}
	if _, err := os.Stat(path); err == nil {
		if profiled, err = readProfile("out", path); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	added := addTo(profiled, list)
	if added == 0 {
		return &usageError{fmt.Errorf("--trace %s: no rule tells how long a kernel takes", f.trace)}
	}
	d, err := a.lower(c.Context(), only(p, ""), source, files, design.ForCheck)
	if err != nil {
		return err
	}
	res := newResult(d, a.typed(c, files))
	res.Profile, res.Notes = profiled, notes
	parts := []view.Part{{Table: view.Elsewhere(list, t.Header())}}
	if err := errors.Join(profiled.Validate(), output.WriteFile(path, profiled.Encode), a.keepReport(reportName(path),
		res), a.saveTables(view.TablesOf(parts))); err != nil {
		return err
	}
	if a.settings.JSON {
		return profiled.Encode(a.stdout.JSON())
	}
	a.wrote = append(a.wrote, path)
	err = a.show(parts...)
	a.note("wrote %s with the figures of %s; next: xopt search … --profile %s", path,
		units.Counted(added, "kernel", "kernels"), shellWord(path))
	return err
}

// rulesOfTrace are the rules of a file, or those that the application implies.
func (a *app) rulesOfTrace(p *xlang.Program, t trace.Table, f *calibrateFlags) (*xeval.File, error) {
	if f.rules != "" {
		return readRules(f.rules)
	}
	r, notes := xeval.Derive(p, t)
	for _, n := range notes {
		a.note("note: %s", n)
	}
	if len(r.Blocks) == 0 {
		return nil, &usageError{fmt.Errorf("--trace %s: no kernel of the application has a rule that this trace "+
			"fits; give --rules FILE.smx", f.trace)}
	}
	return r, nil
}

// addTo puts the kernels whose rates are known into a profile, and counts them.
func addTo(p *profile.Profile, list []elsewhere.Figures) (added int) {
	for i := range list {
		if list[i].ServiceRate != nil {
			added++
			p.Kernels = replaced(p.Kernels, list[i].Kernel)
		}
	}
	return added
}

// replaced is a list with a kernel in place of the entry of the same instance and resource or platform.
func replaced(list []profile.Kernel, k profile.Kernel) []profile.Kernel {
	for i := range list {
		x := &list[i]
		if x.Instance == k.Instance && x.Platform == k.Platform && x.Resource == k.Resource {
			list[i] = k
			return list
		}
	}
	return append(list, k)
}
