package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"xopt/calibrate/elsewhere"
	"xopt/cmd/faults"
	"xopt/cmd/internal/report"
	"xopt/deploy/trace"
	"xopt/deploy/xeval"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/flow/xlang"
	"xopt/internal/fault"
	"xopt/internal/files/output"
	"xopt/internal/units"
)

// calibrateByTrace measures nothing: it takes the figures of kernels from a trace that was recorded elsewhere, and
// adds them to a profile.
func (a *app) calibrateByTrace(c *cobra.Command, files []string, f *calibrateFlags, path string) error {
	if f.check != "" || f.against != "" || len(f.inputs) > 0 || f.all || len(f.refine) > 0 {
		return faults.OptionsConflict.Usagef("--trace measures nothing: leave out --check, --against, --input, " +
			"--all and --refine")
	}
	plan := a.plan()
	plan.File("-o", path, output.Profile())
	a.planReport(plan, reportName(path))
	planTablesAt(plan, a.settings.CSV, output.Tables())
	if err := planned(plan); err != nil {
		return err
	}
	p, source, err := a.programs(c.Context(), files, true)
	if err != nil {
		return err
	}
	on, err := elsewhere.PlacesOf(p, f.on)
	if err != nil {
		return fault.Usage(fmt.Errorf("--on: %w", err))
	}
	work := a.longWork("reading " + f.trace)
	defer work.End()
	t, err := openTrace(f.trace)
	if err != nil {
		return err
	}
	defer func() { _ = t.Close() }() // it was read
	rules, err := a.rulesOfTrace(p, t, f)
	if err != nil {
		return err
	}
	work.At("evaluating the trace")
	r, err := xeval.Evaluate(c.Context(), rules, t, xeval.Options{})
	if work.End(); err != nil {
		return shownRules(err, []string{rules.Name}, nil)
	}
	o := elsewhere.Options{File: filepath.Base(f.trace), On: on, Name: f.on, Implied: f.rules == ""}
	list, notes, err := elsewhere.Kernels(p, t, rules, r, o)
	if err != nil {
		return fault.Usage(fmt.Errorf("--trace %s: %w", f.trace, err))
	}
	notes = append(notes, undeclared(p, list)...)
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
	added := addFigures(profiled, list)
	if added == 0 {
		return fault.NoRule.Usagef("--trace %s: no rule tells how long a kernel takes", f.trace)
	}
	d, err := a.lower(c.Context(), only(p, ""), source, files, design.ForCheck)
	if err != nil {
		return err
	}
	res := newResult(d, a.typed(c, files))
	res.Profile, res.Notes = profiled, notes
	parts := []report.Part{{Table: report.Elsewhere(list, t.Header())}}
	if err := errors.Join(profiled.Validate(), output.WriteFile(path, profiled.Encode), a.keepReport(reportName(path),
		res), a.saveTables(report.TablesOf(parts))); err != nil {
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

// addFigures adds the figures of kernels to a profile, and counts the kernels.
func addFigures(to *profile.Profile, list []elsewhere.Figures) (added int) {
	for i := range list {
		if list[i].ServiceRate == nil {
			continue
		}
		added++
		for _, k := range list[i].Entries() {
			to.Kernels = replaced(to.Kernels, k)
		}
	}
	return added
}

// undeclared tells of the kernels that have no implementation where their figures hold: no mapping would use those.
func undeclared(p *xlang.Program, list []elsewhere.Figures) (notes []string) {
	for i := range list {
		f := &list[i]
		chain := p.Ancestors(f.Platform)
		declared := slices.ContainsFunc(p.Impls, func(x xlang.Impl) bool {
			return x.Block == f.Block && slices.Contains(chain, x.Platform)
		}) || slices.ContainsFunc(p.Figures, func(x xlang.Figure) bool {
			return (x.Block == f.Block || x.Block == f.Instance) && (x.Resource == f.Resource ||
				x.OnPlatform && slices.Contains(chain, x.Resource))
		})
		if !declared && f.ServiceRate != nil {
			notes = append(notes, fmt.Sprintf("no X file says that %s can run on %s, so that no mapping would use its "+
				"figures: add platform %s { impl %s; };, without a source where there is none", f.Instance,
				cmp.Or(f.On, f.Resource, f.Platform), f.Platform, f.Block))
		}
	}
	return notes
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
		return nil, faults.NoRuleFits.Usagef("--trace %s: no kernel of the application has a rule that "+
			"this trace fits; give --rules FILE.smx", f.trace)
	}
	return r, nil
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
