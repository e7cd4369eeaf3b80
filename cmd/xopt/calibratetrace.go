package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"xopt/calibrate/elsewhere"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/settings"
	"xopt/deploy/xeval"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/internal/files/output"
	"xopt/internal/safetext"
	"xopt/internal/units"
)

// calibrateByTrace adds figures of kernels to a profile from a trace of another system. It measures nothing.
func (a *app) calibrateByTrace(c *cobra.Command, files []string, path string) error {
	f := &a.settings.Calibrate
	plan := a.plan()
	plan.File("-o", path, output.Profile())
	a.planReport(plan, reportName(path))
	planTablesAt(plan, a.settings.CSV, output.Tables())
	if err := plan.Err(); err != nil {
		return err
	}
	p, source, err := a.programs(c.Context(), files, true)
	if err != nil {
		return err
	}
	on, err := elsewhere.PlacesOf(p, f.On)
	if err != nil {
		return fault.Usage(fmt.Errorf("--on: %w", err))
	}
	work := a.longWork("reading " + f.Trace)
	defer work.Stop()
	t, err := openTrace(f.Trace)
	if err != nil {
		return err
	}
	defer func() { _ = t.Close() }() // t was only read
	var rules *xeval.File            // nil to use the application's rules
	if f.Rules != "" {
		if rules, err = readRules(f.Rules); err != nil {
			return err
		}
	}
	work.At("evaluating the trace")
	found, err := elsewhere.FromTrace(c.Context(), p, t, rules, elsewhere.Options{File: filepath.Base(f.Trace), On: on,
		Name: f.On})
	work.Stop()
	noteEach(a, "note: %s", append(found.Seen, found.Notes...))
	if err != nil {
		return fmt.Errorf("--trace %s: %w", f.Trace, shownRules(err, []string{f.Rules}, nil))
	}
	profiled := &profile.Profile{Schema: profile.Schema, Machine: profile.Machine{CPU: "", Kernel: "elsewhere"}}
	if _, err := os.Stat(path); err == nil {
		if profiled, err = settings.ReadProfile("out", path); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	added := elsewhere.AddTo(profiled, found.Kernels)
	if added == 0 {
		return fault.NoRule.Usagef("--trace %s: no rule measures the service time of a kernel; change --rules", f.Trace)
	}
	d, err := a.lower(c.Context(), p.WithMapsOf(""), source, files, design.ForCheck)
	if err != nil {
		return err
	}
	res := newResult(d, a.typed(c, files))
	res.Profile, res.Notes = profiled, found.Notes
	parts := []report.Part{{Table: report.Elsewhere(found.Kernels, t.Header())}}
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
		units.Counted(added, "kernel", "kernels"), safetext.ShellWord(path))
	return err
}
