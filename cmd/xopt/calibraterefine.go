package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"xopt/cmd/faults"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/settings"
	"xopt/deploy/validate"
	"xopt/flow/design"
	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/internal/files/output"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// refineBy updates the figures of a profile with the service times in results of runs.
func (a *app) refineBy(c *cobra.Command, files []string, path string) error {
	plan := a.plan()
	plan.File("-o", path, output.Profile())
	if err := plan.Err(); err != nil {
		return err
	}
	old, err := settings.ReadProfile("refine", path)
	if err != nil {
		return err
	}
	a.settings.Profile = path
	p, source, err := a.programs(c.Context(), files, true)
	if err != nil {
		return err
	}
	d, err := a.lower(c.Context(), p.WithMapsOf(""), source, files, design.ForCheck)
	if err != nil {
		return err
	}
	var ran []validate.Ran
	var from []string
	for _, file := range a.settings.Calibrate.Refine {
		r, err := result.ReadFile(file)
		if err != nil {
			return err
		}
		list, copies, err := validate.RanIn(d, r)
		if err != nil {
			return fault.Usage(fmt.Errorf("--refine %s: %w", file, err))
		}
		if copies > 0 && len(list) == 0 {
			return fault.Usage(fmt.Errorf("--refine %s: mappings with copies of kernels cannot refine a profile; "+
				"use results of mappings without copies", file))
		}
		if copies > 0 {
			a.noteID(faults.CopiesNotLearned, "note: --refine %s ignores %s with copies of kernels", file,
				units.Counted(copies, "mapping", "mappings"))
		}
		if len(list) == 0 {
			return faults.NoRunToLearnFrom.Usagef("--refine %s: no mapping has a native run that is undisturbed and "+
				"long enough; use a result of xopt validate --json or xopt deploy -o", file)
		}
		ran, from = append(ran, list...), append(from, filepath.Base(file))
	}
	if err := a.learn(c, d, ran, refinement{old, from, path}); err != nil || !a.settings.JSON {
		return err
	}
	out, err := settings.ReadProfile("refine", path)
	if err != nil {
		return err
	}
	return out.Encode(a.stdout.JSON())
}

// refinement is a profile to refine, with the result files to refine it by and the path of the new profile.
type refinement struct {
	old  *profile.Profile
	from []string
	path string
}

// learn refines a profile with measured mappings and shows the effect. It writes the profile if the predictions of
// mappings held out from the fit improve.
func (a *app) learn(c *cobra.Command, d *design.Design, ran []validate.Ran, x refinement) error {
	learned, err := validate.Refined(c.Context(), d, ran)
	if err != nil {
		return fmt.Errorf("refining the profile: %w", err)
	}
	parts := []report.Part{{Table: report.Learned(learned)}, {Table: report.Refinement(learned)}}
	a.measured(parts...)
	if !a.settings.JSON {
		if err := a.show(parts...); err != nil {
			return err
		}
	}
	switch {
	case len(learned.Learned) == 0:
		return faults.NothingLearned.Errorf("no profile written: no measured service time differs significantly " +
			"from the profile")
	case !learned.Better():
		return faults.NothingLearned.Errorf("no profile written: the refined figures do not improve the predictions " +
			"of held-out mappings")
	}
	out, err := learned.Apply(x.old, d, x.from)
	if err != nil {
		return fmt.Errorf("refining the profile: %w", err)
	}
	if err := output.WriteFile(x.path, out.Encode); err != nil {
		return err
	}
	a.note("wrote %s, refined by the runs of %s", x.path, strings.Join(x.from, ", "))
	return nil
}
